import {
  AccountApi,
  Configuration,
  ImportsApi,
  MetadataApi,
  ResponseError,
  TranscriptionsApi,
} from './generated/typescript-fetch'

const { HAUL_URL: basePath = '', HAUL_API_KEY = '', MEDIA_URL: url = '' } = process.env
const settings = new Configuration({ basePath, accessToken: HAUL_API_KEY })
const imports = new ImportsApi(settings)

const account = await new AccountApi(settings).getAccount()
const metadata = await new MetadataApi(settings).getMetadata({ url })
const started = await imports.startImport({ importRequest: { url, metadata: { episode: '42' } } })
const done = await imports.getImport({ id: started.data.jobId, wait: 30 })
const refused = await new TranscriptionsApi(settings)
  .startTranscription({ transcribeRequest: {} })
  .catch(async (error) => {
    if (!(error instanceof ResponseError)) throw error
    return (await error.response.json()).code
  })
console.log(
  JSON.stringify({
    balance: account.data.balanceDollars,
    platform: 'platform' in metadata.data ? metadata.data.platform : undefined,
    status: done.data.status,
    episode: done.data.metadata.episode,
    bytes: done.data.result?.fileSizeBytes,
    refused,
  }),
)

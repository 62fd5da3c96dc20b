import { getAccount, getImport, getMetadata, startImport, startTranscription } from './generated/hey-api'
import { client } from './generated/hey-api/client.gen'

const { HAUL_URL: baseUrl = '', HAUL_API_KEY = '', MEDIA_URL: url = '' } = process.env
client.setConfig({ baseUrl, auth: HAUL_API_KEY })

const account = await getAccount()
const metadata = await getMetadata({ query: { url } })
const started = await startImport({ body: { url, metadata: { episode: '42' } } })
const id = started.data?.data.jobId ?? ''
const done = await getImport({ query: { id, wait: 30 } })
const refused = await startTranscription({ body: {} })
const source = metadata.data?.data
console.log(
  JSON.stringify({
    balance: account.data?.data.balanceDollars,
    platform: source && 'platform' in source ? source.platform : undefined,
    status: done.data?.data.status,
    episode: done.data?.data.metadata.episode,
    bytes: done.data?.data.result?.fileSizeBytes,
    refused: refused.error?.code,
  }),
)

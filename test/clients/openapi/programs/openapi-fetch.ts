import createClient from 'openapi-fetch'
import type { paths } from './generated/openapi-typescript'

const { HAUL_URL: baseUrl = '', HAUL_API_KEY = '', MEDIA_URL: url = '' } = process.env
const haul = createClient<paths>({ baseUrl, headers: { Authorization: `Bearer ${HAUL_API_KEY}` } })

const account = await haul.GET('/account')
const metadata = await haul.GET('/metadata', { params: { query: { url } } })
const started = await haul.POST('/import', { body: { url, metadata: { episode: '42' } } })
const id = started.data?.data.jobId ?? ''
const done = await haul.GET('/import/status', { params: { query: { id, wait: 30 } } })
const refused = await haul.POST('/transcribe', { body: {} })
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

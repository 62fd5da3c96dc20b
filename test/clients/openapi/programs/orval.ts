import { getAccount, getImport, getMetadata, startImport, startTranscription } from './generated/orval/haul'

const { HAUL_API_KEY = '', MEDIA_URL: url = '' } = process.env
const withKey = { headers: { Authorization: `Bearer ${HAUL_API_KEY}` } }
const expected = <Answer extends { status: number }, Status extends Answer['status']>(
  answer: Answer,
  status: Status,
) => {
  if (answer.status !== status) throw new Error(`${answer.status}`)
  return answer as Extract<Answer, { status: Status }>
}

const account = expected(await getAccount(withKey), 200).data.data
const metadata = expected(await getMetadata({ url }, withKey), 200).data.data
const started = expected(await startImport({ url, metadata: { episode: '42' } }, withKey), 202).data.data
const done = expected(await getImport({ id: started.jobId, wait: 30 }, withKey), 200).data.data
const refused = expected(await startTranscription({}, withKey), 400).data
console.log(
  JSON.stringify({
    balance: account.balanceDollars,
    platform: 'platform' in metadata ? metadata.platform : undefined,
    status: done.status,
    episode: done.metadata.episode,
    bytes: done.result?.fileSizeBytes,
    refused: refused.code,
  }),
)

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { AwsClient } from 'aws4fetch'
import { startHaul } from '../scripts/start/haul.ts'
import { startOrigin } from '../test/origin/origin.ts'
import { newAccountClient } from '../test/product/api-client.ts'
import { startVersity } from '../test/s3/versity.ts'
import { seconds } from './timing.ts'

const BYTES = 1_000_000_000

/** Copies 1 GB from our storage into a bucket, compared with curl uploading the same file from disk. */
export const benchCopies = async (print: (line: string) => void): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const [origin, server] = [await startOrigin(), await startVersity()]
  const allowed = `${origin.host},${new URL(server.endpoint).host}`
  const haul = await startHaul({
    stateDir: join(folder, 'state'),
    env: { ...process.env, ALLOW_PRIVATE_HOSTS: allowed },
  })
  const { endpoint, region, accessKeyId, secretAccessKey } = server
  try {
    await server.makeBucket('media')
    const client = await newAccountClient(haul)
    const bucket = { endpoint, region, bucket: 'media', accessKeyId, secretAccessKey, pathStyle: true }
    const put = await client.request('PUT', '/storage', bucket)
    if (put.status !== 200) throw new Error(put.body.error)

    const url = `${origin.url}/generated/${BYTES}.mp4`
    const file = join(folder, 'film.mp4')
    await promisify(execFile)('curl', ['-s', '-o', file, url])
    const aws = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3' })
    const target = await aws.sign(`${endpoint}/media/by-curl.mp4`, { method: 'PUT', aws: { signQuery: true } })
    const curl = await seconds(() => promisify(execFile)('curl', ['-s', '-f', '-T', file, target.url]))

    const jobId = await client.start({ url, store: true })
    await client.until(jobId, ({ progress }) => progress?.stage === 'delivering')
    const ours = await seconds(() => client.ended(jobId))
    const rate = (took: number) => `${(BYTES / 1e6 / took).toFixed(0)} MB/s`
    print(`1 GB into a bucket: ${rate(ours)}, curl ${rate(curl)}, ratio of times ${(ours / curl).toFixed(1)}`)
  } finally {
    await haul.stop()
    await Promise.all([origin.close(), server.close()])
    await rm(folder, { recursive: true, force: true })
  }
}

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startHaul } from '../scripts/start/haul.ts'
import { makeFixtures } from '../test/origin/fixtures.ts'
import { startOrigin } from '../test/origin/origin.ts'
import { newAccountClient } from '../test/product/api-client.ts'
import { startSinkS3 } from './sink-s3.ts'
import { startBenchWorker } from './start-worker.ts'
import { medianOf, seconds } from './timing.ts'

const BYTES = 1_000_000_000

const run = promisify(execFile)

/**
 * Copies 1 GB from our storage into a bucket, whose server discards it. Compared with a Worker that reads the same
 * object from the same storage and discards it, because the local R2 is slow, and with curl uploading the file.
 */
export const benchCopies = async (print: (line: string) => void): Promise<void> => {
  await makeFixtures()
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const [origin, server] = [await startOrigin(), await startSinkS3()]
  const stateDir = join(folder, 'state')
  const env = { ...process.env, ALLOW_PRIVATE_HOSTS: `${origin.host},${server.host}` }
  try {
    const url = `${origin.url}/generated/${BYTES}.mp4`
    const file = join(folder, 'film.mp4')
    await run('curl', ['-s', '-o', file, url])
    const curl = await seconds(() => run('curl', ['-s', '-f', '-T', file, `${server.url}/media/by-curl.mp4`]))

    const haul = await startHaul({ stateDir, env })
    const copied = await copySeconds(haul, url, server.url).finally(() => haul.stop())
    // After Haul has stopped, because two runtimes must not open the same storage.
    const read = await readSeconds(folder, haul.state.wranglerDir)

    const rate = (took: number) => `${(BYTES / 1e6 / took).toFixed(0)} MB/s`
    print(
      `1 GB into a bucket that discards it: ${rate(copied)}; ratio of times to reading and discarding (${rate(read)}) ${(copied / read).toFixed(2)} (goal 1.3), to curl (${rate(curl)}) ${(copied / curl).toFixed(1)}`,
    )
  } finally {
    await Promise.all([origin.close(), server.close()])
    await rm(folder, { recursive: true, force: true })
  }
}

/** From the start of the copy to the end of the job. */
const copySeconds = async (
  haul: { baseUrl: string; adminToken: string },
  url: string,
  endpoint: string,
): Promise<number> => {
  const client = await newAccountClient(haul)
  const keys = { accessKeyId: 'bench', secretAccessKey: 'bench-secret' }
  const put = await client.request('PUT', '/storage', {
    endpoint,
    region: 'us-east-1',
    bucket: 'media',
    ...keys,
    pathStyle: true,
  })
  if (put.status !== 200) throw new Error(put.body.error)
  const jobId = await client.start({ url, store: true })
  const isDelivering = await client.until(jobId, ({ progress, status }) => {
    return progress?.stage === 'delivering' || status === 'failed'
  })
  if (isDelivering.status === 'failed') throw new Error(isDelivering.message)
  return seconds(async () => {
    const { status, message } = await client.ended(jobId)
    if (status !== 'completed') throw new Error(message)
  })
}

const readSeconds = async (folder: string, persist: string): Promise<number> => {
  const bindings = { r2_buckets: [{ binding: 'MEDIA', bucket_name: 'haul-media' }] }
  const worker = await startBenchWorker(folder, 'read-and-discard', { persist, bindings })
  try {
    return await medianOf(3, async () => {
      const response = await fetch(worker.url)
      const text = await response.text()
      if (!response.ok || JSON.parse(text).readBytes !== BYTES) throw new Error(`${response.status} ${text}`)
    })
  } finally {
    await worker.stop()
  }
}

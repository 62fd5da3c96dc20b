import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startHaul } from '../scripts/start/haul.ts'
import { makeFixtures } from '../test/doubles/origin/fixtures.ts'
import { startOrigin } from '../test/doubles/origin/origin.ts'
import { newAccountClient } from '../test/support/product/api-client.ts'
import { startSinkS3 } from './sink-s3.ts'
import { startBenchWorker } from './start-worker.ts'
import { median, medianOf, seconds } from './timing.ts'

const BYTES = 1_000_000_000
const ROUNDS = 3

const run = promisify(execFile)

/**
 * Copies 1 GB from our storage into a bucket, whose server discards it. Compared with a Worker that reads the same
 * object from the same storage and discards it, because the local R2 is slow, and with curl uploading the file.
 * Copies and reads alternate, so that a machine that becomes slower slows both.
 */
export const benchCopies = async (print: (line: string) => void): Promise<void> => {
  await makeFixtures()
  const folder = await mkdtemp(join(tmpdir(), 'haul-bench-'))
  const [origin, server] = [await startOrigin(), await startSinkS3()]
  const env = { ...process.env, ALLOW_PRIVATE_HOSTS: `${origin.host},${server.host}` }
  try {
    const url = `${origin.url}/generated/${BYTES}.mp4`
    const file = join(folder, 'film.mp4')
    await run('curl', ['-s', '-o', file, url])
    const curl = await medianOf(3, () => run('curl', ['-s', '-f', '-T', file, `${server.url}/media/by-curl.mp4`]))

    const rounds: { copied: number; read: number }[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const stateDir = join(folder, 'state')
      const haul = await startHaul({ stateDir, env })
      await copyOnce(haul, url, server.url).finally(() => haul.stop())
      // After Haul has stopped, because two runtimes must not open the same storage.
      rounds.push({ copied: server.copySeconds(), read: await readSeconds(folder, haul.state.wranglerDir) })
      await rm(stateDir, { recursive: true })
    }
    const copied = median(rounds.map((round) => round.copied))
    const read = median(rounds.map((round) => round.read))
    const ratios = rounds.map((round) => round.copied / round.read)

    const rate = (took: number) => `${(BYTES / 1e6 / took).toFixed(0)} MB/s`
    print(
      `1 GB into a bucket that discards it: ${rate(copied)}; ratio of times to reading and discarding (${rate(read)}) ${median(ratios).toFixed(2)} (goal 1.3; ${ROUNDS} rounds: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}), to curl (${rate(curl)}) ${(copied / curl).toFixed(1)}`,
    )
  } finally {
    await Promise.all([origin.close(), server.close()])
    await rm(folder, { recursive: true, force: true })
  }
}

/**
 * The server measures the copy: a request that waits for the end of a job asks every 2.5 s at this age, so its time
 * would contain up to as much waiting.
 */
const copyOnce = async (
  haul: { baseUrl: string; adminToken: string },
  url: string,
  endpoint: string,
): Promise<void> => {
  const client = await newAccountClient(haul)
  const keys = { accessKeyId: 'bench', secretAccessKey: 'bench-secret' }
  const settings = { endpoint, region: 'us-east-1', bucket: 'media', ...keys, pathStyle: true }
  const put = await client.request('PUT', '/storage', settings)
  if (put.status !== 200) throw new Error(put.body.error)
  const { status, message } = await client.ended(await client.start({ url, store: true }))
  if (status !== 'completed') throw new Error(message)
}

/** The time of a second read. The first one warms up the runtime, as the import does for the copy. */
const readSeconds = async (folder: string, persist: string): Promise<number> => {
  const bindings = { r2_buckets: [{ binding: 'MEDIA', bucket_name: 'haul-media' }] }
  const worker = await startBenchWorker(folder, 'read-and-discard', { persist, bindings })
  try {
    const read = async () => {
      const response = await fetch(worker.url)
      const text = await response.text()
      if (!response.ok || JSON.parse(text).readBytes !== BYTES) throw new Error(`${response.status} ${text}`)
    }
    await read()
    return await seconds(read)
  } finally {
    await worker.stop()
  }
}

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { fixture } from '../../doubles/origin/fixtures.ts'
import type { ApiClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'
import { sha256 } from '../../support/sha256.ts'

const run = promisify(execFile)

/** The lease of a killed process expires after 10 s, and a 30 MB download at 4 MB/s follows. */
const RESTART_TIMEOUT_MS = 120_000

// A short lease, so that the lease of a killed container expires in seconds.
const site = ownProduct(() => ({ env: { LEASE_MS: '10000' } }))
let client: ApiClient

beforeAll(() => {
  client = site.clientWith(site.haul.apiKey)
})

const download = async (url: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, { headers })
  return { status: response.status, headers: response.headers, bytes: new Uint8Array(await response.arrayBuffer()) }
}

/** Decodes the whole file, and returns ffmpeg's errors. */
const decodeErrors = async (bytes: Uint8Array): Promise<string> => {
  const path = join(site.folder, 'decoded')
  await writeFile(path, bytes)
  return (await run('ffmpeg', ['-v', 'error', '-xerror', '-i', path, '-f', 'null', '-'])).stderr
}

test('an imported file has the same bytes as its source, whole and in ranges, and costs what its bytes cost', async () => {
  const before = await client.account()
  const job = await client.ended(await client.start({ url: `${site.origin.url}/media/faststart.mp4` }))
  expect(job).toMatchObject({
    status: 'completed',
    result: { title: 'faststart', videoCodec: 'h264', audioCodec: 'aac' },
  })
  const original = await readFile(fixture('faststart.mp4'))
  const file = await download(job.result.mediaUrl)
  expect(file.headers.get('content-type')).toBe('video/mp4')
  expect(sha256(file.bytes)).toBe(sha256(original))
  expect(job.result.sha256).toBe(sha256(original))
  expect(await decodeErrors(file.bytes)).toBe('')
  const after = await client.account()
  expect(job.result.costInDollars).toBe(Math.ceil(original.length / 100) / 1e6)
  expect(after.heldDollars).toBe(0)
  expect(before.balanceDollars - after.balanceDollars).toBeCloseTo(job.result.costInDollars, 6)
  const middle = await download(job.result.mediaUrl, { range: 'bytes=1000-1999' })
  expect([middle.status, middle.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${original.length}`])
  expect(sha256(middle.bytes)).toBe(sha256(original.subarray(1000, 2000)))
  expect((await download(job.result.mediaUrl.replace('faststart', 'slowstart'))).status).toBe(403)
  const thumbnail = await download(job.result.thumbnailUrl)
  expect(thumbnail.bytes.subarray(0, 2)).toEqual(new Uint8Array([0xff, 0xd8]))
})

test('the price of a page that states neither length nor size is known before it is imported, as a file that plays', async () => {
  const url = `${site.origin.url}/page/video.html`
  const { body } = await client.request('GET', `/metadata?url=${url}`)
  const { duration, estimate } = body.data
  const usual = estimate.imports.find((price: { videoQuality: string }) => price.videoQuality === '1080p')
  expect([Math.round(duration), usual.isEstimate]).toEqual([6, false])
  const job = await client.ended(await client.start({ url }))
  expect(job.result).toMatchObject({ title: 'A page with a video', costInDollars: usual.costInDollars })
  expect(await decodeErrors((await download(job.result.mediaUrl)).bytes)).toBe('')
})

describe('while imports are running', () => {
  const slow = () => `${site.origin.url}/generated/30000000.mp4?ratePerSecond=4000000`

  test('when the container is killed, the job is restarted elsewhere after its lease expires, and charged once', {
    timeout: RESTART_TIMEOUT_MS,
  }, async () => {
    const before = await client.account()
    const jobId = await client.start({ url: slow() })
    await client.until(jobId, ({ progress }) => (progress?.downloadedBytes ?? 0) > 2_000_000)
    await site.haul.killContainer('SIGKILL')
    const job = await client.ended(jobId)
    expect(job).toMatchObject({ status: 'completed', result: { downloadedBytes: 30_000_000 } })
    const after = await client.account()
    expect(before.balanceDollars - after.balanceDollars).toBeCloseTo(0.3, 6)
    const { body } = await client.request('GET', '/account/ledger')
    const charges = body.data.entries.filter(
      (entry: { jobId: string; kind: string }) => entry.jobId === jobId && entry.kind === 'charge',
    )
    expect(charges).toHaveLength(1)
  })

  test('a job that was running when the Worker was killed is finished after the restart', {
    timeout: RESTART_TIMEOUT_MS,
  }, async () => {
    const jobId = await client.start({ url: slow() })
    await site.haul.killWorker('SIGKILL')
    await site.haul.ready()
    expect(await client.ended(jobId)).toMatchObject({ status: 'completed' })
  })
})

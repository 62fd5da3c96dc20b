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

test('an imported file has the same bytes as its source and costs what its bytes cost', async () => {
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
})

test('the file is served in ranges, and a changed link is refused', async () => {
  const job = await client.ended(await client.start({ url: `${site.origin.url}/media/faststart.mp4` }))
  const original = await readFile(fixture('faststart.mp4'))
  const middle = await download(job.result.mediaUrl, { range: 'bytes=1000-1999' })
  expect(middle.status).toBe(206)
  expect(middle.headers.get('content-range')).toBe(`bytes 1000-1999/${original.length}`)
  expect(sha256(middle.bytes)).toBe(sha256(original.subarray(1000, 2000)))
  expect((await download(job.result.mediaUrl, { range: 'bytes=-1' })).bytes).toEqual(
    new Uint8Array(original.subarray(-1)),
  )
  expect((await download(job.result.mediaUrl.replace('faststart', 'slowstart'))).status).toBe(403)
  const thumbnail = await download(job.result.thumbnailUrl)
  expect(thumbnail.bytes.subarray(0, 2)).toEqual(new Uint8Array([0xff, 0xd8]))
})

test('audio from a file without a separate audio stream costs the whole download', async () => {
  const job = await client.ended(
    await client.start({ url: `${site.origin.url}/media/tail-index.mp4`, includeVideo: false }),
  )
  const { size } = await readFile(fixture('tail-index.mp4')).then((bytes) => ({ size: bytes.length }))
  expect(job.result).toMatchObject({ contentType: 'audio/mp4', videoCodec: null, downloadedBytes: size })
  expect(job.result.fileSizeBytes).toBeLessThan(size / 2)
  expect(job.result.costInDollars).toBe(Math.ceil(size / 100) / 1e6)
  expect(await decodeErrors((await download(job.result.mediaUrl)).bytes)).toBe('')
})

test('a feed is not imported, with a message that says how, and its metadata lists its episodes', async () => {
  const url = `${site.origin.url}/page/feed.xml`
  const job = await client.ended(await client.start({ url }))
  expect(job).toMatchObject({ status: 'failed', code: 'SOURCE_UNSUPPORTED' })
  expect(job.message).toContain('POST /batches')
  const { body } = await client.request('GET', `/metadata?url=${url}`)
  expect(body.data).toEqual({
    isPlaylist: true,
    title: 'A podcast',
    count: 2,
    entries: [
      { url: `${site.origin.url}/media/tone.mp3`, title: 'The first', duration: 6 },
      { url: `${site.origin.url}/media/tone.ogg`, title: 'The second', duration: 6 },
    ],
  })
})

test('the price of a page that states neither length nor size is known before it is imported', async () => {
  const url = `${site.origin.url}/page/video.html`
  const { body } = await client.request('GET', `/metadata?url=${url}`)
  const { duration, estimate } = body.data
  const usual = estimate.imports.find((price: { videoQuality: string }) => price.videoQuality === '1080p')
  expect([Math.round(duration), usual.isEstimate]).toEqual([6, false])
  const job = await client.ended(await client.start({ url }))
  expect(job.result.costInDollars).toBe(usual.costInDollars)
})

test('a clip of an HLS stream costs its segments, and one that starts after the end costs nothing', async () => {
  const url = `${site.origin.url}/media/film-hls/stream.m3u8`
  const { result } = await client.ended(await client.start({ url, clip: { start: '0:05', end: 9 } }))
  expect(result.clip).toEqual({ start: 5, end: 9, actualStart: 4 })
  const names = ['part_002.ts', 'part_003.ts', 'part_004.ts']
  const parts = await Promise.all(names.map((name) => readFile(fixture(`film-hls/${name}`))))
  expect(result.downloadedBytes).toBe(Buffer.concat(parts).length)
  expect(result.costInDollars).toBe(Math.ceil(result.downloadedBytes / 100) / 1e6)
  const file = await download(result.mediaUrl)
  expect(sha256(file.bytes)).toBe(result.sha256)
  expect(await decodeErrors(file.bytes)).toBe('')
  const before = await client.account()
  const late = await client.ended(await client.start({ url, clip: { start: 12 } }))
  expect(late).toMatchObject({ status: 'failed', code: 'CLIP_OUT_OF_RANGE', retryable: false })
  expect(await client.account()).toMatchObject({ balanceDollars: before.balanceDollars, heldDollars: 0 })
})

test.each([
  ['page/video.html', 'A page with a video'],
  ['page/several.html', 'A page with several videos'],
  ['media/hls-fmp4/master.m3u8', 'master'],
  ['media/hls-ts/master.m3u8', 'master'],
  ['media/dash/manifest.mpd', 'manifest'],
])('%s is imported as a file that plays', async (path, title) => {
  const job = await client.ended(await client.start({ url: `${site.origin.url}/${path}` }))
  expect(job).toMatchObject({ status: 'completed', result: { title, videoCodec: 'h264', audioCodec: 'aac' } })
  expect(await decodeErrors((await download(job.result.mediaUrl)).bytes)).toBe('')
})

test.each([
  ['media/truncated.mp4', 'SOURCE_TRUNCATED'],
  ['page/none.html', 'SOURCE_UNSUPPORTED'],
  ['media/still.jpg', 'SOURCE_UNSUPPORTED'],
  ['media/faststart.mp4?status=403', 'SOURCE_BLOCKED'],
])('%s fails with %s, and its hold is released without a charge', async (path, code) => {
  const before = await client.account()
  const job = await client.ended(await client.start({ url: `${site.origin.url}/${path}` }))
  expect(job).toMatchObject({ status: 'failed', code })
  expect(job.message).not.toBe('')
  const after = await client.account()
  expect(after).toMatchObject({ balanceDollars: before.balanceDollars, heldDollars: 0 })
})

describe('while imports are running', () => {
  const slow = () => `${site.origin.url}/generated/30000000.mp4?ratePerSecond=4000000`

  test('a third import is refused until one of two is canceled', async () => {
    const first = await client.start({ url: slow() })
    const second = await client.start({ url: slow() })
    const third = await client.request('POST', '/import', { url: slow() })
    expect(third.status).toBe(429)
    expect(third.body).toMatchObject({ success: false, code: 'CONCURRENCY_LIMITED', limit: 2, endpoint: '/import' })
    expect(third.headers.get('retry-after')).toBe(`${third.body.retryAfter}`)

    await client.until(first, ({ progress }) => (progress?.downloadedBytes ?? 0) > 0)
    expect((await client.account()).heldDollars).toBeGreaterThanOrEqual(0.6)
    const canceled = await client.request('DELETE', `/jobs/${first}`)
    expect(canceled.body.data).toMatchObject({ status: 'failed', code: 'CANCELED' })
    const fourth = await client.request('POST', '/import', { url: slow() })
    expect(fourth.status).toBe(202)
    for (const jobId of [second, fourth.body.data.jobId]) await client.request('DELETE', `/jobs/${jobId}`)
    expect((await client.account()).heldDollars).toBe(0)
  })

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

test('the metadata of a source has the price of each import', async () => {
  const { status, body } = await client.request(
    'GET',
    `/metadata?url=${encodeURIComponent(`${site.origin.url}/media/hls-fmp4/master.m3u8`)}`,
  )
  expect(status).toBe(200)
  expect(body.data).toMatchObject({ platform: 'hls', isLive: false, direct: false })
  expect(body.data.formats.length).toBeGreaterThan(1)
  expect(body.data.estimate.imports.length).toBeGreaterThan(1)
})

import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { fixture } from '../doubles/origin/fixtures.ts'
import { product } from '../support/product/product.ts'
import { sha256 } from '../support/sha256.ts'

/** Media from a URL: a file, a page, a clip, and what they cost. */
const run = promisify(execFile)
const site = product()

const download = async (url: string) => new Uint8Array(await (await fetch(url)).arrayBuffer())

/** Decodes the whole file, and returns ffmpeg's errors. */
const decodeErrors = async (bytes: Uint8Array): Promise<string> => {
  const path = join(site.folder, 'decoded')
  await writeFile(path, bytes)
  return (await run('ffmpeg', ['-v', 'error', '-xerror', '-i', path, '-f', 'null', '-'])).stderr
}

test('a file is imported byte for byte, plays by ranges, and costs what its bytes cost', async () => {
  const client = await site.newClient()
  const { result } = await client.ended(await client.start({ url: site.media() }))
  const original = await readFile(fixture('faststart.mp4'))
  const bytes = await download(result.mediaUrl)
  expect([sha256(bytes), result.sha256]).toEqual([sha256(original), sha256(original)])
  expect(await decodeErrors(bytes)).toBe('')
  const range = await fetch(result.mediaUrl, { headers: { range: 'bytes=1000-1999' } })
  expect([range.status, range.headers.get('content-range')]).toEqual([206, `bytes 1000-1999/${original.length}`])
  expect(sha256(new Uint8Array(await range.arrayBuffer()))).toBe(sha256(original.subarray(1000, 2000)))
  expect((await download(result.thumbnailUrl)).subarray(0, 2)).toEqual(new Uint8Array([0xff, 0xd8]))
  const cost = Math.ceil(original.length / 100) / 1e6
  expect(result.costInDollars).toBe(cost)
  expect(await client.account()).toMatchObject({ balanceDollars: 10 - cost, heldDollars: 0 })
})

test('a page is looked at, its video costs what was announced, and plays', async () => {
  const client = await site.newClient()
  const url = `${site.origin.url}/page/video.html`
  const { body } = await client.request('GET', `/metadata?url=${encodeURIComponent(url)}`)
  const [price] = body.data.estimate.imports.filter((each: { videoQuality: string }) => each.videoQuality === '1080p')
  const job = await client.ended(await client.start({ url }))
  expect(job).toMatchObject({ status: 'completed', result: { title: 'A page with a video', videoCodec: 'h264' } })
  expect([job.result.costInDollars, price.isEstimate]).toEqual([price.costInDollars, false])
  expect(await decodeErrors(await download(job.result.mediaUrl))).toBe('')
})

test('a clip of a stream has its sound only, as MP3, and costs its segments', async () => {
  const client = await site.newClient()
  const url = site.media('media/film-hls/stream.m3u8')
  const request = { url, clip: { start: '0:05', end: 9 }, includeVideo: false, audioFormat: 'mp3' }
  const { result } = await client.ended(await client.start(request))
  expect(result).toMatchObject({ contentType: 'audio/mpeg', videoCodec: null, clip: { start: 5, end: 9 } })
  const names = ['part_002.ts', 'part_003.ts', 'part_004.ts']
  const parts = await Promise.all(names.map((name) => readFile(fixture(`film-hls/${name}`))))
  expect(result.downloadedBytes).toBe(Buffer.concat(parts).length)
  expect(result.costInDollars).toBe(Math.ceil(result.downloadedBytes / 100) / 1e6)
  expect(await decodeErrors(await download(result.mediaUrl))).toBe('')
})

test('a page without media fails with a code and a message, and costs nothing', async () => {
  const client = await site.newClient()
  const job = await client.ended(await client.start({ url: `${site.origin.url}/page/none.html` }))
  expect(job).toMatchObject({ status: 'failed', code: 'SOURCE_UNSUPPORTED', message: expect.stringMatching(/\w/) })
  expect(await client.account()).toMatchObject({ balanceDollars: 10, heldDollars: 0 })
})

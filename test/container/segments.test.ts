import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { Segment } from '../../container/source/source.ts'
import { downloadSegments } from '../../container/source/transfer/segments.ts'
import { fixture } from '../origin/fixtures.ts'
import { anOrigin, aSink, never, patience, patienceFor, sha256Of } from './downloading.ts'

const plain = (url: string): Segment => ({ url, range: null, key: null })
const numbered = (count: number, name: (i: number) => string) => Array.from({ length: count }, (_, i) => name(i))

async function sha256OfFiles(names: string[]) {
  const pieces = await Promise.all(names.map((name) => readFile(fixture(name))))
  return sha256Of(pieces.values() as unknown as AsyncIterable<Uint8Array>)
}

test('the segments of a DASH stream become one file, in order', async () => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const names = ['dash/init-stream0.m4s', ...numbered(6, (i) => `dash/chunk-stream0-0000${i + 1}.m4s`)]
  // The first comes last, and so does each odd one.
  const urls = names.map((name, i) => `${origin.url}/media/${name}?slowFirstByteMs=${i % 2 === 0 ? 150 : 0}`)
  const transport = {
    kind: 'segments' as const,
    segments: urls.map(plain),
    headers: { Referer: 'https://page.example/' },
  }
  const result = await downloadSegments(transport, egress, sink, never, { patience })
  expect(await sink.sha256()).toBe(await sha256OfFiles(names))
  expect(result).toEqual({ sizeBytes: sink.writtenBytes(), filename: null, contentType: null })
  expect(origin.requests.every(({ headers }) => headers.referer === 'https://page.example/')).toBe(true)
})

test.each([
  'cutAfter=20000',
  'cutAfter=20000&noRange',
  'stallAfter=1000',
  'status=503&times=2',
  'chunked',
  'gzip',
  'redirect=1',
])('a segment that is answered with ?%s arrives whole', async (query) => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const names = numbered(6, (i) => `hls-ts/stream_0_00${i}.ts`)
  const segments = names.map((name) => plain(`${origin.url}/media/${name}?${query}`))
  await downloadSegments({ kind: 'segments', segments, headers: {} }, egress, sink, never, {
    patience: patienceFor(query),
  })
  expect(await sink.sha256()).toBe(await sha256OfFiles(names))
})

test.each([
  ['status=404', 'SOURCE_TRUNCATED'],
  ['status=410', 'SOURCE_TRUNCATED'],
  ['status=403', 'SOURCE_BLOCKED'],
  ['status=500', 'SOURCE_UNREACHABLE'],
  ['cutAfter=1000&times=always&noRange', 'SOURCE_TRUNCATED'],
  ['stallAfter=1000&times=always&noRange', 'SOURCE_TRUNCATED'],
])('a segment that is answered with ?%s ends the download with %s', async (query, code) => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const segments = numbered(6, (i) => `${origin.url}/media/hls-ts/stream_0_00${i}.ts${i === 3 ? `?${query}` : ''}`)
  const transport = { kind: 'segments' as const, segments: segments.map(plain), headers: {} }
  const result = downloadSegments(transport, egress, sink, never, { patience: patienceFor(query) })
  await expect(result).rejects.toMatchObject({ code })
})

test('segments that are larger than what is held back wait for their turn', async () => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const size = 12_000_000
  const segments = numbered(
    8,
    (i) => `${origin.url}/generated/${size}.mp4?${i === 0 ? 'slowFirstByteMs=300' : `i=${i}`}`,
  )
  const transport = { kind: 'segments' as const, segments: segments.map(plain), headers: {} }
  // Nobody may run ahead by more than is held, whatever the first one does.
  const before = egress.receivedBytes
  const running = downloadSegments(transport, egress, sink, never, { patience })
  let aheadBytes = 0
  const watching = setInterval(() => {
    aheadBytes = Math.max(aheadBytes, egress.receivedBytes - before - sink.writtenBytes())
  }, 5)
  const { sizeBytes } = await running
  clearInterval(watching)
  expect(sizeBytes).toBe(8 * size)
  expect(aheadBytes).toBeLessThan(6 * 5_000_000)
})

test('lists of ranges are announced, and too much of them is refused before it is fetched', async () => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const url = `${origin.url}/media/faststart.mp4`
  const range = (offset: number, length: number): Segment => ({ url, range: { offset, length }, key: null })
  const segments = [range(0, 100_000), range(100_000, 300_000), range(400_000, 165_217)]
  await downloadSegments({ kind: 'segments', segments, headers: {} }, egress, sink, never, { patience })
  expect(sink.announced).toEqual([565_217])
  expect(await sink.sha256()).toBe(await sha256OfFiles(['faststart.mp4']))
  const again = downloadSegments({ kind: 'segments', segments, headers: {} }, egress, sink, never, {
    maxBytes: 500_000,
  })
  await expect(again).rejects.toMatchObject({ code: 'MEDIA_TOO_LARGE' })
  expect(origin.requests).toHaveLength(3)
})

test('segments of unknown size are refused when they become too much', async () => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const segments = numbered(6, (i) => `${origin.url}/media/hls-ts/stream_0_00${i}.ts`).map(plain)
  const options = { patience, maxBytes: 300_000 }
  const result = downloadSegments({ kind: 'segments', segments, headers: {} }, egress, sink, never, options)
  await expect(result).rejects.toMatchObject({ code: 'MEDIA_TOO_LARGE' })
  expect(sink.writtenBytes()).toBeLessThanOrEqual(300_000)
})

test('ranges of an origin that has none are refused rather than fetched over and over', async () => {
  const { origin, egress } = await anOrigin()
  const url = `${origin.url}/generated/50000000.mp4?noRange`
  const segments: Segment[] = [{ url, range: { offset: 40_000_000, length: 1_000 }, key: null }]
  const result = downloadSegments({ kind: 'segments', segments, headers: {} }, egress, await aSink(), never, {
    patience,
  })
  await expect(result).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
  expect(egress.receivedBytes).toBeLessThan(5_000_000)
})

test('a download of segments that is called off ends with the reason', async () => {
  const { origin, egress } = await anOrigin()
  const called = new AbortController()
  const segments = numbered(6, (i) => `${origin.url}/media/hls-ts/stream_0_00${i}.ts?stallAfter=10`).map(plain)
  const running = downloadSegments({ kind: 'segments', segments, headers: {} }, egress, await aSink(), called.signal)
  called.abort(new Error('canceled'))
  await expect(running).rejects.toThrow('canceled')
})

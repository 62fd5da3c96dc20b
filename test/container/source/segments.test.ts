import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import type { MediaSegment } from '../../../container/source/transfer/segment-list.ts'
import { downloadSegments } from '../../../container/source/transfer/segments.ts'
import { fixture, sizeOfFixture } from '../../doubles/origin/fixtures.ts'
import {
  anOrigin,
  aSink,
  never,
  retryPolicy,
  sha256Of,
  timeoutsFor,
  withByteCount,
  withSizeLimit,
} from './downloading.ts'

const plain = (url: string): MediaSegment => ({ url, range: null, key: null, seconds: null })
const numbered = (count: number, name: (i: number) => string) => Array.from({ length: count }, (_, i) => name(i))

async function sha256OfFiles(names: string[]) {
  const pieces = await Promise.all(names.map((name) => readFile(fixture(name))))
  return sha256Of(pieces.values() as unknown as AsyncIterable<Uint8Array>)
}

test('the segments of a DASH stream are joined in order', async () => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const names = ['dash/init-stream0.m4s', ...numbered(6, (i) => `dash/chunk-stream0-0000${i + 1}.m4s`)]
  // Every other segment arrives late, including the first.
  const urls = names.map((name, i) => `${origin.url}/media/${name}?slowFirstByteMs=${i % 2 === 0 ? 150 : 0}`)
  const transport = {
    segments: urls.map(plain),
    headers: { Referer: 'https://page.example/' },
  }
  const result = await downloadSegments(transport, sink, { egress, signal: never, retryPolicy })
  expect(await sink.sha256()).toBe(await sha256OfFiles(names))
  expect(result).toBe(sink.writtenBytes())
  expect(origin.requests.every(({ headers }) => headers.referer === 'https://page.example/')).toBe(true)
})

test.each([
  ...['cutAfter=20000', 'cutAfter=20000&noRange', 'stallAfter=1000', 'status=503&times=2', 'chunked', 'gzip'],
  'redirect=1',
])('with the fault ?%s, each segment is read completely', async (query) => {
  const { origin, egress } = await anOrigin(undefined, timeoutsFor(query))
  const sink = await aSink()
  const names = numbered(6, (i) => `hls-ts/stream_0_00${i}.ts`)
  const segments = names.map((name) => plain(`${origin.url}/media/${name}?${query}`))
  await downloadSegments({ segments, headers: {} }, sink, { egress, signal: never, retryPolicy })
  expect(await sink.sha256()).toBe(await sha256OfFiles(names))
})

test.each([
  ['status=404', 'SOURCE_TRUNCATED'],
  ['status=410', 'SOURCE_TRUNCATED'],
  ['status=403', 'SOURCE_BLOCKED'],
  ['status=500', 'SOURCE_UNREACHABLE'],
  ['cutAfter=1000&times=always&noRange', 'SOURCE_TRUNCATED'],
  ['stallAfter=1000&times=always&noRange', 'SOURCE_TRUNCATED'],
])('with the fault ?%s in one segment, the download fails with %s', async (query, code) => {
  const { origin, egress } = await anOrigin(undefined, timeoutsFor(query))
  const sink = await aSink()
  const segments = numbered(6, (i) => `${origin.url}/media/hls-ts/stream_0_00${i}.ts${i === 3 ? `?${query}` : ''}`)
  const transport = { segments: segments.map(plain), headers: {} }
  const result = downloadSegments(transport, sink, { egress, signal: never, retryPolicy })
  await expect(result).rejects.toMatchObject({ code })
})

test('segments larger than the buffer wait until their predecessors are written', async () => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const size = 12_000_000
  const segments = numbered(
    8,
    (i) => `${origin.url}/generated/${size}.mp4?${i === 0 ? 'slowFirstByteMs=300' : `i=${i}`}`,
  )
  const transport = { segments: segments.map(plain), headers: {} }
  // No connection may read ahead by more than the buffer, however late the first segment is.
  const counted = withByteCount(egress)
  const running = downloadSegments(transport, sink, { egress: counted.egress, signal: never, retryPolicy })
  let aheadBytes = 0
  const watching = setInterval(() => {
    aheadBytes = Math.max(aheadBytes, counted.receivedBytes() - sink.writtenBytes())
  }, 5)
  const sizeBytes = await running
  clearInterval(watching)
  expect(sizeBytes).toBe(8 * size)
  expect(aheadBytes).toBeLessThan(6 * 5_000_000)
})

test('the total size of byte ranges is announced, and refused before the download when it is too large', async () => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const url = `${origin.url}/media/faststart.mp4`
  const range = (offset: number, length: number): MediaSegment => ({
    url,
    range: { offset, length },
    key: null,
    seconds: null,
  })
  const sizeBytes = sizeOfFixture('faststart.mp4')
  const segments = [range(0, 100_000), range(100_000, 300_000), range(400_000, sizeBytes - 400_000)]
  await downloadSegments({ segments, headers: {} }, sink, { egress, signal: never, retryPolicy })
  expect(sink.announced).toEqual([sizeBytes])
  expect(await sink.sha256()).toBe(await sha256OfFiles(['faststart.mp4']))
  const again = downloadSegments({ segments, headers: {} }, withSizeLimit(500_000, sink), { egress, signal: never })
  await expect(again).rejects.toMatchObject({ code: 'MEDIA_TOO_LARGE' })
  expect(origin.requests).toHaveLength(3)
})

test('segments of unknown size are refused when they exceed the limit', async () => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const segments = numbered(6, (i) => `${origin.url}/media/hls-ts/stream_0_00${i}.ts`).map(plain)
  const limited = withSizeLimit(300_000, sink)
  const result = downloadSegments({ segments, headers: {} }, limited, { egress, signal: never, retryPolicy })
  await expect(result).rejects.toMatchObject({ code: 'MEDIA_TOO_LARGE' })
  expect(sink.writtenBytes()).toBeLessThanOrEqual(300_000)
})

test('byte ranges fail when the origin does not support ranges, without downloading the whole file', async () => {
  const { origin, egress } = await anOrigin()
  const url = `${origin.url}/generated/50000000.mp4?noRange`
  const segments: MediaSegment[] = [{ url, range: { offset: 40_000_000, length: 1_000 }, key: null, seconds: null }]
  const counted = withByteCount(egress)
  const transport = { segments, headers: {} }
  const result = downloadSegments(transport, await aSink(), { egress: counted.egress, signal: never, retryPolicy })
  await expect(result).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
  expect(counted.receivedBytes()).toBeLessThan(5_000_000)
})

test('a canceled download of segments fails with the reason', async () => {
  const { origin, egress } = await anOrigin()
  const canceled = new AbortController()
  const segments = numbered(6, (i) => `${origin.url}/media/hls-ts/stream_0_00${i}.ts?stallAfter=10`).map(plain)
  const running = downloadSegments({ segments, headers: {} }, await aSink(), { egress, signal: canceled.signal })
  canceled.abort(new Error('canceled'))
  await expect(running).rejects.toThrow('canceled')
})

test('segments that wait for their turn are read only as far as the bytes are reserved', async () => {
  const { origin, egress } = await anOrigin()
  const size = 3_000_000
  const segments = numbered(8, (i) => `${origin.url}/generated/${size}.mp4?chunked&i=${i}`).map(plain)
  const counted = withByteCount(egress)
  const limit = 2_000_000
  let reserved = 0
  const refused = new AbortController()
  const reserve = async (bytes: number) => {
    reserved += bytes
    if (reserved > limit) {
      refused.abort(new Error('no more is agreed'))
      await new Promise(() => {})
    }
  }
  const sink = { ...(await aSink()), reserve }
  const transport = { kind: 'segments' as const, segments, headers: {} }
  const running = downloadSegments(transport, sink, { egress: counted.egress, signal: refused.signal, retryPolicy })
  await expect(Promise.race([running, rejection(refused.signal)])).rejects.toThrow('no more is agreed')
  const oneRead = 512 * 1024
  expect(counted.receivedBytes()).toBeLessThan(limit + 6 * oneRead)
})

const rejection = (signal: AbortSignal) =>
  new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason), { once: true }))

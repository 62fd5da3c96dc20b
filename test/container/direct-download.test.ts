import { describe, expect, test } from 'vitest'
import { downloadFile } from '../../container/source/transfer/file.ts'
import type { DownloadOptions } from '../../container/source/transfer/limits.ts'
import type { OriginRequest } from '../origin/origin.ts'
import { anOrigin, aSink, patience, sha256OfFixture, sha256OfGenerated } from './downloading.ts'

const fileBytes = 565_217
const largeBytes = 20_000_000
const large = `/generated/${largeBytes}.mp4`

async function downloaded(path: string, options: DownloadOptions & { headers?: Record<string, string> } = {}) {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  const { headers = {}, ...rest } = options
  const transport = { kind: 'file' as const, url: origin.url + path, headers }
  const result = downloadFile(transport, egress, sink, AbortSignal.timeout(20_000), { patience, ...rest })
  const outcome = await result.catch((error) => error)
  return { outcome, sink, requests: origin.requests }
}

const ranges = (requests: OriginRequest[]) => requests.map(({ headers }) => headers.range)

test('a small file costs one request', async () => {
  const { outcome, sink, requests } = await downloaded('/media/faststart.mp4')
  expect(outcome).toEqual({ sizeBytes: fileBytes, filename: null, contentType: 'video/mp4' })
  expect(await sink.sha256()).toBe(await sha256OfFixture('faststart.mp4'))
  expect(sink.announced).toEqual([fileBytes])
  expect(requests).toHaveLength(1)
})

test('a large file is read in ranges, each byte once, and only while it is the same file', async () => {
  const { outcome, sink, requests } = await downloaded(large)
  expect(outcome).toMatchObject({ sizeBytes: largeBytes })
  expect(await sink.sha256()).toBe(await sha256OfGenerated(largeBytes))
  expect(sink.writtenBytes()).toBe(largeBytes)
  expect(ranges(requests)[0]).toBe('bytes=0-1048575')
  expect(requests).toHaveLength(5)
  expect(requests.slice(1).every(({ headers }) => headers['if-range'] === `"generated-${largeBytes}-0"`)).toBe(true)
})

test.each([
  'noRange',
  'chunked',
  'gzip',
  'redirect=5',
  'type=text/html',
  'slowFirstByteMs=100',
  'validator=none',
  'validator=weak',
  'validator=date',
  'status=503&times=2',
  'status=429&retryAfter=0&times=1',
  'cutAfter=100000',
  'cutAfter=100000&times=3',
  'cutAfter=100000&validator=none',
  'cutAfter=100000&noRange',
  'cutAfter=100000&noRange&validator=none',
  'cutAfter=100000&chunked',
  'cutAfter=0',
  'stallAfter=100000',
  'stallAfter=100000&noRange',
  'stallAfter=0',
  'wrongRange&cutAfter=100000',
])('an origin that answers with ?%s is read to the last byte', async (query) => {
  const { outcome, sink } = await downloaded(`/media/faststart.mp4?${query}`)
  expect(outcome).toMatchObject({ sizeBytes: fileBytes })
  expect(await sink.sha256()).toBe(await sha256OfFixture('faststart.mp4'))
  expect(sink.writtenBytes()).toBe(fileBytes)
})

test.each([
  'noRange',
  'chunked',
  'redirect=2',
  'validator=none',
  'validator=weak',
  'validator=date',
  'cutAfter=3000000&times=always',
  'cutAfter=3000000&times=always&validator=none',
  'cutAfter=500000&times=7',
  'stallAfter=2000000&times=4',
  'maxParallel=1',
  'maxParallel=2',
  'wrongRange',
])('a large file of an origin that answers with ?%s is the same to the last byte', async (query) => {
  const { outcome, sink } = await downloaded(`${large}?${query}`)
  expect(outcome).toMatchObject({ sizeBytes: largeBytes })
  expect(await sink.sha256()).toBe(await sha256OfGenerated(largeBytes))
})

test('after a cut only the rest is asked for, and only of the same file', async () => {
  const { requests } = await downloaded('/media/faststart.mp4?cutAfter=100000')
  const [first, rest, ...more] = ranges(requests)
  expect([first, more]).toEqual(['bytes=0-1048575', []])
  // Where exactly is the network's: bytes that the cut overtakes are lost, as they would be in the open.
  const from = Number(/^bytes=(\d+)-$/.exec(String(rest))?.[1])
  expect(from).toBeGreaterThan(0)
  expect(from).toBeLessThanOrEqual(100_000)
  expect(requests[1]?.headers['if-range']).toMatch(/^".+"$/)
})

test('headers of the platform are sent with every request', async () => {
  const headers = { Referer: 'https://page.example/' }
  const { outcome, requests } = await downloaded(`${large}?needReferer=page.example`, { headers })
  expect(outcome).toMatchObject({ sizeBytes: largeBytes })
  expect(requests.every((request) => request.headers.referer === headers.Referer)).toBe(true)
})

describe('a download fails and says why', () => {
  test.each([
    ['a length that is more than there is', '/media/faststart.mp4?lieLength=1000000', 'SOURCE_TRUNCATED'],
    ['such a length without ranges', '/media/faststart.mp4?lieLength=1000000&noRange', 'SOURCE_TRUNCATED'],
    ['a total that is less than the range', '/media/faststart.mp4?lieLength=100000', 'SOURCE_TRUNCATED'],
    ['a cut at the same byte each time', '/media/faststart.mp4?cutAfter=1000&noRange&times=always', 'SOURCE_TRUNCATED'],
    [
      'a cut of a chunked body each time',
      '/media/faststart.mp4?cutAfter=1000&chunked&times=always',
      'SOURCE_TRUNCATED',
    ],
    ['cuts that leave next to nothing', '/media/faststart.mp4?cutAfter=1000&times=always', 'SOURCE_TRUNCATED'],
    ['a stall each time', '/media/faststart.mp4?stallAfter=1000&noRange&times=always', 'SOURCE_TRUNCATED'],
    ['another file after a cut', `${large}?cutAfter=100000&etagChanges=1`, 'SOURCE_TRUNCATED'],
    ['another file that ignores If-Range', `${large}?cutAfter=100000&etagChanges=1&ignoreIfRange`, 'SOURCE_TRUNCATED'],
    [
      'another file that nothing but its bytes tells apart',
      `${large}?cutAfter=2000000&noRange&validator=none&etagChanges=1`,
      'SOURCE_TRUNCATED',
    ],
    ['too many redirects', '/media/faststart.mp4?redirect=6', 'SOURCE_UNREACHABLE'],
    ['a redirect inside', '/media/faststart.mp4?redirectTo=http%3A%2F%2F127.0.0.1%3A1%2F', 'SOURCE_UNREACHABLE'],
    ['no such file', '/media/nothing.mp4', 'SOURCE_NOT_FOUND'],
    ['a file that is gone', '/media/faststart.mp4?status=410', 'SOURCE_NOT_FOUND'],
    ['an origin that refuses', '/media/faststart.mp4?needReferer=', 'SOURCE_BLOCKED'],
    ['an origin that is busy for good', '/media/faststart.mp4?status=429', 'SOURCE_RATE_LIMITED'],
    ['an origin that is broken for good', '/media/faststart.mp4?status=500', 'SOURCE_UNREACHABLE'],
  ])('%s', async (_what, path, code) => {
    const { outcome, requests } = await downloaded(path)
    expect(outcome).toMatchObject({ code })
    expect(requests.length).toBeLessThan(12)
  })

  test.each(['', '?chunked', '?noRange'])('a file above the limit, %s', async (query) => {
    const { outcome, sink } = await downloaded(`${large}${query}`, { maxBytes: 5_000_000 })
    expect(outcome).toMatchObject({ code: 'MEDIA_TOO_LARGE' })
    expect(sink.writtenBytes()).toBeLessThanOrEqual(5_000_000)
  })
})

test('a download that is called off ends at once with the reason', async () => {
  const { origin, egress } = await anOrigin()
  const called = new AbortController()
  const sink = await aSink()
  const write = sink.write
  sink.write = async (bytes, offset) => {
    await write(bytes, offset)
    if (sink.writtenBytes() > 3_000_000) called.abort(new Error('canceled'))
  }
  const transport = { kind: 'file' as const, url: `${origin.url}/generated/300000000.mp4`, headers: {} }
  await expect(downloadFile(transport, egress, sink, called.signal)).rejects.toThrow('canceled')
  expect(sink.writtenBytes()).toBeLessThan(10_000_000)
})

test('a sink that fails ends the download with its own error', async () => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  sink.write = async () => {
    throw new Error('disk full')
  }
  const transport = { kind: 'file' as const, url: origin.url + large, headers: {} }
  await expect(downloadFile(transport, egress, sink, AbortSignal.timeout(5_000))).rejects.toThrow('disk full')
})

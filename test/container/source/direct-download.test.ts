import { expect, test } from 'vitest'
import { downloadFile } from '../../../container/source/download.ts'
import { sizeOfFixture } from '../../doubles/origin/fixtures.ts'
import type { OriginRequest } from '../../doubles/origin/origin.ts'
import { anOrigin, aSink, downloadedFile, never, sha256OfFixture, sha256OfGenerated } from './downloading.ts'

const fileBytes = sizeOfFixture('faststart.mp4')
const largeBytes = 20_000_000
const large = `/generated/${largeBytes}.mp4`

const ranges = (requests: OriginRequest[]) => requests.map(({ headers }) => headers.range)

test('a small file takes one request', async () => {
  const { outcome, sink, requests } = await downloadedFile('/media/faststart.mp4')
  expect(outcome).toBe(fileBytes)
  expect(await sink.sha256()).toBe(await sha256OfFixture('faststart.mp4'))
  expect(sink.announced).toEqual([fileBytes])
  expect(requests).toHaveLength(1)
})

test('a large file is read in ranges, each byte once, with If-Range', async () => {
  const { outcome, sink, requests } = await downloadedFile(large)
  expect(outcome).toBe(largeBytes)
  expect(await sink.sha256()).toBe(await sha256OfGenerated(largeBytes))
  expect(sink.writtenBytes()).toBe(largeBytes)
  expect(ranges(requests)[0]).toBe('bytes=0-1048575')
  expect(requests).toHaveLength(5)
  expect(requests.slice(1).every(({ headers }) => headers['if-range'] === `"generated-${largeBytes}-0"`)).toBe(true)
})

test.each([
  ...['noRange', 'chunked', 'gzip', 'redirect=5', 'type=text/html', 'slowFirstByteMs=100', 'validator=none'],
  ...['validator=weak', 'validator=date', 'status=503&times=2', 'status=429&retryAfter=0&times=1', 'cutAfter=100000'],
  ...['cutAfter=100000&times=3', 'cutAfter=100000&validator=none', 'cutAfter=100000&noRange'],
  ...['cutAfter=100000&noRange&validator=none', 'cutAfter=100000&chunked', 'cutAfter=0', 'stallAfter=100000'],
  ...['stallAfter=100000&noRange', 'stallAfter=0', 'wrongRange&cutAfter=100000'],
])('with the fault ?%s, a file is read to the last byte', async (query) => {
  const { outcome, sink } = await downloadedFile(`/media/faststart.mp4?${query}`)
  expect(outcome).toBe(fileBytes)
  expect(await sink.sha256()).toBe(await sha256OfFixture('faststart.mp4'))
  expect(sink.writtenBytes()).toBe(fileBytes)
})

test.each([
  ...['noRange', 'chunked', 'redirect=2', 'validator=none', 'validator=weak', 'validator=date'],
  ...['cutAfter=3000000&times=always', 'cutAfter=3000000&times=always&validator=none', 'cutAfter=500000&times=7'],
  ...['stallAfter=2000000&times=4', 'maxParallel=1', 'maxParallel=2', 'wrongRange'],
])('with the fault ?%s, a large file is read to the last byte', async (query) => {
  const { outcome, sink } = await downloadedFile(`${large}?${query}`)
  expect(outcome).toBe(largeBytes)
  expect(await sink.sha256()).toBe(await sha256OfGenerated(largeBytes))
})

test('after a cut only the rest is requested, with If-Range', async () => {
  const { requests } = await downloadedFile('/media/faststart.mp4?cutAfter=100000')
  const [first, rest, ...others] = ranges(requests)
  expect([first, others]).toEqual(['bytes=0-1048575', []])
  // Bytes in transit when the connection is cut may be lost, and are requested again.
  const start = Number(/^bytes=(\d+)-$/.exec(rest ?? '')?.[1])
  expect(start).toBeGreaterThan(0)
  expect(start).toBeLessThanOrEqual(100_000)
  expect(requests[1]?.headers['if-range']).toMatch(/^".+"$/)
})

test('the headers that the platform requires are sent with every request', async () => {
  const headers = { Referer: 'https://page.example/' }
  const { outcome, requests } = await downloadedFile(`${large}?needReferer=page.example`, { headers })
  expect(outcome).toBe(largeBytes)
  expect(requests.every((request) => request.headers.referer === headers.Referer)).toBe(true)
})

test('a canceled download stops at once with the reason', async () => {
  const { origin, egress } = await anOrigin()
  const canceled = new AbortController()
  const sink = await aSink()
  const write = sink.write
  sink.write = async (bytes, offset) => {
    await write(bytes, offset)
    if (sink.writtenBytes() > 3_000_000) canceled.abort(new Error('canceled'))
  }
  const transport = { kind: 'file' as const, url: `${origin.url}/generated/300000000.mp4`, headers: {} }
  await expect(downloadFile(transport, sink, { egress, signal: canceled.signal })).rejects.toThrow('canceled')
  expect(sink.writtenBytes()).toBeLessThan(10_000_000)
})

test('an error of the sink ends the download with that error', async () => {
  const { origin, egress } = await anOrigin()
  const sink = await aSink()
  sink.write = async () => {
    throw new Error('disk full')
  }
  const transport = { kind: 'file' as const, url: origin.url + large, headers: {} }
  await expect(downloadFile(transport, sink, { egress, signal: never })).rejects.toThrow('disk full')
})

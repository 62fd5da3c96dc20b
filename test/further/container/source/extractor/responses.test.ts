import type { RequestListener } from 'node:http'
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { html } from '../../../../container/source/extractor/pages.ts'
import { extractorSite, never } from '../../../../container/source/extractor/site.ts'

const MB = 1_000_000
const page = html('<title>A page</title><video><source src="/v.mp4" type="video/mp4"></video>')
/** A page of about this size, with its video at the beginning. */
const pageOf = (bytes: number) => Buffer.from(page + ' '.repeat(bytes))
const sends =
  (body: Uint8Array, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': 'text/html', ...headers }).end(body)
const encoded = (encoding: string, body: Uint8Array) => sends(body, { 'content-encoding': encoding })
const playlist = Buffer.from(`#EXTM3U\n${'#EXT-X-SESSION-KEY:METHOD=NONE\n'.repeat(500_000)}`)

/** Twenty megabytes of page in twenty kilobytes. */
const bomb = gzipSync(pageOf(20 * MB))

const site = extractorSite({
  '/plain': sends(pageOf(0)),
  '/gzip': encoded('gzip', gzipSync(pageOf(9 * MB))),
  '/deflate': encoded('deflate', deflateSync(pageOf(0))),
  '/raw-deflate': encoded('deflate', deflateRawSync(pageOf(0))),
  '/twice': encoded('deflate, gzip', gzipSync(deflateSync(pageOf(0)))),
  '/identity': encoded('identity', pageOf(0)),
  '/large': sends(pageOf(11 * MB)),
  '/gzip-bomb': encoded('gzip', bomb),
  '/deflate-bomb': encoded('deflate', deflateRawSync(pageOf(20 * MB))),
  '/bomb-in-a-bomb': encoded('gzip, gzip', gzipSync(bomb)),
  '/brotli': encoded('br', brotliCompressSync(pageOf(0))),
  '/thrice': encoded('gzip, gzip, gzip', gzipSync(gzipSync(gzipSync(pageOf(0))))),
  '/manifest-bomb.m3u8': sends(gzipSync(playlist), {
    'content-type': 'application/vnd.apple.mpegurl',
    'content-encoding': 'gzip',
  }),
  '/redirects-with-a-large-body': (_, response) => response.writeHead(302, { location: '/plain' }).end(pageOf(11 * MB)),
})

test.each(['/plain', '/gzip', '/deflate', '/raw-deflate', '/twice', '/identity'])('%s is read', async (path) => {
  expect((await site.extract(path)).renditions).toMatchObject([{ transport: { url: `${site.origin}/v.mp4` } }])
})

test.each([
  ...['/large', '/gzip-bomb', '/deflate-bomb', '/bomb-in-a-bomb', '/thrice', '/manifest-bomb.m3u8'],
  '/redirects-with-a-large-body',
])('of %s no more than 10 MB are read, and the source is unsupported', async (path) => {
  await expect(site.extract(path)).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
})

/** As curl reads them. It decodes any number of encodings, and ignores the body of a redirect. */
const asBrowser = (path: string) => {
  const egress = { ...site.egress, access: { route: 0, asBrowser: true } }
  return site.extractor.extract(site.origin + path, egress, never)
}

test.each(['/plain', '/twice', '/brotli'])('%s is read as by a browser', async (path) => {
  expect((await asBrowser(path)).renditions).toMatchObject([{ transport: { url: `${site.origin}/v.mp4` } }])
})

test.each(['/large', '/bomb-in-a-bomb'])(
  'as by a browser, of %s no more than 10 MB are read, and the source is unsupported',
  async (path) => {
    await expect(asBrowser(path)).rejects.toMatchObject({ code: 'SOURCE_UNSUPPORTED' })
  },
)

import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { configOf } from '../../worker/env.ts'
import { announcedSize, checkSourceUrl, createOutbound } from '../../worker/outbound.ts'
import { type ApiResponse, FILM, newCaller } from './support/caller.ts'
import { shortenTimeouts } from './support/clock.ts'

const caller = await newCaller(100)
const start = (url: string): Promise<ApiResponse> => caller.post('/import', { url })
const cancelAll = async () => {
  for (const { jobId } of (await caller.get('/jobs')).body.data.jobs) await caller.delete(`/jobs/${jobId}`)
}

/**
 * These all get the same response, so that callers cannot map our network or the contents of a bucket. Which hosts are
 * public: test/rules/domain/network/addresses.test.ts.
 */
const unreachable = [
  'https://nowhere.example/',
  'https://inside.example/',
  'https://refused.example/',
  'https://status.example/404',
  'https://status.example/410',
  'http://localhost/',
  'http://metadata.google.internal/computeMetadata/v1/',
  'http://127.0.0.1:1/health',
  'http://127.1/',
  'http://%31%32%37.0.0.1/',
  'http://169.254.169.254/latest/meta-data/',
  'http://[::ffff:127.0.0.1]/',
  'http://[2001:4860:4860::5efe:7f00:1]/',
  'https://moved.example/1/http://169.254.169.254/latest/meta-data/',
  'https://moved.example/2/http://[::1]/',
  'https://moved.example/1/http://localhost/',
  'https://moved.example/1/https://me:secret@media.example/',
  'https://moved.example/1/ftp://media.example/',
  'https://moved.example/1/https://',
  'https://moved.example/1/https://status.example/404',
  `https://moved.example/6/${FILM}`,
]

test.each(unreachable)('%s is UNREACHABLE_URL, without further details', async (url) => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const { status, headers, body } = await start(url)
  expect(status).toBe(400)
  expect(body).toEqual({
    success: false,
    error: 'The URL could not be reached.',
    code: 'UNREACHABLE_URL',
    requestId: headers.get('x-request-id'),
  })
  const headerNames = [...headers.keys()].filter((name) => !name.startsWith('x-ratelimit'))
  expect(headerNames).toEqual(['content-type', 'x-api-version', 'x-content-type-options', 'x-request-id'])
})

test('a source that does not respond within five seconds is UNREACHABLE_URL', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const asked = shortenTimeouts(10)
  const { status, body } = await start('https://slow.example/')
  expect([status, body.code, Object.keys(body)]).toEqual([
    400,
    'UNREACHABLE_URL',
    ['success', 'error', 'code', 'requestId'],
  ])
  // Other code in the same runtime asks for timeouts of other lengths.
  expect(asked.filter((ms) => ms === 5_000)).toHaveLength(1)
})

test.each([
  FILM,
  'http://media.example:8080/film.mp4',
  'https://media.example/фильм один.mp4?q=ü',
  'https://münchen.example/film.mp4',
  'http://93.184.216.34/film.mp4',
  'http://[2606:2800:220:1:248:1893:25c8:1946]/film.mp4',
  'https://page.example/watch',
  'https://status.example/403',
  'https://status.example/503',
  `https://moved.example/5/${FILM}`,
])('%s is reachable, so a job is started', async (url) => {
  const { status, body } = await start(url)
  expect([status, body.data?.status]).toEqual([202, 'queued'])
  await cancelAll()
})

test.each(['https://refused.proxied.example/', 'https://moved.example/1/https://refused.proxied.example/'])(
  '%s does not answer this Worker, but its source proxy may reach it, so a job is started',
  async (url) => {
    const { status, body } = await start(url)
    expect([status, body.data?.status]).toEqual([202, 'queued'])
    await cancelAll()
  },
)

test('so may a source with a proxy that does not answer in time', async () => {
  shortenTimeouts(10)
  expect((await start('https://slow.proxied.example/')).status).toBe(202)
  await cancelAll()
})

test('a source with a proxy that answers 404 is UNREACHABLE_URL like any other', async () => {
  expect((await start('https://status.proxied.example/404')).body.code).toBe('UNREACHABLE_URL')
})

test('on Cloudflare, the Worker knows whether a URL has a source proxy', async () => {
  const byHost = 'a.example=socks5://user:password@proxy.example direct.a.example=direct'
  const config = { ...configOf(env), engineUrls: [], sourceProxies: { url: '', byHost } }
  const has = (url: string) => createOutbound(config).hasSourceProxy(new URL(url))
  expect([await has('https://b.a.example/'), await has('https://direct.a.example/')]).toEqual([true, false])
})

test('settings of source proxies that containers refuse stop no request of the Worker', async () => {
  const config = { ...configOf(env), engineUrls: [], sourceProxies: { url: 'nonsense', byHost: '' } }
  expect(await createOutbound(config).hasSourceProxy(new URL('https://a.example/'))).toBe(false)
})

test('if no container can check the address, nothing is said of the URL', async () => {
  const outbound = createOutbound({ ...configOf(env), engineUrls: ['http://refused.example'] })
  await expect(checkSourceUrl(outbound, FILM)).rejects.toThrow('no container answered')
})

const sizeOf = (status: number, headers: Record<string, string>) => announcedSize(new Response('', { status, headers }))
const video = { 'content-type': 'video/mp4' }

test.each([
  ['a range of a file', 206, { ...video, 'content-range': 'bytes 0-1023/15342100' }, 15_342_100],
  ['a file as a whole', 200, { ...video, 'content-length': '15342100' }, 15_342_100],
  ['audio', 200, { 'content-type': 'audio/mpeg', 'content-length': '7' }, 7],
  ['an octet stream', 200, { 'content-type': 'application/octet-stream', 'content-length': '7' }, 7],
  ['an uppercase type', 200, { 'content-type': 'Video/MP4; codecs="avc1"', 'content-length': '7' }, 7],
  ['an empty file', 200, { ...video, 'content-length': '0' }, 0],
  ['a range of a file of unknown size', 206, { ...video, 'content-range': 'bytes 0-1023/*' }, null],
  ['a range without Content-Range', 206, { ...video, 'content-length': '1024' }, null],
  ['a file of unknown length', 200, video, null],
  ['a page', 200, { 'content-type': 'text/html', 'content-length': '5000' }, null],
  ['a playlist', 200, { 'content-type': 'application/vnd.apple.mpegurl', 'content-length': '500' }, null],
  ['a playlist with an audio type', 200, { 'content-type': 'audio/mpegurl', 'content-length': '500' }, null],
  ['a playlist with another audio type', 200, { 'content-type': 'audio/x-mpegurl', 'content-length': '500' }, null],
  ['a manifest', 200, { 'content-type': 'application/dash+xml', 'content-length': '500' }, null],
  ['a compressed body', 200, { ...video, 'content-encoding': 'gzip', 'content-length': '500' }, null],
  ['no type', 200, { 'content-length': '500' }, null],
  ['an error with a length', 403, { ...video, 'content-length': '500' }, null],
  ['a negative length', 200, { ...video, 'content-length': '-5' }, null],
  ['an absurd length', 200, { ...video, 'content-length': '9'.repeat(30) }, null],
  ['a length that is not a number', 200, { ...video, 'content-length': 'long' }, null],
])('the announced size of %s', (_, status, headers, size) => expect(sizeOf(status, headers)).toBe(size))

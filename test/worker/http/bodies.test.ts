import { expect, test } from 'vitest'
import { FILM, newCaller } from './caller.ts'

test.each([
  ['no body', ''],
  ['half of a body', '{"url":'],
  ['no JSON', 'url=https://media.example/'],
])('%s is INVALID_JSON', async (_, body) => {
  const { status, body: answered } = await (await newCaller()).post('/import', body)
  expect([status, answered.code]).toEqual([400, 'INVALID_JSON'])
})

const invalid: [string, unknown, string][] = [
  ['a body that is null', null, ''],
  ['a body that is a list', [], ''],
  ['no url', {}, 'url'],
  ['a url that is a number', { url: 7 }, 'url'],
  ['an empty url', { url: '' }, 'url'],
  ['a url that is none', { url: 'media.example/film.mp4' }, 'url'],
  ['a url without slashes', { url: 'https:media.example' }, 'url'],
  ['a url with too many slashes', { url: 'https:///media.example' }, 'url'],
  ['a url with backslashes', { url: 'https:\\\\media.example' }, 'url'],
  ['a url with a newline inside', { url: 'https://media.exa\nmple/' }, 'url'],
  ['a url without a host', { url: 'https://' }, 'url'],
  ['ftp:', { url: 'ftp://media.example/film.mp4' }, 'url'],
  ['file:', { url: 'file:///etc/passwd' }, 'url'],
  ['data:', { url: 'data:video/mp4;base64,AAAA' }, 'url'],
  ['javascript:', { url: 'javascript:alert(1)' }, 'url'],
  ['a url that is too long', { url: `${FILM}?${'x'.repeat(4_096)}` }, 'url'],
  ['a url with a user', { url: 'https://me@media.example/' }, 'url'],
  ['a url with a password', { url: 'https://me:secret@media.example/' }, 'url'],
  ['a typo', { url: FILM, storeagePath: 'films' }, 'storeagePath'],
  ['a field of another endpoint', { url: FILM, provider: 'builtin' }, 'provider'],
  ['a field of all objects', '{"url":"https://media.example/","__proto__":{"store":true}}', '__proto__'],
  ['both includes false', { url: FILM, includeVideo: false, includeAudio: false }, 'includeAudio'],
  ['a boolean as text', { url: FILM, includeVideo: 'false' }, 'includeVideo'],
  ['null for a boolean', { url: FILM, store: null }, 'store'],
  ['an unknown videoQuality', { url: FILM, videoQuality: '1081p' }, 'videoQuality'],
  ['an unknown audioQuality', { url: FILM, audioQuality: 'loud' }, 'audioQuality'],
  ['an unknown storageClass', { url: FILM, storageClass: 'COLD' }, 'storageClass'],
  ['a path that leaves its place', { url: FILM, storagePath: '../other' }, 'storagePath'],
  ['a file name that is too long', { url: FILM, storageFilename: 'x'.repeat(241) }, 'storageFilename'],
  ['a file name with a slash', { url: FILM, storageFilename: 'a/b' }, 'storageFilename'],
  ['a bucket with an illegal name', { url: FILM, storageBucket: 'My Bucket' }, 'storageBucket'],
  ['a webhookUrl that is none', { url: FILM, webhookUrl: 'receiver' }, 'webhookUrl'],
  ['a webhookUrl that is private', { url: FILM, webhookUrl: 'http://10.0.0.1/hook' }, 'webhookUrl'],
  [
    'a webhookUrl that resolves to a private address',
    { url: FILM, webhookUrl: 'https://inside.example/' },
    'webhookUrl',
  ],
]

test.each(invalid)('%s is INVALID_REQUEST and the detail names the place', async (_, body, path) => {
  const caller = await newCaller()
  const { status, body: answered } = await caller.post('/import', body === null ? 'null' : body)
  expect([status, answered.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(answered.details).toContainEqual({ path, message: expect.stringMatching(/\w/) })
  expect((await caller.get('/jobs')).body.data.jobs).toEqual([])
})

test('every mistake of a body is told at once', async () => {
  const { body } = await (await newCaller()).post('/import', { url: 'x', store: 1, storeagePath: 'films' })
  expect(body.details.map(({ path }: { path: string }) => path).sort()).toEqual(['store', 'storeagePath', 'url'])
})

test('64 KiB is the most that a body may have, whether its length was announced or not', async () => {
  const caller = await newCaller()
  const least = JSON.stringify({ url: FILM, x: '' }).length
  const sized = (bytes: number) => JSON.stringify({ url: FILM, x: 'x'.repeat(bytes - least) })
  expect((await caller.post('/import', sized(65_536))).body.code).toBe('INVALID_REQUEST')
  const { status, body } = await caller.post('/import', sized(65_537))
  expect([status, body.code]).toEqual([413, 'BODY_TOO_LARGE'])
})

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json ;',
  'application/vnd.x-1+json',
])('a body may come as %s', async (contentType) => {
  const { status } = await (await newCaller()).post('/import', { url: FILM }, { 'content-type': contentType })
  expect(status).toBe(202)
})

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'text/json',
])('a body that comes as %s is refused', async (contentType) => {
  const { status, body } = await (await newCaller()).post('/import', { url: FILM }, { 'content-type': contentType })
  expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
})

const gzipped = new Response(
  new Response(JSON.stringify({ url: FILM })).body?.pipeThrough(new CompressionStream('gzip')),
).bytes()

test.each(['gzip', 'br', 'GZIP', 'identity, gzip', 'aes128gcm'])(
  'a body in %s is refused, and the sentence says why',
  async (encoding) => {
    const caller = await newCaller()
    const headers = { 'content-encoding': encoding }
    for (const sent of [await gzipped, { url: FILM }]) {
      const { status, headers: told, body } = await caller.post('/import', sent, headers)
      expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
      expect([body.error, told.get('accept-encoding')]).toEqual([
        'Send the body as it is, without Content-Encoding.',
        'identity',
      ])
    }
    expect((await caller.post('/import', 'x', headers)).headers.get('x-ratelimit-remaining')).toBe('237')
  },
)

test.each(['identity', 'Identity', ''])('a body whose encoding is "%s" is plain', async (encoding) => {
  const { status } = await (await newCaller()).post('/import', { url: FILM }, { 'content-encoding': encoding })
  expect(status).toBe(202)
})

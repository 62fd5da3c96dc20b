import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test } from 'vitest'
import { RETENTION_DAYS } from '../../../../domain/limits.ts'
import { mediaKey, thumbnailKey } from '../../../../domain/media/media-keys.ts'
import { DAY_MS } from '../../../../domain/time.ts'
import { mediaLink } from '../../../../worker/media/links.ts'
import {
  type Caller,
  callApi,
  completed,
  mediaLinkKey,
  namesIn,
  newCaller,
  numbered,
  ORIGIN,
  path,
  send,
  started,
} from '../../support/caller.ts'
import { eventually, expectWithinSeconds, runAlarm, skip, timed } from '../../support/clock.ts'

const caller = await newCaller(100)
const bytes = numbered(1_000)

const linksOf = async (jobId: string, who: Caller = caller) => {
  const { result } = (await who.get(`/import/status?id=${jobId}`)).body.data
  return { media: path(result.mediaUrl), thumbnail: path(result.thumbnailUrl), result }
}

const { value: film, span: made } = await timed(() => completed(caller, { bytes }))
const { media, thumbnail } = await linksOf(film)
const get = (link: string, headers: Record<string, string> = {}) => callApi('GET', link, { headers })

test('a link works without a key', async () => {
  const { status, headers, bytes: served } = await get(media)
  expect(status).toBe(200)
  expect(served).toEqual(bytes)
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'video/mp4',
    'content-length': '1000',
    'content-disposition': 'inline; filename=film.mp4',
    'accept-ranges': 'bytes',
    'x-content-type-options': 'nosniff',
    'content-security-policy': expect.stringContaining('sandbox'),
    'access-control-allow-origin': '*',
    etag: expect.stringMatching(/^"[^"]+"$/),
  })
})

test('a file is privately cacheable until its link expires', async () => {
  const { value, span: read } = await timed(() => get(media))
  const [, seconds] = /^private, max-age=(\d+)$/.exec(value.headers.get('cache-control') ?? '') ?? []
  const expires = Number(new URL(media, ORIGIN).searchParams.get('expires'))
  expectWithinSeconds(expires, made, 7 * 24 * 3_600)
  expectWithinSeconds(expires - Number(seconds), read)
})

test('a thumbnail is a JPEG', async () => {
  const { status, headers, bytes: served } = await get(thumbnail)
  expect([status, headers.get('content-type'), served.byteLength]).toEqual([200, 'image/jpeg', 50])
})

test('every read of a job returns the same links', async () => {
  const reads = [await linksOf(film), await linksOf(film)]
  const other = (await caller.get(`/jobs/${film}`)).body.data.result
  expect(reads[1]).toEqual(reads[0])
  expect([path(other.mediaUrl), path(other.thumbnailUrl)]).toEqual([media, thumbnail])
})

test('HEAD returns the headers of GET without the body', async () => {
  const head = await send('HEAD', media)
  const full = await send('GET', media)
  for (const name of [
    'content-type',
    'content-length',
    'etag',
    'accept-ranges',
    'content-disposition',
    'last-modified',
  ]) {
    expect([name, head.headers.get(name)]).toEqual([name, full.headers.get(name)])
  }
  expect([head.status, await head.text()]).toEqual([200, ''])
  await full.body?.cancel()
  const ranged = await callApi('HEAD', media, { headers: { range: 'bytes=0-9' } })
  expect([ranged.status, ranged.headers.get('content-length')]).toEqual([200, '1000'])
})

/** What a range means: range.test.ts. */
test.each([
  ['bytes=0-499', 0, 500],
  ['bytes=500-', 500, 1_000],
  ['bytes=-1', 999, 1_000],
])('%s returns that range', async (range, from, to) => {
  const { status, headers, bytes: served } = await get(media, { range })
  expect(status).toBe(206)
  expect(headers.get('content-range')).toBe(`bytes ${from}-${to - 1}/1000`)
  expect(headers.get('content-length')).toBe(`${to - from}`)
  expect(served).toEqual(bytes.slice(from, to))
})

test('several ranges are ignored, and one after the end is a 416 with the size', async () => {
  const several = await get(media, { range: 'bytes=0-1,5-6' })
  expect([several.status, several.bytes.byteLength]).toEqual([200, 1_000])
  const { status, headers, body } = await get(media, { range: 'bytes=1000-' })
  expect([status, headers.get('content-range'), body.code]).toEqual([416, 'bytes */1000', 'RANGE_NOT_SATISFIABLE'])
})

test('a file that the caller has is a 304, also of a range', async () => {
  const etag = (await get(media)).headers.get('etag') ?? ''
  for (const range of [{}, { range: 'bytes=0-9' }]) {
    const { status, headers, bytes: served } = await get(media, { 'if-none-match': etag, ...range })
    expect([status, headers.get('etag'), served.byteLength]).toEqual([304, etag, 0])
  }
  expect((await get(media, { 'if-none-match': '"other"' })).status).toBe(200)
})

test('a range with If-Range is returned only if the file is unchanged', async () => {
  const etag = (await get(media)).headers.get('etag') ?? ''
  const goOn = async (ifRange: string) => (await get(media, { range: 'bytes=500-', 'if-range': ifRange })).status
  expect([await goOn(etag), await goOn('"other"')]).toEqual([206, 200])
})

test.each([
  ['plain.mp3', 'audio/mpeg', 'inline; filename=plain.mp3'],
  [
    'Überfahrt nach 東京.webm',
    'video/webm',
    'inline; filename="?berfahrt nach ??.webm"; filename*=UTF-8\'\'%C3%9Cberfahrt%20nach%20%E6%9D%B1%E4%BA%AC.webm',
  ],
  ['100% (a&b) #1; "quoted" 50%25.mkv', 'video/x-matroska', expect.stringContaining('\\"quoted\\"')],
  ['strange.xyz', 'application/octet-stream', 'inline; filename=strange.xyz'],
])('a file named %s is served as %s with its name', async (filename, contentType, disposition) => {
  const links = await linksOf(await completed(caller, { filename, contentType }))
  const { status, headers } = await get(links.media)
  expect(status).toBe(200)
  expect(headers.get('content-type')).toBe(contentType)
  expect(headers.get('content-disposition')).toEqual(disposition)
})

test.each(['audio/webm', 'video/webm'])('WebM has the content type that was stored: %s', async (contentType) => {
  const links = await linksOf(await completed(caller, { filename: 'it.webm', contentType, storedType: contentType }))
  expect((await get(links.media)).headers.get('content-type')).toBe(contentType)
  expect(links.result.contentType).toBe(contentType)
})

test('the content type from the source is not served', async () => {
  const { headers } = await get(media)
  expect((await env.MEDIA.head(mediaKey(film, await namesIn(film))))?.httpMetadata?.contentType).toBe('text/html')
  expect(headers.get('content-type')).toBe('video/mp4')
})

/** Each row replaces a part of the link. Others: links.test.ts. */
test.each<[string, string | RegExp, string]>([
  ['another job', film, 'imp_01m7y00000000000000000000'],
  ['another name', 'film.mp4', 'film.html'],
  ['the thumbnail', 'film.mp4', 'thumbnail.jpg'],
  ['a later expiry', /expires=1/, 'expires=2'],
  ['no expiry', /expires=\d+&/, ''],
  ['two expiries', /expires=/, 'expires=1&expires='],
  ['no signature', /&signature=.*/, ''],
  ['another attempt', 'signature=1.', 'signature=2.'],
])('a link with %s is not valid', async (_, part, instead) => {
  const { status, body } = await get(media.replace(part, instead))
  expect([status, body.code]).toEqual([403, 'SIGNATURE_INVALID'])
})

test.each(['&download=1', '&expires=1'])(
  'additional query parameters such as %s are ignored, because players add them',
  async (more) => {
    expect((await get(media + more)).status).toBe(200)
  },
)

test('a link expires on time, even if the file is still stored', async () => {
  const link = { jobId: film, filename: 'film.mp4', attempt: 1, expiresAt: Date.now() - 1_000 }
  const { status, body } = await get(path(await mediaLink(await mediaLinkKey(), ORIGIN, link)))
  expect([status, body.code]).toEqual([410, 'MEDIA_EXPIRED'])
})

test('after seven days the file and thumbnail are deleted, and the job stays', async () => {
  const owner = await newCaller()
  const jobId = await completed(owner)
  const links = await linksOf(jobId, owner)
  skip(RETENTION_DAYS * DAY_MS)
  await runAlarm(owner.account)
  await eventually(async () => {
    expect(await env.MEDIA.head(mediaKey(jobId, await namesIn(jobId)))).toBeNull()
    expect(await env.MEDIA.head(thumbnailKey(jobId, await namesIn(jobId)))).toBeNull()
  })
  for (const link of [links.media, links.thumbnail]) {
    const { status, body } = await get(link)
    expect([status, body.code]).toEqual([410, 'MEDIA_EXPIRED'])
  }
  expect((await owner.get(`/jobs/${jobId}`)).body.data.status).toBe('completed')
})

test('links to removed media are a 410', async () => {
  const owner = await newCaller()
  const jobId = await completed(owner)
  const links = await linksOf(jobId, owner)
  expect((await owner.delete(`/jobs/${jobId}`)).status).toBe(200)
  await eventually(async () => expect(await env.MEDIA.head(mediaKey(jobId, await namesIn(jobId)))).toBeNull())
  for (const link of [links.media, links.thumbnail]) expect((await get(link)).status).toBe(410)
  expect((await callApi('HEAD', links.media)).status).toBe(410)
})

test('a job that has not completed has no link', async () => {
  const owner = await newCaller()
  const jobId = await started(owner)
  expect((await get(`/media/${jobId}/film.mp4`)).status).toBe(403)
})

test('an empty file is served', async () => {
  const links = await linksOf(await completed(caller, { bytes: new Uint8Array() }))
  const { status, headers, bytes: served } = await get(links.media)
  expect([status, headers.get('content-length'), served.byteLength]).toEqual([200, '0', 0])
})

test('the keys of stored files have a secret, which no link and no response contains', async () => {
  const { objects } = await env.MEDIA.list({ prefix: `media/${film}/` })
  const { secret = '' } = await namesIn(film)
  expect(secret).toMatch(/^[\w-]{22}$/)
  expect(objects.map(({ key }) => key)).toEqual([
    `media/${film}/${secret}/1/media`,
    `media/${film}/${secret}/1/thumbnail`,
  ])
  expect((await namesIn(await completed(caller))).secret).not.toBe(secret)
  const read = [`/jobs/${film}`, `/import/status?id=${film}`, '/jobs', '/events?after=0'].map((each) =>
    caller.get(each),
  )
  for (const { headers, body } of [...(await Promise.all(read)), await get(media)]) {
    expect(JSON.stringify([...headers, body])).not.toContain(secret)
  }
  expect(media + thumbnail).not.toContain(secret)
})

test('after a change of HAUL_SECRET files are still deleted', async () => {
  const owner = await newCaller()
  const jobId = await completed(owner)
  const settings = env as { HAUL_SECRET: string }
  const before = settings.HAUL_SECRET
  onTestFinished(() => {
    settings.HAUL_SECRET = before
  })
  settings.HAUL_SECRET = 'another-secret-for-tests'
  skip(RETENTION_DAYS * DAY_MS)
  await runAlarm(owner.account)
  await eventually(async () => expect((await env.MEDIA.list({ prefix: `media/${jobId}/` })).objects).toEqual([]))
})

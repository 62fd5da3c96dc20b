import { createHash } from 'node:crypto'
import type { RequestListener } from 'node:http'
import { gzipSync } from 'node:zlib'
import { describe, expect, test } from 'vitest'
import { followSource } from '../../../../container/source/follow/follow-source.ts'
import { html } from '../extractor/pages.ts'
import { extractorSite, never } from '../extractor/site.ts'

const rss = 'application/rss+xml'
const etag = '"v1"'
const lastModified = 'Thu, 19 Nov 2026 08:30:00 GMT'
const sends =
  (type: string, body: string | Buffer, headers: Record<string, string> = {}): RequestListener =>
  (_, response) =>
    response.writeHead(200, { 'content-type': type, ...headers }).end(body)
const redirects =
  (location: string): RequestListener =>
  (_, response) =>
    response.writeHead(302, { location }).end()
const page = (head: string, body = '') => sends('text/html', `<html><head>${head}</head><body>${body}</body></html>`)
const names = (href: string) => `<link rel="alternate" type="application/rss+xml" href="${href}">`
const feed = (items: string) => `<rss version="2.0"><channel><title>A show</title>${items}</channel></rss>`
const episode = (guid: number, address = `/${guid}.mp3`) =>
  `<item><title>Episode ${guid}</title><guid>${guid}</guid><enclosure url="${address}" type="audio/mpeg"/></item>`
const episodes = (count: number) => Array.from({ length: count }, (_, index) => episode(index)).join('')
const show = feed(episodes(2))
const videos = '<video src="/first.mp4"></video><video src="/second.mp4"></video>'
const video = '<video src="/first.mp4"></video>'

const site = extractorSite({
  '/show.xml': sends(rss, show, { etag, 'last-modified': lastModified }),
  '/gzip.xml': sends(rss, gzipSync(show), { 'content-encoding': 'gzip', etag: 'W/"z"' }),
  '/moved.xml': redirects('/show.xml'),
  '/latest.xml': sends(rss, feed(episode(2, '/latest.mp3') + episode(1, '/latest.mp3'))),
  '/long.xml': sends(rss, feed(episodes(600))),
  '/empty.xml': sends(rss, feed('')),
  '/deep.xml': sends(rss, feed('<a>'.repeat(300))),
  '/cut.xml': sends(rss, feed(episodes(2)).slice(0, -20)),
  '/short.xml': (_, response) => {
    response.writeHead(200, { 'content-type': rss, 'content-length': `${show.length + 1}` }).write(show)
    setImmediate(() => response.destroy())
  },
  '/gone.xml': (_, response) => response.writeHead(410).end(),
  '/blog': page(names('/comments/feed') + names('/show.xml')),
  '/blog/moved/': redirects('/elsewhere/blog'),
  '/elsewhere/blog': page(names('feed.xml')),
  '/elsewhere/feed.xml': sends(rss, show),
  '/videos-and-feed': page(names('/show.xml'), videos),
  '/videos-and-no-feed': page(names('/one'), videos),
  '/videos-and-a-lost-feed': page(names('/missing.xml'), videos),
  '/videos-and-a-cut-feed': page(names('/cut.xml'), videos),
  '/lost-feed': page(names('/missing.xml')),
  '/cut-feed': page(names('/cut.xml')),
  '/video-and-no-feed': page(names('/one'), video),
  '/embeds': page(
    '',
    ['aaaaaaaaaaa', 'bbbbbbbbbbb'].map((id) => `<iframe src="https://www.youtube.com/embed/${id}"></iframe>`).join(''),
  ),
  '/text': sends('text/plain', 'nothing to follow'),
  '/page': sends('text/html', html('<p>Nothing to follow</p>')),
  '/file.mp3': sends('audio/mpeg', Buffer.concat([Buffer.from('ID3\x04'), Buffer.alloc(5_000)])),
})

const quick = { attempts: 1 }
const follow = async (path: string, { feedUrl = null as string | null, withPage = false, limit = 500 } = {}) => {
  const asked = { url: site.origin + path, feedUrl: feedUrl && site.origin + feedUrl, withPage, limit }
  const context = { egress: site.egress, extractor: site.extractor, signal: never, retryPolicy: quick }
  const { list, withheld } = await followSource(asked, context)
  expect(withheld).toBeNull()
  return list
}
const facts = async (path: string) => {
  const { source, feedUrl, items } = await follow(path)
  return [source, feedUrl?.replace(site.origin, '') ?? null, items.map(({ url }) => url.replace(site.origin, ''))]
}

describe('a feed', () => {
  test('is read with what identifies its entries and its document', async () => {
    expect(await follow('/show.xml')).toEqual({
      title: 'A show',
      items: [0, 1].map((index) => ({
        ...{ url: `${site.origin}/${index}.mp3`, title: `Episode ${index}`, durationSeconds: null },
        ...{ guid: `${index}`, publishedAt: null, platformId: null },
      })),
      ...{ source: 'feed', feedUrl: `${site.origin}/show.xml`, isWhole: true, etag, lastModified },
      digest: createHash('sha256').update(show).digest('hex'),
    })
  })

  test('is known by the URL that it was asked for with, and not by the one that it redirects to', async () => {
    expect(await follow('/moved.xml')).toEqual({ ...(await follow('/show.xml')), feedUrl: `${site.origin}/moved.xml` })
  })

  test('has the digest of what was compressed', async () => {
    const { digest, etag } = await follow('/gzip.xml')
    expect([digest, etag]).toEqual([(await follow('/show.xml')).digest, 'W/"z"'])
  })

  test('may have two entries with one URL', async () => {
    expect((await follow('/latest.xml')).items).toMatchObject([
      { url: `${site.origin}/latest.mp3`, guid: '2' },
      { url: `${site.origin}/latest.mp3`, guid: '1' },
    ])
  })

  test('with more entries than the limit is not whole', async () => {
    const { items, isWhole } = await follow('/long.xml')
    expect([items.length, isWhole]).toEqual([500, false])
  })

  test('may be empty', async () => expect(await follow('/empty.xml')).toMatchObject({ items: [], isWhole: true }))

  test.each([
    ['/cut.xml', 'SOURCE_TRUNCATED'],
    ['/short.xml', 'SOURCE_TRUNCATED'],
    ['/deep.xml', 'SOURCE_UNSUPPORTED'],
    ['/gone.xml', 'SOURCE_NOT_FOUND'],
    ['/missing.xml', 'SOURCE_NOT_FOUND'],
  ])('%s fails with %s', async (path, code) => {
    await expect(follow(path)).rejects.toMatchObject({ code })
    await expect(follow('/blog', { feedUrl: path })).rejects.toMatchObject({ code })
  })
})

describe('a page', () => {
  test('that names a feed is followed by it, also if it has videos', async () => {
    const urls = ['/0.mp3', '/1.mp3']
    expect(await facts('/blog')).toEqual(['feed', '/show.xml', urls])
    expect(await facts('/videos-and-feed')).toEqual(['feed', '/show.xml', urls])
  })

  test('that was moved names a feed relative to where it is', async () => {
    expect(await facts('/blog/moved/')).toEqual(['feed', '/elsewhere/feed.xml', ['/0.mp3', '/1.mp3']])
  })

  test.each(['/several', '/videos-and-no-feed', '/videos-and-a-lost-feed', '/videos-and-a-cut-feed'])(
    '%s is a list of its videos',
    async (path) => expect(await facts(path)).toEqual(['page', null, ['/first.mp4', '/second.mp4']]),
  )

  test('has neither validators nor ids of its own files, and is whole if its end was reached', async () => {
    const list = await follow('/several')
    expect(list).toMatchObject({ isWhole: true, etag: null, lastModified: null, digest: null })
    expect(list.items).toMatchObject([{ guid: null, publishedAt: null, platformId: null }, { platformId: null }])
    expect((await follow('/several', { limit: 1 })).isWhole).toBe(false)
  })

  test('has the ids of its videos on their platforms', async () => {
    const { items } = await follow('/embeds')
    expect(items.map(({ platformId }) => platformId)).toEqual(['youtube:aaaaaaaaaaa', 'youtube:bbbbbbbbbbb'])
  })

  test('without a list whose feed is cut off fails with that, because it may be whole later', async () => {
    await expect(follow('/cut-feed')).rejects.toMatchObject({ code: 'SOURCE_TRUNCATED' })
  })
})

describe('a feed that is known', () => {
  test('is read alone', async () => {
    expect(await follow('/missing', { feedUrl: '/show.xml' })).toEqual(await follow('/show.xml'))
  })

  test('is read alone also with the page, if it is not that of a platform', async () => {
    expect(await follow('/several', { feedUrl: '/show.xml', withPage: true })).toEqual(await follow('/show.xml'))
  })

  test.each(['/one', '/page', '/text', '/file.mp3'])(
    'and is no feed any more (%s) is not supported',
    async (feedUrl) => {
      await expect(follow('/blog', { feedUrl })).rejects.toMatchObject(noList)
    },
  )
})

const noList = { code: 'SOURCE_UNSUPPORTED', message: 'This is no feed, channel or playlist.' }

test.each([
  ['/one', noList],
  ['/page', noList],
  ['/text', noList],
  ['/file.mp3', noList],
  ['/master.m3u8', noList],
  ['/dash.mpd', noList],
  ['/deep.xml', noList],
  ['/video-and-no-feed', noList],
  ['/lost-feed', noList],
  ['/status/401', { code: 'SOURCE_PRIVATE' }],
  ['/status/403', { code: 'SOURCE_BLOCKED' }],
  ['/missing', { code: 'SOURCE_NOT_FOUND' }],
  ['/redirect-to-forbidden', { code: 'SOURCE_UNREACHABLE' }],
])('%s fails with %j', async (path, failure) => {
  await expect(follow(path)).rejects.toMatchObject(failure)
  expect(site.forbiddenRequests).toBe(0)
})

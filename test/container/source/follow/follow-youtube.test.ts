import { Response } from 'undici'
import { describe, expect, test } from 'vitest'
import { plainEgress } from '../../../../container/egress/egress.ts'
import { SourceFailure } from '../../../../container/failures.ts'
import { followSource } from '../../../../container/source/follow/follow-source.ts'
import type { PageList } from '../../../../container/source/list/source-list.ts'
import { never } from '../extractor/site.ts'

/** YouTube, as far as it is asked: lists by yt-dlp, and feeds of the newest entries. */

const www = 'https://www.youtube.com'
const channelId = 'UCabcdefghij_klmnopqrs-t'
const feedUrl = `${www}/feeds/videos.xml?channel_id=${channelId}`
const page = `${www}/@name`
const videoId = (name: string) => name.padStart(11, '0')

const entry = (name: string, day: number) => `<entry><id>yt:video:${videoId(name)}</id>
  <yt:videoId>${videoId(name)}</yt:videoId><yt:channelId>${channelId}</yt:channelId><title>Feed ${name}</title>
  <link rel="alternate" href="${www}/watch?v=${videoId(name)}"/><published>2026-11-${day}T08:30:00+00:00</published>
  <updated>2026-11-20T08:30:00+00:00</updated><media:group><media:title>Feed ${name}</media:title>
  <media:content url="https://www.youtube.com/v/${videoId(name)}?version=3" type="application/x-shockwave-flash"/></media:group></entry>`
const feed = (...entries: string[]) => `<?xml version="1.0" encoding="UTF-8"?>
<feed xmlns:yt="http://www.youtube.com/xml/schemas/2015" xmlns:media="http://search.yahoo.com/mrss/"
 xmlns="http://www.w3.org/2005/Atom"><link rel="self" href="${feedUrl}"/><title>A channel</title>${entries.join('')}</feed>`
const shown = (...names: string[]): PageList => ({
  title: 'A channel - Videos',
  count: names.length,
  items: names.map((name) => ({
    ...{ url: `${www}/watch?v=${videoId(name)}`, title: `Page ${name}`, durationSeconds: 60 },
    platformId: `youtube:${videoId(name)}`,
  })),
  ...{ isSingle: false, isWhole: true, channelId },
})

interface Youtube {
  feeds?: Record<string, string>
  lists?: Record<string, PageList | SourceFailure>
}

const follow = async (
  { feeds = {}, lists = {} }: Youtube,
  url: string,
  known: string | null = null,
  withPage = false,
  limit = 500,
) => {
  const asked: string[] = []
  const context = {
    egress: {
      ...plainEgress,
      fetch: async (address: string) => {
        asked.push(address)
        const body = feeds[address]
        return new Response(body ?? null, { status: body === undefined ? 404 : 200, headers: { etag: '"1"' } })
      },
      proxySocket: () => Promise.reject(new Error('not needed')),
      close: async () => {},
    },
    extractor: {
      list: async (address: string) => {
        asked.push(address)
        const list = lists[address] ?? new SourceFailure('SOURCE_NOT_FOUND')
        if (list instanceof SourceFailure) throw list
        return list
      },
    },
    signal: never,
  }
  const followed = await followSource({ url, feedUrl: known, withPage, limit }, context)
  return {
    ...followed,
    asked,
    names: followed.list.items.map(({ platformId }) => platformId?.replace(/^youtube:0+/, '')),
  }
}

const both: Youtube = {
  feeds: { [feedUrl]: feed(entry('d', 19), entry('c', 18)) },
  lists: { [page]: shown('c', 'b', 'a') },
}

describe('a channel', () => {
  test('is read from its page and its feed, and each video is one item', async () => {
    const { list, asked, names } = await follow(both, page)
    expect(asked).toEqual([page, feedUrl])
    expect(names).toEqual(['d', 'c', 'b', 'a'])
    expect(list).toMatchObject({ title: 'A channel', source: 'feed', feedUrl, isWhole: true, etag: '"1"' })
    expect(list.digest).toMatch(/^[0-9a-f]{64}$/)
    expect(list.items.slice(1, 3)).toEqual([
      {
        ...{ url: `${www}/watch?v=${videoId('c')}`, title: 'Page c', durationSeconds: 60 },
        ...{ guid: `yt:video:${videoId('c')}`, publishedAt: Date.UTC(2026, 10, 18, 8, 30) },
        platformId: `youtube:${videoId('c')}`,
      },
      {
        ...{ url: `${www}/watch?v=${videoId('b')}`, title: 'Page b', durationSeconds: 60 },
        ...{ guid: null, publishedAt: null, platformId: `youtube:${videoId('b')}` },
      },
    ])
  })

  test('is not whole if its page is not, or if there are more items than the limit', async () => {
    const part = { ...both, lists: { [page]: { ...shown('c', 'b'), isWhole: false } } }
    expect((await follow(part, page)).list.isWhole).toBe(false)
    const { list, names } = await follow(both, page, null, false, 3)
    expect([names, list.isWhole]).toEqual([['d', 'c', 'b'], false])
  })

  test('whose feed is known is read from it alone, and is not whole', async () => {
    const { list, asked, names } = await follow(both, page, feedUrl)
    expect([asked, names]).toEqual([[feedUrl], ['d', 'c']])
    expect(list).toMatchObject({ source: 'feed', feedUrl, isWhole: false })
  })

  test('whose feed is known is read with its page on request', async () => {
    const { list, asked } = await follow(both, page, feedUrl, true)
    expect(asked).toEqual([feedUrl, page])
    expect(list).toEqual((await follow(both, page)).list)
  })

  test('whose page fails on request fails', async () => {
    await expect(follow({ ...both, lists: {} }, page, feedUrl, true)).rejects.toMatchObject({
      code: 'SOURCE_NOT_FOUND',
    })
  })

  test('without a feed is followed by its page', async () => {
    const { list, names } = await follow({ ...both, feeds: {} }, page)
    expect([list.source, list.feedUrl, list.isWhole, names]).toEqual(['page', null, true, ['c', 'b', 'a']])
  })

  test('of which a tab is wanted has the feed of that tab', async () => {
    const shorts = `${www}/feeds/videos.xml?playlist_id=UUSH${channelId.slice(2)}`
    const youtube = { feeds: { [shorts]: feed(entry('s', 19)) }, lists: { [`${page}/shorts`]: shown('s') } }
    expect((await follow(youtube, `${page}/shorts`)).list).toMatchObject({ source: 'feed', feedUrl: shorts })
  })
})

describe('a channel whose page is refused', () => {
  const url = `${www}/channel/${channelId}`
  const refused = {
    ...both,
    lists: { [url]: new SourceFailure('SOURCE_BLOCKED'), [page]: new SourceFailure('SOURCE_BLOCKED') },
  }

  test('is read from its feed, if the URL has its id, and the refusal is reported', async () => {
    const { list, withheld, names } = await follow(refused, url)
    expect([names, list.isWhole, withheld]).toEqual([['d', 'c'], false, 'SOURCE_BLOCKED'])
  })

  test('fails with the refusal if its feed is not known, or fails too', async () => {
    await expect(follow(refused, page)).rejects.toMatchObject({ code: 'SOURCE_BLOCKED' })
    await expect(follow({ ...refused, feeds: {} }, url)).rejects.toMatchObject({ code: 'SOURCE_BLOCKED' })
  })
})

test('a playlist is read from its page and its feed', async () => {
  const playlist = `${www}/playlist?list=PLabc`
  const known = `${www}/feeds/videos.xml?playlist_id=PLabc`
  const youtube = { feeds: { [known]: feed(entry('b', 19)) }, lists: { [playlist]: shown('a', 'b') } }
  const { list, names } = await follow(youtube, `${www}/watch?v=${videoId('a')}&list=PLabc`)
  expect([list.feedUrl, list.items[1]?.guid, names]).toEqual([known, `yt:video:${videoId('b')}`, ['a', 'b']])
})

test('the URL of a feed is read with the page of its channel', async () => {
  const youtube = { ...both, lists: { [`${www}/channel/${channelId}`]: shown('c', 'b', 'a') } }
  expect((await follow(youtube, feedUrl)).names).toEqual(['d', 'c', 'b', 'a'])
})

test('a page elsewhere that names the feed of a channel is followed like that channel', async () => {
  const blog = 'https://blog.example/'
  const html = `<html><head><link rel="alternate" type="application/atom+xml" href="${feedUrl}"></head></html>`
  const youtube = {
    feeds: { ...both.feeds, [blog]: html },
    lists: { [`${www}/channel/${channelId}`]: shown('c', 'b', 'a') },
  }
  const { list, names } = await follow(youtube, blog)
  expect([list.feedUrl, names]).toEqual([feedUrl, ['d', 'c', 'b', 'a']])
})

import { createHash } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { FollowedItem, FollowResponse } from '../../../domain/protocol/protocol.ts'

/** A feed of `feeds.example`. A test posts changes to its URL, and gets all of it with the requests that it was sent. */
export interface FakeFeed {
  status: number
  headers: Record<string, string>
  names: string[]
  /** Answers 304 to whatever is conditional. */
  liesAboutChanges: boolean
  requests: { ifNoneMatch: string | null; ifModifiedSince: string | null }[]
  /** How often an engine has read it. */
  reads: number
}

export const createFeeds = () => {
  const feeds = new Map<string, FakeFeed>()
  const feedAt = (path: string): FakeFeed => {
    const feed = feeds.get(path) ?? newFeed()
    feeds.set(path, feed)
    return feed
  }
  return {
    serve: async ({ url, request, response }: { url: URL; request: IncomingMessage; response: ServerResponse }) => {
      const feed = feedAt(url.pathname)
      if (request.method === 'POST') {
        Object.assign(feed, JSON.parse(Buffer.concat(await request.toArray()).toString() || '{}'))
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(feed))
      } else serveFeed(feed, request, response)
    },
    /** As an engine reads it. */
    follow: (url: string): FollowResponse => {
      const feed = feedAt(new URL(url).pathname)
      feed.reads += 1
      const { names, headers } = feed
      return {
        status: 'done',
        title: 'A feed',
        items: names.map(itemNamed),
        source: 'feed',
        feedUrl: url,
        isWhole: true,
        etag: headers.etag ?? null,
        lastModified: headers['last-modified'] ?? null,
        digest: createHash('sha256').update(bodyOf(feed)).digest('hex'),
      }
    },
  }
}

const newFeed = (): FakeFeed => ({
  status: 200,
  headers: {},
  names: [],
  liesAboutChanges: false,
  requests: [],
  reads: 0,
})

const bodyOf = ({ names }: FakeFeed): string => `<rss>${names.join(' ')}</rss>`

const serveFeed = (feed: FakeFeed, { headers: asked }: IncomingMessage, response: ServerResponse): void => {
  const ifNoneMatch = asked['if-none-match'] ?? null
  const ifModifiedSince = asked['if-modified-since'] ?? null
  feed.requests.push({ ifNoneMatch, ifModifiedSince })
  const { status, headers, liesAboutChanges } = feed
  const isConditional = ifNoneMatch !== null || ifModifiedSince !== null
  const isSame = ifNoneMatch !== null && ifNoneMatch === headers.etag
  if (status === 200 && isConditional && (isSame || liesAboutChanges)) return void response.writeHead(304).end()
  response.writeHead(status, { 'content-type': 'application/rss+xml', ...headers }).end(bodyOf(feed))
}

const itemNamed = (name: string): FollowedItem => ({
  url: `https://media.example/${name}.mp3`,
  title: name,
  durationSeconds: null,
  guid: name,
  publishedAt: null,
  platformId: null,
})

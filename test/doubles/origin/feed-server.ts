import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { listenOnLoopback } from '../../support/loopback.ts'

/** Feeds that a test changes, sent as the hosts of podcasts send them: with an ETag, and with a 304 to those who have it. */
export interface FeedServer {
  /** The URL of a feed, which is added or changed. */
  serve(name: string, changes?: Partial<Feed>): string
  /** The URL of a page of HTML that names the feed. */
  pageOf(name: string): string
  /** The requests for a feed, in order of arrival. */
  requestsOf(name: string): FeedRequest[]
  close(): Promise<void>
}

export interface Feed {
  title: string
  /** As the feed lists them, so usually newest first. */
  episodes: Episode[]
  /** Instead of the feed. */
  status: number
  /** The document ends within its last entry. */
  isCutOff: boolean
}

export interface Episode {
  title: string
  /** Of its media. */
  url: string
  guid?: string | undefined
  /** ISO 8601. */
  publishedAt?: string
  seconds?: number
  /** Of captions in WebVTT. */
  transcript?: string
}

export interface FeedRequest {
  ifNoneMatch: string | null
  status: number
}

export const startFeedServer = async (): Promise<FeedServer> => {
  const feeds = new Map<string, Feed>()
  const requests = new Map<string, FeedRequest[]>()
  const requestsOf = (name: string): FeedRequest[] => requests.get(name) ?? []

  const server = createServer((request, response) => {
    const [, name = '', ending] = /^\/(.+)\.(xml|html)$/.exec(decodeURIComponent(request.url ?? '')) ?? []
    const feed = feeds.get(name)
    if (!feed) return void response.writeHead(404).end()
    if (ending === 'html') return void response.writeHead(200, { 'content-type': 'text/html' }).end(pageFor(feed, name))
    const status = sendFeed(feed, request, response)
    requests.set(name, [...requestsOf(name), { ifNoneMatch: request.headers['if-none-match'] ?? null, status }])
  })
  const { url, close } = await listenOnLoopback(server)

  return {
    serve: (name, changes = {}) => {
      feeds.set(name, { ...(feeds.get(name) ?? newFeed(name)), ...changes })
      return `${url}/${encodeURIComponent(name)}.xml`
    },
    pageOf: (name) => `${url}/${encodeURIComponent(name)}.html`,
    requestsOf,
    close,
  }
}

const newFeed = (title: string): Feed => ({ title, episodes: [], status: 200, isCutOff: false })

const sendFeed = (feed: Feed, request: IncomingMessage, response: ServerResponse): number => {
  const document = documentOf(feed)
  const etag = `"${createHash('sha256').update(document).digest('hex')}"`
  const status = feed.status === 200 && request.headers['if-none-match'] === etag ? 304 : feed.status
  if (status !== 200) response.writeHead(status).end()
  else response.writeHead(200, { 'content-type': 'application/rss+xml', etag }).end(document)
  return status
}

const documentOf = ({ title, episodes, isCutOff }: Feed): string => {
  const items = episodes.map(itemFor).join('')
  const start = `<?xml version="1.0"?><rss version="2.0"><channel><title>${escaped(title)}</title>${items}`
  return isCutOff ? start.slice(0, -'</item>'.length) : `${start}</channel></rss>`
}

const itemFor = ({ title, url, guid, publishedAt, seconds, transcript }: Episode): string => {
  const stated = [
    `<title>${escaped(title)}</title><enclosure url="${escaped(url)}" type="video/mp4" length="1"/>`,
    guid && `<guid isPermaLink="false">${escaped(guid)}</guid>`,
    publishedAt && `<pubDate>${new Date(publishedAt).toUTCString()}</pubDate>`,
    seconds && `<itunes:duration>${seconds}</itunes:duration>`,
    transcript && `<podcast:transcript url="${escaped(transcript)}" type="text/vtt" language="en"/>`,
  ]
  return `<item>${stated.filter(Boolean).join('')}</item>`
}

const pageFor = ({ title }: Feed, name: string): string =>
  `<!doctype html><title>${escaped(title)}</title><link rel="alternate" type="application/rss+xml" href="${encodeURIComponent(name)}.xml"><p>Listen to us.`

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')

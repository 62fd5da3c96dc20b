import { decodeHTMLStrict } from 'entities'
import { maxTitleCharacters, shortened } from '../source.ts'
import { decodeXml } from './decode-xml.ts'
import { linkedFilesOf } from './linked-files.ts'
import { type Feed, type FeedItem, parseFeed } from './parse-feed.ts'
import { createItems, type FoundItem, linkOf, type SourceList } from './source-list.ts'

/** A document, and the URL that it was read from. */
export interface FeedDocument {
  bytes: Uint8Array
  contentType: string | null
  url: string
}

/** The entries of a feed in its order, each URL once. Called in the reader process. */
export const readFeed = (document: FeedDocument, limit: number): SourceList => {
  const { feed, title, entries } = openFeed(document)
  const listed = createItems(Number.POSITIVE_INFINITY)
  for (const entry of entries) listed.add(describedEntry(entry, feed))
  const all = listed.list()
  return { title, count: all.length, items: all.slice(0, limit) }
}

export interface OpenedFeed {
  isPodcast: boolean
  /** What its relative URLs are relative to. */
  root: string
}

export interface FeedEntry {
  url: string
  item: FeedItem
}

/**
 * The entries with a URL. If some have media files, the feed is a podcast, and entries without one are left out. A feed without
 * any is a list of pages, such as that of a channel.
 */
export const openFeed = ({ bytes, contentType, url }: FeedDocument) => {
  const parsed = parseFeed(decodeXml(bytes, contentType))
  const isPodcast = parsed.items.some(({ media }) => media !== '')
  const feed: OpenedFeed = { isPodcast, root: linkOf(parsed.base, url) ?? url }
  const entries = parsed.items.flatMap((item): FeedEntry[] => {
    const link = linkIn(isPodcast ? item.media : pageOf(item), feed)
    return link === null ? [] : [{ url: link, item }]
  })
  return { parsed, feed, title: titleOf(parsed), entries }
}

export const describedEntry = ({ url, item }: FeedEntry, feed: OpenedFeed): FoundItem => ({
  url,
  title: decodeTwice(item.title),
  duration: secondsOf(item.duration),
  linked: feed.isPodcast ? linkedFilesOf(item, (text) => linkIn(text, feed)) : undefined,
})

const titleOf = ({ title }: Feed): string | null =>
  shortened(decodeTwice(title).replace(/\s+/g, ' ').trim() || undefined, maxTitleCharacters)

const linkIn = (text: string, { root }: OpenedFeed): string | null =>
  text === '' ? null : linkOf(decodeTwice(text).trim(), root)

const pageOf = ({ page, guid, isPermaLink }: FeedItem): string =>
  page !== '' || !isPermaLink || !/^https?:/i.test(guid) ? page : guid

/** The parser has decoded once. Many feeds escape twice (`&amp;amp;`). */
const decodeTwice = (text: string): string => (text.includes('&') ? decodeHTMLStrict(text) : text)

/** `1:02:03`, `62:03` or seconds. */
const secondsOf = (duration: string): number | undefined => {
  const text = duration.trim()
  if (!/^\d{1,7}(:\d{1,7}){0,2}(\.\d{1,9})?$/.test(text)) return undefined
  return text.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0)
}

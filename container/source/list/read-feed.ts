import { decodeHTMLStrict } from 'entities'
import { maxTitleCharacters, shortened } from '../shortened.ts'
import { decodeXml } from './decode-xml.ts'
import { parseFeed } from './parse-feed.ts'
import { createItems, linkOf, type SourceList } from './source-list.ts'

export interface FeedFile {
  bytes: Uint8Array
  contentType: string | null
  url: string
}

/**
 * Lists the items of a feed in its order, which is the newest first. A feed whose items have media files is a podcast:
 * items without one are left out. A feed without any is a list of pages, such as that of a channel. Called in the reader
 * process.
 */
export const readFeed = ({ bytes, contentType, url }: FeedFile, limit: number): SourceList => {
  const { title, base, items } = parseFeed(decodeXml(bytes, contentType))
  const isPodcast = items.some(({ media }) => media !== '')
  const root = linkOf(base, url) ?? url
  const listed = createItems(Number.POSITIVE_INFINITY)
  for (const item of items) {
    const address = isPodcast ? item.media : item.page
    const link = address === '' ? null : linkOf(decodeTwice(address).trim(), root)
    if (link) listed.add({ url: link, title: decodeTwice(item.title), duration: secondsOf(item.duration) })
  }
  const all = listed.list()
  const feedTitle = decodeTwice(title).replace(/\s+/g, ' ').trim() || undefined
  return { title: shortened(feedTitle, maxTitleCharacters), count: all.length, items: all.slice(0, limit) }
}

/** The parser has decoded once. Many feeds escape twice (`&amp;amp;`). */
const decodeTwice = (text: string): string => (text.includes('&') ? decodeHTMLStrict(text) : text)

/** `1:02:03`, `62:03` or seconds. */
const secondsOf = (duration: string): number | undefined => {
  const text = duration.trim()
  if (!/^\d{1,7}(:\d{1,7}){0,2}(\.\d{1,9})?$/.test(text)) return undefined
  return text.split(':').reduce((seconds, part) => seconds * 60 + Number(part), 0)
}

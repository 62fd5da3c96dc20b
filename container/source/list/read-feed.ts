import { decodeHTMLStrict } from 'entities'
import { maxTitleCharacters, shortened } from '../source.ts'
import { linkedFilesOf } from './feed-links.ts'
import { parseFeed } from './parse-feed.ts'
import { createItems, linkOf, type SourceList } from './source-list.ts'

/**
 * Lists the items of a feed in its order, which is the newest first. A feed whose items have media files is a podcast:
 * items without one are left out. A feed without any is a list of pages, such as that of a channel. Called in the reader
 * process.
 */
export const readFeed = (
  { bytes, contentType, url }: { bytes: Uint8Array; contentType: string | null; url: string },
  limit: number,
): SourceList => {
  const { title, base, items } = parseFeed(decodeXml(bytes, contentType))
  const isPodcast = items.some(({ media }) => media !== '')
  const root = linkOf(base, url) ?? url
  const listed = createItems(Number.POSITIVE_INFINITY)
  for (const item of items) {
    const address = isPodcast ? item.media : item.page
    const link = address === '' ? null : linkOf(decodeTwice(address).trim(), root)
    const linked = isPodcast ? linkedFilesOf(item, (text) => linkOf(decodeTwice(text).trim(), root)) : undefined
    if (link) listed.add({ url: link, title: decodeTwice(item.title), duration: secondsOf(item.duration), linked })
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

/**
 * The text of an XML document, whose encoding is named by its byte order mark, else by the Content-Type (RFC 7303,
 * section 3.2), else by the document itself. A name that is not known means UTF-8.
 */
const decodeXml = (bytes: Uint8Array, contentType: string | null): string =>
  decode(bytes, markOf(bytes) ?? charsetOf(contentType) ?? declaredIn(bytes))

const decode = (bytes: Uint8Array, encoding: string | undefined): string => {
  try {
    return new TextDecoder(encoding).decode(bytes)
  } catch {
    return new TextDecoder().decode(bytes)
  }
}

const markOf = ([first, second, third]: Uint8Array): string | undefined => {
  if (first === 0xfe && second === 0xff) return 'utf-16be'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xef && second === 0xbb && third === 0xbf ? 'utf-8' : undefined
}

const charsetOf = (contentType: string | null): string | undefined =>
  /;\s*charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType ?? '')?.[1]

const DECLARATION_BYTES = 200

const declaredIn = (bytes: Uint8Array): string | undefined => {
  const head = Buffer.from(bytes.subarray(0, DECLARATION_BYTES)).toString('latin1')
  return /^\s*<\?xml\s[^>]*?encoding\s*=\s*["']([\w.:-]{1,40})/.exec(head)?.[1]
}

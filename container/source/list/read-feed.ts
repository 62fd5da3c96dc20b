import { decodeHTMLStrict } from 'entities'
import type { LinkedFile, LinkedFiles } from '../../../domain/protocol/protocol.ts'
import { maxTitleCharacters, shortened } from '../source.ts'
import { type FeedItem, parseFeed } from './parse-feed.ts'
import { createItems, linkOf, type SourceList } from './source-list.ts'

/**
 * The items of a feed in its order. If some have media files, it is a podcast, and items without one are left out. A feed
 * without any is a list of pages, such as that of a channel. Called in the reader process.
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

/** RFC 7303, section 3.2: the byte order mark takes precedence over the Content-Type, and that over the document. */
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

/** The transcripts and chapters that can be read (https://podcasting2.org/docs/podcast-namespace). */
const linkedFilesOf = (
  { transcripts, chapters }: Pick<FeedItem, 'transcripts' | 'chapters'>,
  linkOf: (text: string) => string | null,
): LinkedFiles | undefined => {
  const found = transcripts.flatMap(({ url, type, language }): LinkedFile[] => {
    const link = linkOf(url)
    const format = link && (formatOfType(type) ?? formatOfName(link))
    return link && format ? [{ url: link, format, language: languageOf(language) }] : []
  })
  const best = found.toSorted((one, other) => rank(one) - rank(other))
  const kept = within(MAX_CHARACTERS, best)
  const chaptersUrl = chapters === '' ? null : linkOf(chapters)
  return kept.length > 0 || chaptersUrl !== null ? { transcripts: kept, chapters: chaptersUrl } : undefined
}

type Format = LinkedFile['format']

/** Best first: HTML has the time of each paragraph, if any. */
const formats: readonly Format[] = ['vtt', 'srt', 'json', 'html']
const rank = ({ format }: LinkedFile): number => formats.indexOf(format)

/** Feeds also use types from before a format had a registered one. A text without times cannot be a transcript with times. */
const types: Readonly<Record<string, Format>> = {
  'text/vtt': 'vtt',
  'application/x-subrip': 'srt',
  'application/srt': 'srt',
  'text/srt': 'srt',
  'application/json': 'json',
  'text/html': 'html',
}

const formatOfType = (type: string): Format | null => types[type.split(';', 1)[0]?.trim().toLowerCase() ?? ''] ?? null

const formatOfName = (url: string): Format | null => {
  const extension = /\.(\w{3,4})$/.exec(new URL(url).pathname)?.[1]?.toLowerCase()
  return formats.find((format) => format === extension) ?? null
}

const MAX_LANGUAGE_CHARACTERS = 20
const languageOf = (text: string): string | null => text.trim().slice(0, MAX_LANGUAGE_CHARACTERS) || null

const MAX_CHARACTERS = 4_096

const within = (characters: number, files: LinkedFile[]): LinkedFile[] => {
  let left = characters
  return files.filter(({ url }) => {
    if (url.length > left) return false
    left -= url.length
    return true
  })
}

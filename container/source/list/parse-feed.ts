import sax, { type Tag } from 'sax'

/** The fields of a feed as they are written in it; empty if it has none. */
export interface Feed {
  title: string
  base: string
  items: FeedItem[]
}

export interface FeedItem {
  title: string
  /** The URL of the first audio or video file. */
  media: string
  page: string
  duration: string
  transcripts: { url: string; type: string; language: string }[]
  chapters: string
}

const MAX_TRANSCRIPTS = 50

/** To close a tag takes time in proportion to its depth. Real feeds have about ten levels, plus tags left open. */
const MAX_DEPTH = 300

/**
 * RSS 2.0 and Atom. Real feeds are often not well-formed: they have bare ampersands, entities of HTML, and tags that are not
 * closed. So the parser is a forgiving one. It builds no tree, and expands no entities that a feed declares.
 */
export const parseFeed = (text: string): Feed => {
  const feed: Feed = { title: '', base: '', items: [] }
  const path: string[] = []
  let item: { fields: FeedItem; depth: number } | null = null
  let field: { depth: number; text: string; set(text: string): void } | null = null
  const read = (set: (text: string) => void) => {
    field ??= { depth: path.length, text: '', set }
  }

  const open = ({ name, attributes }: Tag) => {
    const parent = path.at(-1)
    if (path.push(name) > MAX_DEPTH) throw new Error('too deep')
    if (path.length <= 2) feed.base ||= attributes['xml:base'] ?? ''
    if (item) {
      const { fields } = item
      const text = textFieldOf(name, attributes)
      if (name === 'media:content' || path.length === item.depth + 1) addLinks(fields, name, attributes)
      if (text && path.length === item.depth + 1) read((content) => (fields[text] ||= content))
    } else if (name === 'item' || name === 'entry') {
      const fields = { title: '', media: '', page: '', duration: '', transcripts: [], chapters: '' }
      item = { fields, depth: path.length }
    } else if (name === 'title' && (parent === 'channel' || parent === 'feed')) {
      read((content) => (feed.title ||= content))
    }
  }
  const close = () => {
    if (field?.depth === path.length) {
      field.set(field.text)
      field = null
    }
    if (item?.depth === path.length) {
      feed.items.push(item.fields)
      item = null
    }
    path.pop()
  }
  const add = (part: string) => {
    if (field) field.text += part
  }

  const parser = sax.parser(false, { lowercase: true, noscript: true })
  parser.onopentag = (tag) => open(tag as Tag)
  parser.onclosetag = close
  parser.ontext = add
  parser.oncdata = add
  // What is not XML is read as text.
  parser.onerror = () => parser.resume()
  parser.write(withEscapedAmpersands(text)).close()
  return feed
}

/** The parser would take what follows a bare ampersand as text, as far as the next tag: `Q&A</title>`. */
const withEscapedAmpersands = (text: string): string => text.replace(/&(?!#?\w{1,40};)/g, '&amp;')

const textFieldOf = (name: string, { href }: Tag['attributes']): 'page' | 'duration' | 'title' | null => {
  if (name === 'link') return href === undefined ? 'page' : null
  if (name === 'itunes:duration') return 'duration'
  return name === 'title' ? 'title' : null
}

const addLinks = (item: FeedItem, name: string, { url = '', href = '', ...more }: Tag['attributes']): void => {
  const { rel = 'alternate', type = '', duration = '' } = more
  const isMedia = isMediaFile(type, url || href)
  if (name === 'enclosure' && isMedia) item.media ||= url
  if (name === 'link' && rel === 'enclosure' && isMedia) item.media ||= href
  if (name === 'link' && rel === 'alternate') item.page ||= href
  if (name === 'media:content' && isMedia && !item.media) Object.assign(item, { media: url, duration })
  if (name === 'podcast:chapters') item.chapters ||= url
  if (name === 'podcast:transcript' && url && item.transcripts.length < MAX_TRANSCRIPTS) {
    item.transcripts.push({ url, type, language: more.language ?? '' })
  }
}

/** Servers name any type. A file of `application/…` or of none may be media, unless its type or extension is known. */
const isMediaFile = (type: string, url: string): boolean => {
  if (/^\s*(audio|video)\//i.test(type)) return true
  if (/^\s*(image|text|font)\//i.test(type) || otherTypes.test(type)) return false
  return !otherExtensions.test(url.split(/[?#]/, 1)[0] ?? '')
}

const otherTypes =
  /^\s*application\/(pdf|zip|json|xml|xhtml\+xml|epub\+zip|msword|x-bittorrent|x-shockwave-flash|srt|vnd\.openxmlformats)/i
const otherExtensions =
  /\.(jpe?g|png|gif|webp|avif|svg|bmp|ico|pdf|zip|epub|mobi|docx?|pptx?|xlsx?|txt|html?|swf|torrent|vtt|srt|json|xml|exe|dmg|apk)$/i

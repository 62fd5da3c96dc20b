import sax, { type Tag } from 'sax'

/** The fields of a feed as they are written in it; empty if it has none. */
export interface Feed {
  /** The name of its first tag, in lower case and without a prefix, such as `rss`. */
  root: string
  /** Whether that tag is closed. If not, the document has probably been cut off. */
  isClosed: boolean
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
  guid: string
  /** Whether `guid` may be the URL of its page. */
  isPermaLink: boolean
  id: string
  about: string
  published: string
  created: string
  updated: string
  /** As YouTube names it. */
  videoId: string
  transcripts: { url: string; type: string; language: string }[]
  chapters: string
}

const MAX_TRANSCRIPTS = 50

/** To close a tag takes time in proportion to its depth. Real feeds have about ten levels, plus tags left open. */
const MAX_DEPTH = 300

/**
 * RSS of all versions, and Atom. Real feeds are often not well-formed: they have bare ampersands, entities of HTML, and tags
 * that are not closed. So the parser is a forgiving one. It builds no tree, and expands no entities that a feed declares.
 */
export const parseFeed = (text: string): Feed => {
  const feed: Feed = { root: '', isClosed: false, title: '', base: '', items: [] }
  let prefix = ''
  const path: string[] = []
  let item: { fields: FeedItem; depth: number } | null = null
  let field: { depth: number; text: string; set(text: string): void } | null = null
  const read = (set: (text: string) => void) => {
    field ??= { depth: path.length, text: '', set }
  }

  const open = ({ name: written, attributes }: Tag) => {
    if (feed.root === '') {
      prefix = /^[^:]*:/.exec(written)?.[0] ?? ''
      feed.root = written.slice(prefix.length)
    }
    const name = prefix !== '' && written.startsWith(prefix) ? written.slice(prefix.length) : written
    const parent = path.at(-1)
    if (path.push(name) > MAX_DEPTH) throw new Error('too deep')
    if (path.length <= 2) feed.base ||= attributes['xml:base'] ?? ''
    if (item) {
      const { fields } = item
      const text = textFieldOf(name, attributes)
      if (name === 'guid') fields.isPermaLink = attributes.ispermalink?.trim().toLowerCase() !== 'false'
      if (name === 'media:content' || path.length === item.depth + 1) addLinks(fields, name, attributes)
      if (text && path.length === item.depth + 1) read((content) => (fields[text] ||= content.trim()))
    } else if (name === 'item' || name === 'entry') {
      item = { fields: emptyItem(attributes['rdf:about']), depth: path.length }
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
    if (path.length === 0) feed.isClosed = true
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

const emptyItem = (about = ''): FeedItem => ({
  ...{ title: '', media: '', page: '', duration: '', guid: '', isPermaLink: false, id: '', about },
  ...{ published: '', created: '', updated: '', videoId: '', transcripts: [], chapters: '' },
})

const textFieldOf = (name: string, { href }: Tag['attributes']): TextField | null =>
  name === 'link' && href !== undefined ? null : (textFields.get(name) ?? null)

type TextField = 'page' | 'duration' | 'title' | 'guid' | 'id' | 'videoId' | 'published' | 'created' | 'updated'

/** `issued`, `created` and `modified` are of Atom 0.3. The libraries of .NET write `a10` for Atom in RSS. */
const textFields: ReadonlyMap<string, TextField> = new Map<string, TextField>([
  ...(['title', 'guid', 'id', 'published', 'created', 'updated'] as const).map((name) => [name, name] as const),
  ['link', 'page'],
  ['itunes:duration', 'duration'],
  ['yt:videoid', 'videoId'],
  ...['pubdate', 'atom:published', 'a10:published'].map((name) => [name, 'published'] as const),
  ...['dc:date', 'dcterms:issued', 'dcterms:created', 'issued'].map((name) => [name, 'created'] as const),
  ...['modified', 'dcterms:modified', 'atom:updated', 'a10:updated'].map((name) => [name, 'updated'] as const),
])

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

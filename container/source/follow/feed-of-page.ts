import { decodeHTMLStrict } from 'entities'
import { decodeXml } from '../list/decode-xml.ts'
import type { FeedDocument } from '../list/read-feed.ts'
import { linkOf } from '../list/source-list.ts'

/** The feed that a page of HTML names: the first that is not of comments. Called in the reader process. */
export const feedOfPage = ({ bytes, contentType, url }: FeedDocument): string | null => {
  let base: string | undefined
  const feeds: string[] = []
  for (const { name, attributes } of tagsIn(decodeXml(bytes, contentType))) {
    const href = attributes.get('href')?.trim() ?? ''
    if (href === '') continue
    if (name === 'base') base ??= href
    else if (isFeed(attributes)) feeds.push(href)
  }
  const root = linkOf(base ?? '', url) ?? url
  return feeds.map((href) => linkOf(href, root)).find((link) => link !== null) ?? null
}

const types: ReadonlySet<string> = new Set(['application/rss+xml', 'application/atom+xml'])

const isFeed = (attributes: Attributes): boolean => {
  const rel = attributes.get('rel')?.toLowerCase().split(/\s+/) ?? []
  const type = attributes.get('type')?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const isOfComments =
    /\bcomments?\b/i.test(attributes.get('title') ?? '') || /[/=]comments?\b/i.test(attributes.get('href') ?? '')
  return rel.includes('alternate') && types.has(type) && !isOfComments
}

type Attributes = Map<string, string>

/** Text that is not read as HTML, and the tags that matter. */
const starts = /<(?:(!--)|(?:(script|style|textarea|title|template|noembed)|(link|base))(?=[\s/>]))/gi
const endings: Readonly<Record<string, RegExp>> = {
  '!--': /-->/g,
  script: /<\/script/gi,
  style: /<\/style/gi,
  textarea: /<\/textarea/gi,
  title: /<\/title/gi,
  template: /<\/template/gi,
  noembed: /<\/noembed/gi,
}

/** Each character is looked at a fixed number of times, whatever the page is. */
function* tagsIn(html: string): Generator<{ name: string; attributes: Attributes }> {
  starts.lastIndex = 0
  for (let found = starts.exec(html); found; found = starts.exec(html)) {
    const [, comment, unread = comment ?? '', name] = found
    if (name !== undefined) {
      const { attributes, end } = attributesAt(html, starts.lastIndex)
      yield { name: name.toLowerCase(), attributes }
      starts.lastIndex = end
      continue
    }
    const ending = endings[unread.toLowerCase()]
    if (!ending) return
    ending.lastIndex = starts.lastIndex
    if (!ending.exec(html)) return
    starts.lastIndex = ending.lastIndex
  }
}

const attribute = /[\s/]*([^\s/>=]+)(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s>]+)))?/y

const attributesAt = (html: string, start: number): { attributes: Attributes; end: number } => {
  const attributes: Attributes = new Map()
  let end = start
  attribute.lastIndex = start
  for (let found = attribute.exec(html); found; found = attribute.exec(html)) {
    const [, name = '', double, single, bare] = found
    const key = name.toLowerCase()
    if (!attributes.has(key)) attributes.set(key, decodeHTMLStrict(double ?? single ?? bare ?? ''))
    end = attribute.lastIndex
  }
  return { attributes, end }
}

import type { Terms } from '../../../domain/account/terms.ts'
import { failures } from '../../../domain/codes/failures.ts'
import { refusals } from '../../../domain/codes/refusals.ts'
import { articles } from './articles.ts'
import { type Guide, guides, titleOf } from './guides/all-guides.ts'
import { withFacts } from './guides/facts.ts'
import { blocksOf, codeId, headingId } from './guides/render.ts'
import { byTag, type Document, type Endpoint, nameOf } from './reference/document.ts'
import { requestFields } from './reference/fields.ts'

/** console/assets/docs/search.js looks for words in `title`, and after that in `text`. */
interface Entry {
  kind: 'guide' | 'endpoint' | 'field' | 'code'
  title: string
  /** Where it is, in words for the reader. */
  place: string
  text: string
  href: string
}

const entryOf = (kind: Entry['kind'], title: string, place: string, href: string, text = ''): Entry => {
  return { kind, title, place, text, href }
}

export const searchIndex = (document: Document, terms: Terms): Entry[] => {
  const endpoints = [...byTag(document).values()].flat()
  return [
    ...guides.flatMap((guide) => sections(guide, terms)),
    ...articles.map(({ id, title, description, keywords }) =>
      entryOf('guide', title, description, `/docs/${id}`, keywords),
    ),
    // The sites themselves change with yt-dlp: see `sitesIndex`.
    entryOf('guide', 'Sites', 'What yt-dlp has extractors for', '/docs/sites', aboutSites),
    ...endpoints.map((each) => entryOf('endpoint', nameOf(each), each.operation.summary ?? '', `#${each.id}`)),
    ...codes(refusals, 'errors-refused-requests'),
    ...codes(failures, 'errors-failed-jobs'),
    ...endpoints.flatMap(fields),
  ]
}

const aboutSites = 'supported sites pages platforms extractors'

const sections = (guide: Guide, terms: Terms): Entry[] => {
  const entries: Entry[] = []
  for (const block of blocksOf(withFacts(guide.markdown, { baseUrl: '', terms }))) {
    for (const token of 'tokens' in block ? block.tokens : []) {
      if (token.type === 'heading') {
        const { text: title, depth } = token
        const place = depth === 1 ? guide.part : titleOf(guide)
        entries.push(entryOf('guide', title, place, `#${headingId(guide.id, title, depth)}`))
        continue
      }
      const entry = entries.at(-1)
      // Rows of tables have their own entries, or nobody looks for them.
      if (entry && token.type !== 'table') entry.text += ` ${plain(token.raw)}`
    }
  }
  return entries
}

const plain = (markdown: string): string =>
  markdown
    .replace(/\]\([^()\s]*\)/g, ']')
    .replace(/[`*[\]\n]+/g, ' ')
    .trim()

const codes = (table: Record<string, { message: string }>, section: string): Entry[] =>
  Object.entries(table).map(([code, { message }]) => entryOf('code', code, message, `#${codeId(section, code)}`))

const fields = (endpoint: Endpoint): Entry[] =>
  requestFields(endpoint.operation)
    .map(({ field }) => field)
    .filter(({ name }) => name !== 'id' && name !== 'cursor')
    .map(({ name, description }) => entryOf('field', name, nameOf(endpoint), `#${endpoint.id}`, description))

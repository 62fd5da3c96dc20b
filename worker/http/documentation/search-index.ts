import { failures } from '../../../domain/codes/failures.ts'
import { refusals } from '../../../domain/codes/refusals.ts'
import type { Terms } from '../../../domain/terms.ts'
import { type Guide, guides, titleOf } from './guides/all-guides.ts'
import { withFacts } from './guides/facts.ts'
import { blocksOf, codeId, headingId } from './guides/render.ts'
import { byTag, type Document, type Endpoint, nameOf } from './reference/document.ts'
import { requestFields } from './reference/fields.ts'

/** console/assets/docs/search.js looks for words in `title`, and after that in `text`. */
interface Entry {
  kind: 'guide' | 'endpoint' | 'field' | 'code'
  title: string
  place: string
  text: string
  href: string
}

export const searchIndex = (document: Document, terms: Terms): Entry[] => {
  const endpoints = [...byTag(document).values()].flat()
  return [
    ...guides.flatMap((guide) => sections(guide, terms)),
    worksWithEntry,
    sitesEntry,
    ...endpoints.map(endpointEntry),
    ...codes(),
    ...endpoints.flatMap(fields),
  ]
}

const worksWithEntry: Entry = {
  ...{ kind: 'guide', title: 'What Haul works with', place: 'Packages and programs, and what to set in them' },
  ...{ text: 'compatible clients OpenAI MCP webhooks Open WebUI LiteLLM LangChain n8n', href: '/docs/works-with' },
}

/** The sites themselves change with yt-dlp: see `sitesIndex`. */
const sitesEntry: Entry = {
  ...{ kind: 'guide', title: 'Sites', place: 'What yt-dlp has extractors for' },
  ...{ text: 'supported sites pages platforms extractors', href: '/docs/sites' },
}

const sections = (guide: Guide, terms: Terms): Entry[] => {
  const entries: Entry[] = []
  for (const block of blocksOf(withFacts(guide.markdown, { baseUrl: '', terms }))) {
    for (const token of 'tokens' in block ? block.tokens : []) {
      if (token.type === 'heading') {
        const { text: title, depth } = token
        const place = depth === 1 ? guide.part : titleOf(guide)
        entries.push({ kind: 'guide', title, place, text: '', href: `#${headingId(guide.id, title, depth)}` })
        continue
      }
      const entry = entries.at(-1)
      // Tables have entries of their own, or are not what somebody looks for.
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

const endpointEntry = (endpoint: Endpoint): Entry => ({
  kind: 'endpoint',
  title: nameOf(endpoint),
  place: endpoint.operation.summary ?? '',
  text: '',
  href: `#${endpoint.id}`,
})

const codes = (): Entry[] => [
  ...Object.entries(refusals).map(([code, { message }]) => codeEntry(code, message, 'errors-refused-requests')),
  ...Object.entries(failures).map(([code, { message }]) => codeEntry(code, message, 'errors-failed-jobs')),
]

const codeEntry = (title: string, place: string, section: string): Entry => ({
  kind: 'code',
  title,
  place,
  text: '',
  href: `#${codeId(section, title)}`,
})

const fields = (endpoint: Endpoint): Entry[] =>
  requestFields(endpoint.operation)
    .filter(({ field: { name } }) => name !== 'id' && name !== 'cursor')
    .map(({ field: { name, description } }) => ({
      ...{ kind: 'field', title: name, place: nameOf(endpoint) },
      ...{ text: description, href: `#${endpoint.id}` },
    }))

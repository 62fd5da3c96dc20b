import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { withFacts } from '../../../../worker/http/documentation/guides/facts.ts'
import { blocksOf, type Snippet } from '../../../../worker/http/documentation/guides/render.ts'
import { defaultTerms } from '../../../support/default-terms.ts'

const folder = join(import.meta.dirname, '../../../../worker/http/documentation/guides')

/** The ids of all guides, which are the names of their files. */
export const guideIds = readdirSync(folder)
  .filter((name) => name.endsWith('.md'))
  .map((name) => basename(name, '.md'))

/** Its Markdown, without the facts. */
export const sourceOf = (guide: string): string => readFileSync(join(folder, `${guide}.md`), 'utf8')

export interface NamedSnippet extends Snippet {
  /** Such as `webhooks 2 python`: the second group of code blocks of its guide. */
  name: string
  guide: string
}

/** Every snippet of every guide, from the sources that /docs renders. */
export const allSnippets: NamedSnippet[] = guideIds.flatMap((guide) => {
  const markdown = withFacts(sourceOf(guide), { baseUrl: 'https://haul.example.com', terms: defaultTerms })
  const groups = blocksOf(markdown).flatMap((block) => ('snippets' in block ? [block.snippets] : []))
  return groups.flatMap((group, index) =>
    group.map((snippet) => ({ ...snippet, guide, name: [guide, index + 1, snippet.door].filter(Boolean).join(' ') })),
  )
})

/** What the tests put in the place of the addresses and keys of the guides. Nothing else of a snippet is changed. */
export interface Substitutes {
  haul: string
  apiKey: string
  /** A page with captions, a film without them, a recording of a voice, and a feed of two recordings. */
  page: string
  film: string
  recording: string
  feed: string
  /** Answers every POST with 200. */
  receiver: string
  /** Where the snippet may listen. */
  port: number
  s3: { endpoint: string; region: string; accessKeyId: string; secretAccessKey: string }
}

export const substituted = (text: string, use: Substitutes): string =>
  [
    // First, because the addresses below may have a port such as 30001.
    ['3000', `${use.port}`],
    ['https://haul.example.com', use.haul],
    ['haul_…', use.apiKey],
    ['https://example.com/talk.mp4', use.film],
    ['https://example.com/silent.mp4', use.film],
    ['https://example.com/talk', use.page],
    ['https://example.com/episode.mp3', use.recording],
    ['https://example.com/feed.xml', use.feed],
    ['https://example.com/haul-webhooks', use.receiver],
    ['https://s3.example.com', use.s3.endpoint],
    ['"region": "auto"', `"region": "${use.s3.region}"`],
    ['"accessKeyId": "…"', `"accessKeyId": "${use.s3.accessKeyId}"`],
    ['"secretAccessKey": "…"', `"secretAccessKey": "${use.s3.secretAccessKey}"`],
  ].reduce((changed, [example = '', real = '']) => changed.replaceAll(example, real), text)

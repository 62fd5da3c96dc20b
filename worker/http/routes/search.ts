import { z } from '@hono/zod-openapi'
import { cursorText, readCursor } from '../../../domain/search/cursor.ts'
import { askedFacts, factTokens } from '../../../domain/search/facts.ts'
import { MAX_QUERY_CHARACTERS, parseQuery } from '../../../domain/search/query.ts'
import { findWords } from '../find-words.ts'
import { apiKey } from '../guards.ts'
import { createdBetween, createdRange, withMetadata } from '../jobs/filter-query.ts'
import { MetadataFilter } from '../jobs/option-schemas.ts'
import { Limit, NextCursor } from '../pagination.ts'
import { account, identity } from '../request-context.ts'
import { handleAnswer, refuse, refuseCounted, respond, respondWith } from '../respond.ts'
import { routerFor } from '../router.ts'
import { JobId, named, ok, refusals, Title } from '../schemas.ts'
import { invalidField } from '../validation-messages.ts'

const MAX_CURSOR_CHARACTERS = 1_000

const Parameters = z.object({
  q: z.string().min(1).max(MAX_QUERY_CHARACTERS).openapi({
    description:
      'Words that are all in a passage, in any case, without accents: at most 20. `"a phrase"` finds words in a row, `word*` the start of a word; `-word` must not be there. All else is text. Chinese, Japanese and Thai are found character by character.',
    example: '"lease expires" -draft',
  }),
  ...createdBetween,
  language: z.string().min(1).max(35).optional().describe('Of the words: `en` also finds `en-US`.'),
  speaker: z.string().min(1).max(200).optional().describe('As in the transcript.'),
  watchId: z.string().min(1).optional().describe('Only jobs of this watch.'),
  jobId: z.string().min(1).optional().describe('Only this job.'),
  metadata: MetadataFilter,
  sort: z.enum(['relevance', 'newest']).default('relevance').openapi({
    description: '`relevance` ranks the newest 10,000 passages that match. `newest`: by when their jobs were created.',
  }),
  cursor: z
    .string()
    .max(MAX_CURSOR_CHARACTERS)
    .transform((text, context) => {
      const cursor = text === '' ? null : readCursor(text)
      if (text !== '' && !cursor) context.addIssue({ code: 'custom', message: 'is not a nextCursor of this search' })
      return cursor
    })
    .optional()
    .describe('The nextCursor of the previous page. Empty or absent for the first page.'),
  limit: Limit(50, 10),
})

/** Cast, because the library's types of preprocessed queries have no fields. */
const SearchQuery = z.preprocess(withMetadata, Parameters) as unknown as typeof Parameters

const SearchResult = named('SearchResult', {
  jobId: JobId,
  title: Title.nullable(),
  url: z.string().nullable().describe('Of the source. null: it is an upload.'),
  link: z
    .string()
    .nullable()
    .describe(
      'Where it can be seen or heard: the page at this second, if its site has such links; else our media, while it is stored; else the page.',
    ),
  start: z.number().describe('When the segment with the first match begins, in seconds. 0 if the title matches.'),
  end: z.number().describe('When the passage ends.'),
  speaker: z.string().optional(),
  language: z.string(),
  snippet: z.string().describe('Plain text: escape it before it becomes HTML.'),
  matches: z
    .array(z.tuple([z.number().int(), z.number().int()]))
    .describe('Offset and length of each match in `snippet`, in UTF-16 units, as strings of JavaScript count.'),
})

export const searchRoutes = routerFor('Search')

searchRoutes.add('GET /search', {
  operationId: 'search',
  summary: 'Find what was said',
  description:
    'Searches the words and titles of completed jobs: transcripts, and captions of imports. A job is found within a minute after its end, and no longer when it is removed. A page may be short. Only a `nextCursor` of null is the end.',
  guards: [apiKey('status', 'read', 'import', 'transcribe')],
  request: { query: SearchQuery },
  responses: {
    200: ok(z.object({ results: z.array(SearchResult), nextCursor: NextCursor })),
    ...refusals(400),
  },
  handle: async (c) => {
    const { q, sort, cursor = null, limit, jobId = null, ...filter } = c.req.valid('query')
    const query = parseQuery(q)
    if (typeof query === 'string') return refuseCounted(c, invalidField('q', query))
    if (cursor && !isOf(cursor, sort, query.wanted.length))
      return refuseCounted(c, invalidField('cursor', 'is not a nextCursor of this search'))
    return handleAnswer(c, account(c).openSearch(identity(c)), async ({ isOff, onlyOf }) => {
      if (isOff) return respond(c, { results: [], nextCursor: null })
      const keyId = onlyOf ?? undefined
      const facts = await factTokens(askedFacts({ ...filter, keyId }))
      const request = { query, facts, jobId, sort, cursor, limit, ...createdRange(filter) }
      const found = await findWords(c, request)
      if (!found.ok) return refuse(c, found.refusal)
      const { results, next } = found.value
      return respond(c, { results, nextCursor: next && cursorText(next) })
    })
  },
})

const isOf = (cursor: NonNullable<ReturnType<typeof readCursor>>, sort: string, phrases: number): boolean =>
  sort === 'newest' ? cursor.ranking === undefined : cursor.ranking?.weights.length === phrases

searchRoutes.add('POST /search/rebuild', {
  operationId: 'rebuildSearch',
  summary: 'Bring earlier words back',
  description:
    'Indexes what is not indexed: jobs that ended while `index` of the account was false. It takes about a second for a hundred jobs. Jobs that were started with `index: false` stay out.',
  guards: [apiKey('general', 'manage')],
  responses: {
    202: ok(z.object({ status: z.literal('rebuilding') }), 'Words are being brought back.'),
    ...refusals(409),
  },
  handle: (c) => respondWith(c, account(c).rebuildIndex(identity(c)), () => ({ status: 'rebuilding' }), 202),
})

import { z } from '@hono/zod-openapi'
import type { JobFilter } from '../../../domain/jobs/job-filter.ts'
import { Cursor, Limit } from '../pagination.ts'
import { MetadataFilter } from './own-shapes.ts'

export const Type = z.enum(['import', 'transcription'])
export const State = z.enum(['queued', 'running', 'failed', 'completed'])

const MAX_SEARCH_CHARACTERS = 200
const PREFIX = 'metadata.'

/** The parameters `metadata.KEY` as one object, which has the place of a parameter `metadata`. */
const withMetadata = (query: unknown): unknown => {
  const entries = Object.entries(Object(query))
  const filters = entries.filter(([name]) => name.startsWith(PREFIX))
  if (filters.length === 0) return query
  const metadata = Object.fromEntries(filters.map(([name, value]) => [name.slice(PREFIX.length), value]))
  return { ...Object(query), metadata }
}

const time = z.iso.datetime({ offset: true }).optional()

const Parameters = z.object({
  type: Type.optional(),
  status: State.optional(),
  metadata: MetadataFilter,
  after: time.describe('Only jobs that were created at this time or later, as 2026-11-21T09:00:00Z.'),
  before: time.describe('Only jobs that were created before this time.'),
  q: z
    .string()
    .trim()
    .min(1)
    .max(MAX_SEARCH_CHARACTERS)
    .optional()
    .describe('A part of the title or of the URL, in upper or lower case.'),
  cursor: Cursor('import', 'transcription'),
  limit: Limit(100, 20),
})

/** The parameters of a list of jobs. The cast, because the library's types of preprocessed queries have no fields. */
export const JobsQuery = z.preprocess(withMetadata, Parameters) as unknown as typeof Parameters

export const filterOf = (query: z.infer<typeof Parameters>): Omit<JobFilter, 'keyId'> => ({
  kind: query.type ?? null,
  state: query.status ?? null,
  metadata: query.metadata ?? {},
  createdFrom: query.after === undefined ? null : Date.parse(query.after),
  createdBefore: query.before === undefined ? null : Date.parse(query.before),
  text: query.q ?? null,
})

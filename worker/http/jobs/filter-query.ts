import { z } from '@hono/zod-openapi'

/** The parameters that choose among jobs, of lists and of searches. */

const PREFIX = 'metadata.'

/** Collects the parameters `metadata.KEY` into one object, as if it were a parameter `metadata`. */
export const withMetadata = (query: unknown): unknown => {
  const filters = Object.entries(Object(query)).filter(([name]) => name.startsWith(PREFIX))
  if (filters.length === 0) return query
  const metadata = Object.fromEntries(filters.map(([name, value]) => [name.slice(PREFIX.length), value]))
  return { ...Object(query), metadata }
}

const time = z.iso.datetime({ offset: true }).optional()

export const createdBetween = {
  after: time.describe('Only jobs that were created at this time or later, as 2026-11-21T09:00:00Z.'),
  before: time.describe('Only jobs that were created before this time.'),
}

export const createdRange = ({ after, before }: { after?: string | undefined; before?: string | undefined }) => ({
  createdFrom: after === undefined ? null : Date.parse(after),
  createdBefore: before === undefined ? null : Date.parse(before),
})

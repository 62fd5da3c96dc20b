import { z } from '@hono/zod-openapi'
import { type IdKind, idPattern } from '../../domain/ids.ts'

export const Cursor = (...kinds: IdKind[]) => cursorOf(idPattern(...kinds))

/** A damaged cursor, or one of another list, is refused: it would look like the end of this list. */
export const cursorOf = (pattern: string) =>
  z
    .string()
    .regex(new RegExp(`^(?:${pattern})?$`), 'is not a nextCursor of this list')
    .transform((text) => text || undefined)
    .optional()
    .describe('The nextCursor of the previous page. Empty or absent for the first page.')

export const Limit = (max: number, fallback: number) =>
  z.coerce.number().int().min(1).max(max).default(fallback).describe(`The number of records per page, up to ${max}.`)

export const NextCursor = z.string().nullable().describe('null on the last page.')

/** Reads one record more than the page shows, to find out whether another page follows. */
export const pageQuery = ({ cursor, limit }: { cursor?: string | undefined; limit: number }) => ({
  before: cursor ?? null,
  limit: limit + 1,
})

/** `records` has one more than the page shows, if another page follows. */
export const pageOf = <T>(records: T[], limit: number, cursorOf: (record: T) => string) => {
  const page = records.slice(0, limit)
  const last = records.length > limit ? page.at(-1) : undefined
  return { page, nextCursor: last ? cursorOf(last) : null }
}

export const pageSchema = (name: string, record: z.ZodType) =>
  z.object({ [name]: z.array(record), nextCursor: NextCursor })

export const pageView = <T extends { id: string }>(
  name: string,
  records: T[],
  limit: number,
  view: (record: T) => unknown,
) => {
  const { page, nextCursor } = pageOf(records, limit, ({ id }) => id)
  return { [name]: page.map(view), nextCursor }
}

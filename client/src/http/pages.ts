import type { ListOptions, RequestQuery } from '../options.ts'
import type { Connection } from './connection.ts'

/** The most that the service puts into a page. */
const MAX_PAGE = 100

type Page<Entry> = Record<string, Entry[]> & { nextCursor: string | null }

/**
 * Reads page after page, and each only when its entries are wanted. `timeoutMs` is for each of them. `name`: the property of
 * the response that holds the entries.
 */
export async function* entriesOf<Entry>(
  connection: Connection,
  path: string,
  name: string,
  { signal, timeoutMs, limit = Number.POSITIVE_INFINITY, ...filter }: ListOptions,
): AsyncGenerator<Entry, void, undefined> {
  let cursor: string | undefined
  let left = limit
  while (left > 0) {
    const query = { ...(filter as RequestQuery), cursor, limit: Math.min(left, MAX_PAGE) }
    const page: Page<Entry> = await connection.call({ signal, timeoutMs }, { path, query })
    const found = page[name] ?? []
    yield* found
    left -= found.length
    if (page.nextCursor === null) return
    cursor = page.nextCursor
  }
}

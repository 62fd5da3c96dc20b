import type { Query } from '../../domain/search/query.ts'

/** What the bench asks of the index in bench/workers/words.ts. */
export interface Recording {
  number: number
  hours: number
}

export interface Search {
  query: Query
  sort: 'relevance' | 'newest'
  limit: number
}

/** What one call took: in the object, without the way there. */
export interface Use {
  ms: number
  /** The longest time during which the object did nothing else. */
  busyMs: number
  /** As the platform counts them: of FTS5's own tables none. */
  rowsWritten: number
  rowsRead: number
  /** Rows written, with those of FTS5's own tables. */
  changes: number
}

export type Added = Use & { bytes: number }
export type Found = Use & { found: number }

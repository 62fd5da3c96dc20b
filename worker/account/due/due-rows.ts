import { firstRow } from '../../sqlite.ts'

/** What a row of the table `due` is for. kinds.ts says what is done when its time has come. */
export type DueKind =
  /** An Idempotency-Key expires. */
  | 'forget'
  /** An upload expires, or a removed one is forgotten. */
  | 'upload'
  /** A webhook's next attempt is due, its message was lost, or the lease of its attempt expires. */
  | 'delivery'
  /** An ended job may have left an unfinished multipart upload in its caller's bucket. */
  | 'cleanup'
  /** A job has ended and could not be recorded soon: see jobs/records.ts. */
  | 'record'
  /** A MediaChange. */
  | 'media'
  /** A ListChange. */
  | 'lists'

/** A change of what R2 stores. */
export type MediaChange =
  | { kind: 'discard'; objects: DiscardedObject[] }
  /** Writes the mark of removed media that a job still reads. */
  | { kind: 'withhold'; key: string }

export interface DiscardedObject {
  key: string
  uploadId: string | null
  /** Only the multipart upload is aborted. */
  isObjectKept?: boolean
}

/** A change of what D1 has for lists. */
export type ListChange =
  /** The account as it is when this is sent, because messages may arrive in another order. */
  | { kind: 'account' }
  /** Removes the job rows before a position, except those with the ids of `kept`. */
  | { kind: 'trim'; before: string; kept?: string[] }

export type DueRow = {
  kind: DueKind
  /** What it is about, such as a delivery's id. Changes are numbered in their order. */
  ref: string
  at: number
  /** JSON of a change. */
  body: string | null
  failures: number
}

/** Replaces an earlier time of the same thing. */
export const schedule = (sql: SqlStorage, kind: Exclude<DueKind, 'media' | 'lists'>, ref: string, at: number): void => {
  sql.exec('INSERT OR REPLACE INTO due (kind, ref, at) VALUES (?, ?, ?)', kind, ref, at)
}

export const unschedule = (sql: SqlStorage, kind: DueKind, ref: string): void => {
  sql.exec('DELETE FROM due WHERE kind = ? AND ref = ?', kind, ref)
}

/** Sent after the commit of the transaction that calls this, and never if it is rolled back. */
export const changeMedia = (sql: SqlStorage, change: MediaChange, now: number): void => add(sql, 'media', change, now)

export const changeLists = (sql: SqlStorage, change: ListChange, now: number): void => add(sql, 'lists', change, now)

const add = (sql: SqlStorage, kind: DueKind, change: MediaChange | ListChange, now: number): void => {
  sql.exec(
    `INSERT INTO due (kind, ref, at, body)
       SELECT ?1, printf('%015d', coalesce(max(ref), 0) + 1), ?2, ?3 FROM due WHERE kind = ?1`,
    kind,
    now,
    JSON.stringify(change),
  )
}

/** In the order in which they became due. */
export const dueRows = (sql: SqlStorage, kinds: readonly DueKind[], now: number, limit: number): DueRow[] => {
  if (kinds.length === 0) return []
  const names = kinds.map((kind) => `'${kind}'`).join(', ')
  const query = `SELECT kind, ref, at, body, failures FROM due WHERE at <= ? AND kind IN (${names}) ORDER BY at, ref LIMIT ?`
  return sql.exec<DueRow>(query, now, limit).toArray()
}

/** A row that is due is being sent. The alarm looks again this much later, in case the object is evicted before. */
const LOOK_AGAIN_MS = 5_000

export const nextRowAt = (sql: SqlStorage, now: number): number | null => {
  const query = 'SELECT at FROM due WHERE at > ? ORDER BY at LIMIT 1'
  const isAnyDue = firstRow(sql, 'SELECT 1 FROM due WHERE at <= ? LIMIT 1', now) !== undefined
  const nextAt = firstRow<{ at: number }>(sql, query, now)?.at ?? null
  return isAnyDue ? Math.min(nextAt ?? Number.POSITIVE_INFINITY, now + LOOK_AGAIN_MS) : nextAt
}

/** The row is done. It stays if it was scheduled anew meanwhile. */
export const endRow = (sql: SqlStorage, { kind, ref, at }: DueRow): void => {
  sql.exec('DELETE FROM due WHERE kind = ? AND ref = ? AND at = ?', kind, ref, at)
}

/** The row is due again at another time, unless it was scheduled anew meanwhile. */
export const postponeRow = (sql: SqlStorage, { kind, ref, at }: DueRow, nextAt: number, failures: number): void => {
  const query = 'UPDATE due SET at = ?, failures = ? WHERE kind = ? AND ref = ? AND at = ?'
  sql.exec(query, nextAt, failures, kind, ref, at)
}

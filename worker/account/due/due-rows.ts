import { firstValue } from '../../sqlite.ts'

export type DueKind =
  /** The message of a job's step. It is sent again until the step is claimed. */
  | 'step'
  /** The lease of a job's step, or the time of the job, ends. */
  | 'limit'
  /** A job has ended, or its media was removed: D1 and the metrics are told. */
  | 'record'
  /** Messages of turns, the end of their time, or free work that is left again: see batches/turns.ts. */
  | 'turns'
  /** Watches are polled: one row of all. */
  | 'polls'
  /** Items of a watch are ready for a batch, or its pause ends. */
  | 'watch'
  /** An upload expires, or a removed one is forgotten. */
  | 'upload'
  /** A webhook's next attempt is due, its message was lost, or the lease of its attempt expires. */
  | 'delivery'
  /** A job that has failed may have left files, or an unfinished upload, in its caller's bucket. */
  | 'cleanup'
  /** Words of a job are to be found, or not any more; without a job, all words: see search/index-work.ts. */
  | 'words'
  /** Media expires, and what is old is removed. */
  | 'sweep'
  | 'media'
  | 'lists'

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

export type ListChange =
  /** The account as it is when this is sent, because messages may arrive in another order. */
  | { kind: 'account' }
  /** Removes the job rows before a position, except those with the ids of `kept`. */
  | { kind: 'trim'; before: string; kept?: string[] }

export type DueRow = {
  /** What it is about. A job has one row until it has ended and is recorded. Changes are numbered in their order. */
  ref: string
  kind: DueKind
  at: number
  /** JSON of a change. */
  body: string | null
  /** How often it was tried since it was scheduled. */
  attempts: number
}

export const schedule = (sql: SqlStorage, kind: Exclude<DueKind, 'media' | 'lists'>, ref: string, at: number): void => {
  sql.exec('INSERT OR REPLACE INTO due (ref, kind, at) VALUES (?, ?, ?)', ref, kind, at)
}

export const scheduleBy = (sql: SqlStorage, kind: 'sweep', at: number): void => {
  const query = `INSERT INTO due (ref, kind, at) VALUES (?1, ?1, ?2)
    ON CONFLICT DO UPDATE SET at = excluded.at, attempts = 0 WHERE excluded.at < at`
  sql.exec(query, kind, at)
}

export const unschedule = (sql: SqlStorage, ref: string): void => {
  sql.exec('DELETE FROM due WHERE ref = ?', ref)
}

/** null: nothing of it is due, now or later. */
export const dueAt = (sql: SqlStorage, ref: string): number | null =>
  firstValue(sql, 'SELECT at FROM due WHERE ref = ?', ref)

/** Sent after the commit of the transaction that calls this, and never if it is rolled back. */
export const changeMedia = (sql: SqlStorage, change: MediaChange, now: number): void => add(sql, 'media', change, now)

export const changeLists = (sql: SqlStorage, change: ListChange, now: number): void => add(sql, 'lists', change, now)

const add = (sql: SqlStorage, kind: 'media' | 'lists', change: MediaChange | ListChange, now: number): void => {
  sql.exec(
    `INSERT INTO due (ref, kind, at, body)
       SELECT printf('%s %015d', ?1, coalesce(max(substr(ref, 7)), 0) + 1), ?1, ?2, ?3 FROM due
        WHERE ref >= ?1 || ' ' AND ref < ?1 || '!'`,
    kind,
    now,
    JSON.stringify(change),
  )
}

export const dueKinds = (sql: SqlStorage, now: number): DueKind[] => {
  const query = 'SELECT DISTINCT kind FROM due WHERE at <= ?'
  return [...sql.exec<{ kind: DueKind }>(query, now)].map(({ kind }) => kind)
}

export const dueRows = (sql: SqlStorage, kinds: readonly DueKind[], now: number, limit: number): DueRow[] => {
  const names = kinds.map((kind) => `'${kind}'`).join(', ')
  const query = `SELECT ref, kind, at, body, attempts FROM due WHERE at <= ? AND kind IN (${names}) ORDER BY at, ref LIMIT ?`
  return sql.exec<DueRow>(query, now, limit).toArray()
}

/** A row that is due is being sent. The alarm looks again this much later, in case the object is evicted before. */
const LOOK_AGAIN_MS = 60_000

/** When the alarm has something to do, apart from one row. null: never. */
export const nextRowAt = (sql: SqlStorage, now: number, exceptRef = ''): number | null => {
  const query = `SELECT min(iif(at > ?1, at, ?1 + ${LOOK_AGAIN_MS})) FROM
      (SELECT * FROM (SELECT at FROM due WHERE at <= ?1 AND ref <> ?2 LIMIT 1)
       UNION ALL SELECT * FROM (SELECT at FROM due WHERE at > ?1 AND ref <> ?2 ORDER BY at LIMIT 1))`
  return firstValue(sql, query, now, exceptRef)
}

export const endRow = (sql: SqlStorage, { ref, kind, at }: DueRow): void => {
  sql.exec('DELETE FROM due WHERE ref = ? AND kind = ? AND at = ?', ref, kind, at)
}

/** The row is due again at another time, unless it was scheduled anew meanwhile. */
export const postponeRow = (sql: SqlStorage, { ref, kind, at, attempts }: DueRow, nextAt: number): void => {
  const query = 'UPDATE due SET at = ?, attempts = ? WHERE ref = ? AND kind = ? AND at = ?'
  sql.exec(query, nextAt, attempts + 1, ref, kind, at)
}

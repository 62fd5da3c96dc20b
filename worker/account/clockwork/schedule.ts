import { firstRow } from '../../sqlite.ts'

/**
 * An object has one alarm, and the runtime drops it after six failed retries. So tasks are rows of a table,
 * and the alarm is only ever set to the earliest of them. What every job has to do in time is in its own row.
 */
export type TaskKind =
  /** An Idempotency-Key expires. */
  | 'forget'
  /** A webhook's next attempt is due, its message was lost, or the lease of its attempt expires. */
  | 'delivery'
  /** An ended job may have left an unfinished upload in its caller's bucket. */
  | 'cleanup'
  /** An upload expires, or a removed one is forgotten. */
  | 'upload'

export interface Task {
  kind: TaskKind
  ref: string
}

export const scheduleTask = (sql: SqlStorage, kind: TaskKind, ref: string, at: number): void => {
  sql.exec('INSERT OR REPLACE INTO schedule (kind, ref, at) VALUES (?, ?, ?)', kind, ref, at)
}

export const cancelTasks = (sql: SqlStorage, ref: string, ...kinds: TaskKind[]): void => {
  for (const kind of kinds) sql.exec('DELETE FROM schedule WHERE kind = ? AND ref = ?', kind, ref)
}

export const dueTasks = (sql: SqlStorage, now: number, limit: number): Task[] =>
  sql
    .exec<{ kind: TaskKind; ref: string }>(
      'SELECT kind, ref FROM schedule WHERE at <= ? ORDER BY at LIMIT ?',
      now,
      limit,
    )
    .toArray()

export const nextTaskAt = (sql: SqlStorage): number | null =>
  firstRow<{ at: number | null }>(sql, 'SELECT min(at) AS at FROM schedule')?.at ?? null

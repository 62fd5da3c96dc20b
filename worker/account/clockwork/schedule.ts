import { firstRow } from '../rows.ts'

/**
 * An object has one alarm, and it is gone after six failed retries. So what is to happen when stands in a
 * table, and the alarm is only ever set to the table's earliest time.
 */
export type TaskKind =
  /** The lease of a job's step ends. */
  | 'lease'
  /** A step's message is sent again, since nobody claimed it. */
  | 'resend'
  /** A job is given up. */
  | 'deadline'
  /** A job's media is removed. */
  | 'expire'
  /** Old idempotency keys are forgotten. */
  | 'forget'
  /** A webhook's next attempt is due, its message was lost, or its attempt was. */
  | 'delivery'
  /** What a job left unfinished in its caller's bucket is removed. */
  | 'cleanup'

export interface Task {
  kind: TaskKind
  ref: string
}

export const plan = (sql: SqlStorage, kind: TaskKind, ref: string, at: number): void => {
  sql.exec('INSERT OR REPLACE INTO schedule VALUES (?, ?, ?)', kind, ref, at)
}

export const unplan = (sql: SqlStorage, ref: string, ...kinds: TaskKind[]): void => {
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

import type { Step } from '../../domain/jobs/job.ts'
import { firstRow } from '../rows.ts'

/**
 * What must leave the object is written in the transaction that decided it, and carried out right after
 * the commit, or by the alarm when that fails. So nothing accepted is lost and nothing refused happens.
 * Every letter may be delivered twice.
 */
export type Letter =
  | { kind: 'step'; jobId: string; step: Step }
  | { kind: 'record'; jobId: string }
  | { kind: 'delivery'; deliveryId: string }
  | { kind: 'discard'; key: string; uploadId: string | null }

export interface Posted {
  seq: number
  attempts: number
  letter: Letter
}

/** A letter whose first delivery died with the object is picked up by the alarm after this. */
const FIRST_GRACE_MS = 5_000
const LONGEST_WAIT_MS = 300_000

export const post = (sql: SqlStorage, letter: Letter, now: number): void => {
  sql.exec('INSERT INTO outbox (kind, body, due_at) VALUES (?, ?, ?)', letter.kind, JSON.stringify(letter), now)
}

export const duePost = (sql: SqlStorage, now: number, limit: number): Posted[] =>
  sql
    .exec<{ seq: number; attempts: number; body: string }>(
      'SELECT seq, attempts, body FROM outbox WHERE due_at <= ? ORDER BY seq LIMIT ?',
      now,
      limit,
    )
    .toArray()
    .map(({ seq, attempts, body }) => ({ seq, attempts, letter: JSON.parse(body) as Letter }))

export const delivered = (sql: SqlStorage, seq: number): void => {
  sql.exec('DELETE FROM outbox WHERE seq = ?', seq)
}

export const postponed = (sql: SqlStorage, { seq, attempts }: Posted, now: number): void => {
  const wait = Math.min(LONGEST_WAIT_MS, 1_000 * 2 ** attempts)
  sql.exec('UPDATE outbox SET attempts = attempts + 1, due_at = ? WHERE seq = ?', now + wait, seq)
}

export const nextPostAt = (sql: SqlStorage): number | null => {
  const row = firstRow<{ at: number | null }>(
    sql,
    'SELECT min(CASE attempts WHEN 0 THEN due_at + ? ELSE due_at END) AS at FROM outbox',
    FIRST_GRACE_MS,
  )
  return row?.at ?? null
}

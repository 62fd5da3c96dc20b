import { firstRow } from '../../sqlite.ts'
import type { IdempotencyKey, Started } from '../calls.ts'
import { schedule, unschedule } from '../due/due-rows.ts'

/** The jobs that repeated requests are answered with, by their Idempotency-Key or by what they ask for (join.ts). */
export const keepJobOfKey = (
  sql: SqlStorage,
  { key, fingerprint }: IdempotencyKey,
  started: Started | null,
  expiresAt: number,
): void => {
  const { jobId = null, isReused = false } = started ?? {}
  sql.exec(
    'INSERT OR REPLACE INTO idempotency (key, fingerprint, job_id, expires_at, reused) VALUES (?, ?, ?, ?, ?)',
    key,
    fingerprint,
    jobId,
    expiresAt,
    isReused ? 1 : 0,
  )
  schedule(sql, 'forget', key, expiresAt)
}

/** null: there is none, or it is forgotten. */
export const jobOfKey = (sql: SqlStorage, key: string, now: number): string | null => {
  const query = 'SELECT job_id FROM idempotency WHERE key = ? AND expires_at > ?'
  return firstRow<{ job_id: string | null }>(sql, query, key, now)?.job_id ?? null
}

export const forgetKey = (sql: SqlStorage, key: string): void => {
  sql.exec('DELETE FROM idempotency WHERE key = ?', key)
  unschedule(sql, 'forget', key)
}

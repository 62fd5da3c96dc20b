import { firstRow } from '../../sqlite.ts'
import type { IdempotencyKey, Started } from '../calls.ts'
import { schedule, unschedule } from '../due/due-rows.ts'

interface KeptOfKey extends Partial<Omit<Started, 'jobId'>> {
  jobId?: string | null
  requestId?: string | null
}

/**
 * The jobs that repeated requests are answered with, by their Idempotency-Key or by what they ask for (join.ts). A key is
 * reserved for a request before it has a job.
 */
export const keepJobOfKey = (
  sql: SqlStorage,
  { key, fingerprint }: IdempotencyKey,
  { jobId = null, isReused = false, requestId = null }: KeptOfKey,
  expiresAt: number,
): void => {
  sql.exec(
    `INSERT OR REPLACE INTO idempotency (key, fingerprint, job_id, expires_at, reused, request_id)
       VALUES (?, ?, ?, ?, ?, ?)`,
    key,
    fingerprint,
    jobId,
    expiresAt,
    isReused ? 1 : 0,
    requestId,
  )
  schedule(sql, 'forget', key, expiresAt)
}

/** null: there is none, or it is forgotten. */
export const jobOfKey = (sql: SqlStorage, key: string, now: number): string | null =>
  keptOfKey(sql, key, now)?.jobId ?? null

/** null: nothing is kept, or it is forgotten. */
export const keptOfKey = (
  sql: SqlStorage,
  key: string,
  now: number,
): { jobId: string | null; requestId: string | null } | null => {
  const query = 'SELECT job_id, request_id FROM idempotency WHERE key = ? AND expires_at > ?'
  const row = firstRow<{ job_id: string | null; request_id: string | null }>(sql, query, key, now)
  return row ? { jobId: row.job_id, requestId: row.request_id } : null
}

export const forgetKey = (sql: SqlStorage, key: string): void => {
  sql.exec('DELETE FROM idempotency WHERE key = ?', key)
  unschedule(sql, 'forget', key)
}

import { IDEMPOTENCY_MS, IDEMPOTENCY_PENDING_MS } from '../../domain/limits.ts'
import { plan } from '../clockwork/schedule.ts'
import { firstRow } from '../rows.ts'

/** What an Idempotency-Key has come to. */
export type Standing = { seen: 'never' } | { seen: 'running' } | { seen: 'other' } | { seen: 'done'; jobId: string }

export const standing = (sql: SqlStorage, key: string, fingerprint: string, now: number): Standing => {
  const row = firstRow<{ fingerprint: string; job_id: string | null; expires_at: number }>(
    sql,
    'SELECT fingerprint, job_id, expires_at FROM idempotency WHERE key = ?',
    key,
  )
  if (!row || row.expires_at <= now) return { seen: 'never' }
  if (row.fingerprint !== fingerprint) return { seen: 'other' }
  return row.job_id === null ? { seen: 'running' } : { seen: 'done', jobId: row.job_id }
}

/** Reserves the key while its first request is on its way. */
export const reserve = (sql: SqlStorage, key: string, fingerprint: string, now: number): void => {
  const until = now + IDEMPOTENCY_PENDING_MS
  sql.exec('INSERT OR REPLACE INTO idempotency VALUES (?, ?, NULL, ?)', key, fingerprint, until)
  plan(sql, 'forget', key, until)
}

export const remember = (sql: SqlStorage, key: string, fingerprint: string, jobId: string, now: number): void => {
  const until = now + IDEMPOTENCY_MS
  sql.exec('INSERT OR REPLACE INTO idempotency VALUES (?, ?, ?, ?)', key, fingerprint, jobId, until)
  plan(sql, 'forget', key, until)
}

/** A refused request leaves its key free, unless another has been answered under it meanwhile. */
export const free = (sql: SqlStorage, key: string): void => {
  const isPending = firstRow(sql, 'SELECT 1 FROM idempotency WHERE key = ? AND job_id IS NULL', key) !== undefined
  if (isPending) forget(sql, key)
}

export const forget = (sql: SqlStorage, key: string): void => {
  sql.exec('DELETE FROM idempotency WHERE key = ?', key)
  sql.exec("DELETE FROM schedule WHERE kind = 'forget' AND ref = ?", key)
}

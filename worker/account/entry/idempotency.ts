import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { IDEMPOTENCY_MS, IDEMPOTENCY_PENDING_MS } from '../../../domain/limits.ts'
import { firstRow } from '../../sqlite.ts'
import { act } from '../acts.ts'
import type { IdempotencyKey, Started } from '../calls.ts'
import { ifAnswered, requestAct } from './authenticated-request.ts'
import { forgetKey, keepJobOfKey } from './job-keys.ts'
import { checkSuspension } from './shared-refusals.ts'

export type IdempotencyState =
  | { seen: 'never' }
  /** The first request with this key is in progress. */
  | { seen: 'running' }
  /** The key was used for a different request. */
  | { seen: 'other' }
  | { seen: 'done'; started: Started }

export const idempotencyState = (
  sql: SqlStorage,
  { key, fingerprint }: IdempotencyKey,
  now: number,
): IdempotencyState => {
  const row = firstRow<{ fingerprint: string; job_id: string | null; expires_at: number; reused: number }>(
    sql,
    'SELECT fingerprint, job_id, expires_at, reused FROM idempotency WHERE key = ?',
    key,
  )
  if (!row || row.expires_at <= now) return { seen: 'never' }
  if (row.fingerprint !== fingerprint) return { seen: 'other' }
  return row.job_id === null
    ? { seen: 'running' }
    : { seen: 'done', started: { jobId: row.job_id, isReused: row.reused === 1 } }
}

/**
 * Returns the job of an earlier request with this key, also to a suspended account. Otherwise reserves the key and
 * returns null.
 */
export const claimIdempotency = requestAct(
  ({ rows, now }, claim: IdempotencyKey): Result<Started | null> => {
    const { sql } = rows
    const known = idempotencyState(sql, claim, now)
    if (known.seen === 'other') return refused('IDEMPOTENCY_MISMATCH')
    if (known.seen === 'running') return refused('IDEMPOTENCY_IN_PROGRESS')
    if (known.seen === 'done') return accepted(known.started)
    const suspension = checkSuspension(rows)
    if (!suspension.ok) return suspension
    const expiresAt = now + IDEMPOTENCY_PENDING_MS
    keepJobOfKey(sql, claim, null, expiresAt)
    return accepted(null)
  },
  { counts: ifAnswered },
)

export const saveIdempotency = (sql: SqlStorage, claim: IdempotencyKey, started: Started, now: number): void =>
  keepJobOfKey(sql, claim, started, now + IDEMPOTENCY_MS)

/** A refused request releases its key, unless another request has started a job with the same key meanwhile. */
export const freeIdempotency = act(({ rows: { sql } }, key: string): void => {
  const isPending = firstRow(sql, 'SELECT 1 FROM idempotency WHERE key = ? AND job_id IS NULL', key) !== undefined
  if (isPending) forgetKey(sql, key)
})

import { IDEMPOTENCY_MS } from '../../../domain/limits.ts'
import { firstRow } from '../../sqlite.ts'
import { act } from '../acts.ts'
import type { IdempotencyKey, Started } from '../calls.ts'
import type { ApiKey } from '../keys/key-rows.ts'
import { onlyOf } from '../keys/permissions.ts'
import { forgetKey, keepJobOfKey } from './job-keys.ts'

export type IdempotencyState =
  | { seen: 'never' }
  /** The first request with this key is in progress. `requestId`: null if it is not known. */
  | { seen: 'running'; requestId: string | null }
  /** The key was used for a different request. */
  | { seen: 'other' }
  | { seen: 'done'; started: Started }

export const idempotencyState = (
  sql: SqlStorage,
  { key, fingerprint }: IdempotencyKey,
  now: number,
): IdempotencyState => {
  const row = firstRow<{
    fingerprint: string
    job_id: string | null
    expires_at: number
    reused: number
    request_id: string | null
  }>(sql, 'SELECT fingerprint, job_id, expires_at, reused, request_id FROM idempotency WHERE key = ?', key)
  if (!row || row.expires_at <= now) return { seen: 'never' }
  if (row.fingerprint !== fingerprint) return { seen: 'other' }
  return row.job_id === null
    ? { seen: 'running', requestId: row.request_id }
    : { seen: 'done', started: { jobId: row.job_id, isReused: row.reused === 1 } }
}

/**
 * A key that sees only its own jobs has Idempotency-Keys of its own: it must not be answered with the job of another one. They
 * have a space, which callers cannot send.
 */
export const idempotencyOf = (by: ApiKey, given: IdempotencyKey): IdempotencyKey => ({
  ...given,
  key: storedName(by, given.key),
})

const storedName = (by: ApiKey, name: string): string => (onlyOf(by) === null ? name : `${by.id} ${name}`)

export const saveIdempotency = (sql: SqlStorage, claim: IdempotencyKey, started: Started, now: number): void =>
  keepJobOfKey(sql, claim, started, now + IDEMPOTENCY_MS)

/** A refused request releases its key, unless another request has started a job with the same key meanwhile. */
export const freeIdempotency = act(({ rows: { sql, keys }, now }, given: string, keyHash: string): void => {
  const by = keys.live(keyHash, now)
  const key = by ? storedName(by, given) : given
  const isPending = firstRow(sql, 'SELECT 1 FROM idempotency WHERE key = ? AND job_id IS NULL', key) !== undefined
  if (isPending) forgetKey(sql, key)
})

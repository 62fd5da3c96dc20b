import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { IDEMPOTENCY_MS, IDEMPOTENCY_PENDING_MS } from '../../../domain/limits.ts'
import { firstRow } from '../../sqlite.ts'
import { act } from '../acts.ts'
import type { IdempotencyKey, Started } from '../calls.ts'
import type { ApiKey } from '../keys/key-rows.ts'
import { onlyOf } from '../keys/permissions.ts'
import { ifAnswered, requestAct } from './authenticated-request.ts'
import { forgetKey, keepJobOfKey } from './job-keys.ts'
import { checkSuspension } from './shared-refusals.ts'

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

/**
 * Returns the job of an earlier request with this key, also to a suspended account. Otherwise reserves the key for this
 * request and returns null.
 */
export const claimIdempotency = requestAct(
  ({ rows, key, now }, given: IdempotencyKey, requestId: string | null = null): Result<Started | null> => {
    const { sql } = rows
    const claim = idempotencyOf(key, given)
    const known = idempotencyState(sql, claim, now)
    if (known.seen === 'other') return refused('IDEMPOTENCY_MISMATCH')
    const isOwn = known.seen === 'running' && requestId !== null && known.requestId === requestId
    if (known.seen === 'running' && !isOwn) return refused('IDEMPOTENCY_IN_PROGRESS')
    if (known.seen === 'done') return accepted(known.started)
    const suspension = checkSuspension(rows)
    if (!suspension.ok) return suspension
    const expiresAt = now + IDEMPOTENCY_PENDING_MS
    keepJobOfKey(sql, claim, { requestId }, expiresAt)
    return accepted(null)
  },
  { counts: ifAnswered },
)

export const saveIdempotency = (sql: SqlStorage, claim: IdempotencyKey, started: Started, now: number): void =>
  keepJobOfKey(sql, claim, started, now + IDEMPOTENCY_MS)

/**
 * A refused request releases its key, unless another request has started a job with the same key meanwhile. `keyHash`: of the
 * API key. Absent: from a Worker of an earlier version.
 */
export const freeIdempotency = act(({ rows: { sql, keys }, now }, given: string, keyHash?: string): void => {
  const by = keyHash === undefined ? null : keys.live(keyHash, now)
  const key = by ? storedName(by, given) : given
  const isPending = firstRow(sql, 'SELECT 1 FROM idempotency WHERE key = ? AND job_id IS NULL', key) !== undefined
  if (isPending) forgetKey(sql, key)
})

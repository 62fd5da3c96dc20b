import type { PageRequest } from '../calls.ts'
import { firstRow } from '../sqlite.ts'
import type { AttemptError, AttemptOutcome, Delivery, DeliveryState, EventType } from './webhook-delivery.ts'

/** A delivery with its current lease. */
export type DeliveryRow = Delivery & {
  lease: string | null
  leaseUntil: number | null
}

type Columns = {
  id: string
  type: EventType
  /** Of the job or the batch. null for a test. */
  job_id: string | null
  url: string
  state: DeliveryState
  attempts: number
  created_at: number
  attempted_at: number | null
  next_at: number | null
  lease: string | null
  lease_until: number | null
  status: number | null
  response_body: string | null
  attempt_error: AttemptError | null
}

export const addDelivery = (
  sql: SqlStorage,
  { id, type, subject, url, now }: Pick<Delivery, 'id' | 'type' | 'url'> & { subject: string | null; now: number },
): void => {
  sql.exec(
    "INSERT INTO deliveries (id, type, job_id, url, state, created_at, next_at) VALUES (?, ?, ?, ?, 'pending', ?, ?)",
    id,
    type,
    subject,
    url,
    now,
    now,
  )
}

export const findDelivery = (sql: SqlStorage, id: string): DeliveryRow | null => {
  const row = firstRow<Columns>(sql, 'SELECT * FROM deliveries WHERE id = ?', id)
  return row ? fromColumns(row) : null
}

export interface DeliveryFilter {
  jobId: string | null
  state: DeliveryState | null
}

/** Newest first. */
export const listDeliveries = (
  sql: SqlStorage,
  { jobId, state }: DeliveryFilter,
  { before, limit }: PageRequest,
): Delivery[] =>
  sql
    .exec<Columns>(
      `SELECT * FROM deliveries
        WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR job_id = ?2) AND (?3 IS NULL OR state = ?3)
        ORDER BY id DESC LIMIT ?4`,
      before,
      jobId,
      state,
      limit,
    )
    .toArray()
    .map((row) => withoutLease(fromColumns(row)))

/** Tests do not count: the result of a test is in the response to its request. */
export const countFailed = (sql: SqlStorage): number =>
  sql
    .exec<{ failed: number }>("SELECT count(*) AS failed FROM deliveries WHERE state = 'failed' AND job_id IS NOT NULL")
    .one().failed

/** Oldest first, so that receivers get events in their original order. */
export const failedSince = (sql: SqlStorage, since: number, limit: number): string[] =>
  sql
    .exec<{ id: string }>(
      `SELECT id FROM deliveries
        WHERE state = 'failed' AND job_id IS NOT NULL AND created_at >= ? ORDER BY id LIMIT ?`,
      since,
      limit,
    )
    .toArray()
    .map(({ id }) => id)

export const grantDeliveryLease = (sql: SqlStorage, id: string, lease: string, until: number, now: number): void => {
  sql.exec(
    `UPDATE deliveries SET lease = ?, lease_until = ?, attempts = attempts + 1, attempted_at = ?, next_at = NULL
      WHERE id = ?`,
    lease,
    until,
    now,
    id,
  )
}

export const settleDelivery = (
  sql: SqlStorage,
  id: string,
  { state, nextAt }: { state: DeliveryState; nextAt: number | null },
  { status, responseBody, attemptError }: AttemptOutcome,
): void => {
  sql.exec(
    `UPDATE deliveries SET state = ?, next_at = ?, status = ?, response_body = ?, attempt_error = ?,
       lease = NULL, lease_until = NULL WHERE id = ?`,
    state,
    nextAt,
    status,
    responseBody,
    attemptError,
    id,
  )
}

/** All attempts are left again. */
export const reopenDelivery = (sql: SqlStorage, id: string, now: number): void => {
  sql.exec(
    "UPDATE deliveries SET state = 'pending', attempts = 0, next_at = ?, lease = NULL, lease_until = NULL WHERE id = ?",
    now,
    id,
  )
}

/** Ids are ordered by time, so this reads only old rows. */
export const deleteDeliveries = (sql: SqlStorage, before: string): void => {
  sql.exec("DELETE FROM deliveries WHERE id < ? AND state <> 'pending'", before)
}

export const withoutLease = ({ lease: _, leaseUntil: __, ...delivery }: DeliveryRow): Delivery => delivery

const isBatch = ({ type }: Columns): boolean => type.startsWith('batch.')

const fromColumns = (row: Columns): DeliveryRow => ({
  id: row.id,
  type: row.type,
  jobId: isBatch(row) ? null : row.job_id,
  batchId: isBatch(row) ? row.job_id : null,
  url: row.url,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at,
  attemptedAt: row.attempted_at,
  nextAt: row.next_at,
  lease: row.lease,
  leaseUntil: row.lease_until,
  status: row.status,
  responseBody: row.response_body,
  attemptError: row.attempt_error,
})

import type { Delivery, DeliveryState, EventType, Mishap, Outcome } from '../../domain/webhooks/deliveries.ts'
import { firstRow } from '../rows.ts'

/** A delivery's row; `lease` and `leaseUntil` concern the account alone. */
export type DeliveryRow = Delivery & {
  lease: string | null
  leaseUntil: number | null
}

type Columns = {
  id: string
  type: EventType
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
  answer: string | null
  mishap: Mishap | null
}

export const addDelivery = (
  sql: SqlStorage,
  { id, type, jobId, url, now }: Pick<Delivery, 'id' | 'type' | 'jobId' | 'url'> & { now: number },
): void => {
  sql.exec(
    "INSERT INTO deliveries (id, type, job_id, url, state, created_at, next_at) VALUES (?, ?, ?, ?, 'pending', ?, ?)",
    id,
    type,
    jobId,
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

/** Newest first; the cursor is the last id of the page before. */
export const listDeliveries = (
  sql: SqlStorage,
  { jobId, state }: DeliveryFilter,
  { before, limit }: { before: string | null; limit: number },
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

/** A failed test is no news to anybody: the one who asked for it was told. */
export const countFailed = (sql: SqlStorage): number =>
  sql
    .exec<{ failed: number }>("SELECT count(*) AS failed FROM deliveries WHERE state = 'failed' AND job_id IS NOT NULL")
    .one().failed

/** Oldest first, as their receivers would have got them. */
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

export const lendDelivery = (sql: SqlStorage, id: string, lease: string, until: number, now: number): void => {
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
  { status, answer, mishap }: Outcome,
): void => {
  sql.exec(
    `UPDATE deliveries SET state = ?, next_at = ?, status = ?, answer = ?, mishap = ?, lease = NULL, lease_until = NULL
      WHERE id = ?`,
    state,
    nextAt,
    status,
    answer,
    mishap,
    id,
  )
}

/** With all its attempts before it again. */
export const reopenDelivery = (sql: SqlStorage, id: string, now: number): void => {
  sql.exec(
    "UPDATE deliveries SET state = 'pending', attempts = 0, next_at = ?, lease = NULL, lease_until = NULL WHERE id = ?",
    now,
    id,
  )
}

/** Ids are ordered by time, so this reads no more rows than it removes. */
export const forgetDeliveries = (sql: SqlStorage, before: string): void => {
  sql.exec("DELETE FROM deliveries WHERE id < ? AND state <> 'pending'", before)
}

export const withoutLease = ({ lease: _, leaseUntil: __, ...delivery }: DeliveryRow): Delivery => delivery

const fromColumns = (row: Columns): DeliveryRow => ({
  id: row.id,
  type: row.type,
  jobId: row.job_id,
  url: row.url,
  state: row.state,
  attempts: row.attempts,
  createdAt: row.created_at,
  attemptedAt: row.attempted_at,
  nextAt: row.next_at,
  lease: row.lease,
  leaseUntil: row.lease_until,
  status: row.status,
  answer: row.answer,
  mishap: row.mishap,
})

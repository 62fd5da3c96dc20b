import { type Field, firstValue, jsonOr, plains, type StoredRow, Table } from '../../sqlite.ts'
import type { PageRequest } from '../calls.ts'
import type { Delivery, DeliveryState } from './webhook-delivery.ts'

export type DeliveryRow = Delivery & {
  lease: string | null
  leaseUntil: number | null
  data: object | null
}

const subjects = ['job', 'batch', 'watch'] as const
type Subject = (typeof subjects)[number]

export const subjectOf = (type: string): Subject => subjects.find((each) => type.startsWith(`${each}.`)) ?? 'job'

/** The column has the id of the job, the batch or the watch. A test has none. */
const subject = (of: Subject): Field<string | null> => ({
  columns: ['job_id'],
  read: (stored: StoredRow) => (subjectOf(`${stored.type}`) === of ? (stored.job_id as string | null) : null),
  write: (id) => (id === null ? {} : { job_id: id }),
})

const deliveryTable = new Table<DeliveryRow>('deliveries', {
  ...plains('id', 'type', 'url', 'state', 'attempts', 'createdAt', 'attemptedAt', 'nextAt', 'lease', 'leaseUntil'),
  ...plains('status', 'responseBody', 'attemptError'),
  jobId: subject('job'),
  batchId: subject('batch'),
  watchId: subject('watch'),
  data: jsonOr<object | null>(null, 'data'),
})

export const addDelivery = (
  sql: SqlStorage,
  { now, ...delivery }: Pick<Delivery, 'id' | 'type' | 'url'> & Partial<DeliveryRow> & { now: number },
): void => deliveryTable.insert(sql, { ...delivery, state: 'pending', createdAt: now, nextAt: now })

export const findDelivery = (sql: SqlStorage, id: string): DeliveryRow | null =>
  deliveryTable.first(sql, 'WHERE id = ?', id)

export const updateDelivery = (sql: SqlStorage, id: string, changes: Partial<DeliveryRow>): void =>
  deliveryTable.update(sql, changes, 'id = ?', id)

export interface DeliveryFilter {
  jobId: string | null
  state: DeliveryState | null
}

export const listDeliveries = (
  sql: SqlStorage,
  { jobId, state }: DeliveryFilter,
  { before, limit }: PageRequest,
): Delivery[] =>
  deliveryTable
    .select(
      sql,
      `WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR job_id = ?2) AND (?3 IS NULL OR state = ?3)
         ORDER BY id DESC LIMIT ?4`,
      before,
      jobId,
      state,
      limit,
    )
    .map(withoutLease)

/** Tests do not count: the result of a test is in the response to its request. */
export const countFailed = (sql: SqlStorage): number =>
  firstValue(sql, "SELECT count(*) FROM deliveries WHERE state = 'failed' AND job_id IS NOT NULL") ?? 0

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

/** Ids are ordered by time, so this reads only old rows. */
export const deleteDeliveries = (sql: SqlStorage, before: string): void => {
  sql.exec("DELETE FROM deliveries WHERE id < ? AND state <> 'pending'", before)
}

export const withoutLease = ({ lease: _, leaseUntil: __, data: ___, ...delivery }: DeliveryRow): Delivery => delivery

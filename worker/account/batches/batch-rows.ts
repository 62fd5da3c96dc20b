import type { Batch, BatchState, ItemRequest } from '../../../domain/batches/batch.ts'
import type { Failure } from '../../../domain/codes/failures.ts'
import type { JobKind } from '../../../domain/jobs/job.ts'
import type { JobMetadata } from '../../../domain/jobs/job-metadata.ts'
import type { Micros } from '../../../domain/money/money.ts'
import type { Prices } from '../../../domain/money/prices.ts'
import { firstValue, json, jsonOr, plain, plains, Table } from '../../sqlite.ts'

export interface BatchRequest {
  /** null: the request had the urls. */
  playlist: { url: string; limit: number } | null
  item: ItemRequest['request']
  reuseWithinSeconds: number
  maxCostMicros: Micros | null
  prices: Prices
  keyId: string
  webhookUrl: string | null
  origin: string | null
  requestId: string | null
  /** The original batch that this one retries, directly or after other retries. */
  retryOf?: string
  /** The watch that made it. */
  watchId?: string
  metadata?: JobMetadata
}

export interface BatchRow {
  readonly id: string
  readonly kind: JobKind
  readonly request: BatchRequest
  readonly createdAt: number
  state: BatchState
  title: string | null
  completedAt: number | null
  total: number | null
  completed: number
  failed: number
  /** Skipped or canceled. */
  skipped: number
  cost: Micros
  failure: Failure | null
}

export const batchTable = new Table<BatchRow>('batches', {
  ...plains('id', 'kind', 'state', 'title', 'createdAt', 'completedAt', 'total', 'completed', 'failed', 'skipped'),
  request: json('request'),
  cost: plain('cost_micros'),
  failure: jsonOr<Failure | null>(null, 'failure'),
})

export const readBatchRow = (sql: SqlStorage, id: string): BatchRow | null => batchTable.first(sql, 'WHERE id = ?', id)

/** Newest first. `onlyOf`: a key, for those that it has started. `watchId` null: those that no watch has made. */
export const listBatchRows = (
  sql: SqlStorage,
  onlyOf: string | null,
  watchId: string | null,
  before: string | null,
  limit: number,
): BatchRow[] =>
  batchTable.select(
    sql,
    `WHERE (?1 IS NULL OR id < ?1) AND (?2 IS NULL OR request ->> 'keyId' = ?2) AND request ->> 'watchId' IS ?3
      ORDER BY id DESC LIMIT ?4`,
    before,
    onlyOf,
    watchId,
    limit,
  )

export const oldestBatchAt = (sql: SqlStorage): number | null =>
  firstValue(sql, 'SELECT created_at FROM batches WHERE completed_at IS NOT NULL ORDER BY id LIMIT 1')

/** `before`: an id. False: there may be more. */
export const removeBatches = (sql: SqlStorage, before: string, limit: number): boolean => {
  const old = sql
    .exec<{ id: string; scope: string }>(
      `SELECT id, coalesce(request ->> 'watchId', request ->> 'retryOf', id) AS scope FROM batches
       WHERE id < ? AND completed_at IS NOT NULL LIMIT ?`,
      before,
      limit,
    )
    .toArray()
  for (const { id, scope } of old) {
    sql.exec('DELETE FROM batch_items WHERE batch_id = ?', id)
    sql.exec('DELETE FROM batches WHERE id = ?', id)
    // A retry that is still here, or the watch, needs the keys too.
    sql.exec(
      `DELETE FROM bucket_keys WHERE scope = ?1
       AND NOT EXISTS (SELECT 1 FROM batches WHERE id = ?1 OR request ->> 'retryOf' = ?1)
       AND NOT EXISTS (SELECT 1 FROM watches WHERE id = ?1)`,
      scope,
    )
  }
  return old.length < limit
}

/** The batch that this one retries, or itself. */
export const originalOf = ({ id, request }: BatchRow): string => request.retryOf ?? id

/** No two items in it share a key in the caller's bucket. */
export const scopeOf = (batch: BatchRow): string => batch.request.watchId ?? originalOf(batch)

export const endedItems = ({ completed, failed, skipped }: BatchRow): number => completed + failed + skipped

/** `running`: how many of its items are queued or running. */
export const asBatch = (row: BatchRow, running: number): Batch => {
  const { id, kind, state, title, createdAt, completedAt, total, completed, failed, skipped, cost, failure } = row
  const { maxCostMicros, webhookUrl, origin, metadata, watchId = null } = row.request
  const waiting = total === null ? 0 : total - endedItems(row) - running
  const counts = { total, waiting, running, completed, failed, skipped }
  const about = { id, kind, state, title, createdAt, completedAt, failure }
  return {
    ...about,
    counts,
    costMicros: cost,
    maxCostMicros,
    watchId,
    webhookUrl,
    origin,
    ...(metadata && { metadata }),
  }
}

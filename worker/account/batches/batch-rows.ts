import type { Batch, BatchState, ItemRequest } from '../../../domain/batches/batch.ts'
import type { Failure } from '../../../domain/codes/failures.ts'
import type { JobKind } from '../../../domain/jobs/job.ts'
import { type Micros, micros } from '../../../domain/money/money.ts'
import { firstRow } from '../sqlite.ts'

/** What a batch was asked for. It does not change. */
export interface BatchRequest {
  /** null: the request had the urls. */
  playlist: { url: string; limit: number } | null
  /** What each item is asked for, except its URL. */
  item: ItemRequest['request']
  reuseWithinSeconds: number
  maxCostMicros: Micros | null
  webhookUrl: string | null
  origin: string | null
  requestId: string | null
  /** The original batch that this one retries, directly or after other retries. */
  retryOf?: string
}

/** A batch with what the account counts of it. Its items that run are those of the open jobs. */
export interface BatchRow {
  readonly id: string
  readonly kind: JobKind
  readonly request: BatchRequest
  readonly createdAt: number
  state: BatchState
  title: string | null
  completedAt: number | null
  /** null: the playlist is not listed. */
  total: number | null
  completed: number
  failed: number
  /** Skipped or canceled. */
  skipped: number
  /** Of its completed items. */
  cost: Micros
  failure: Failure | null
  /** The number of the event that it ended with: see events/. */
  endedEvent: number | null
}

type BatchColumns = {
  id: string
  kind: JobKind
  state: BatchState
  request: string
  title: string | null
  created_at: number
  completed_at: number | null
  total: number | null
  completed: number
  failed: number
  skipped: number
  cost_micros: number
  failure: string | null
  ended_event: number | null
}

/** The batches that an act reads. It changes them in memory, and each that has changed is written once, at its end. */
export class OpenedBatches {
  readonly #sql: SqlStorage
  readonly #opened = new Map<string, { batch: BatchRow; saved: BatchColumns | null }>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  find(id: string): BatchRow | null {
    const opened = this.#opened.get(id)
    if (opened) return opened.batch
    const saved = firstRow<BatchColumns>(this.#sql, 'SELECT * FROM batches WHERE id = ?', id)
    if (!saved) return null
    const batch = toBatchRow(saved)
    this.#opened.set(id, { batch, saved })
    return batch
  }

  add(batch: BatchRow): void {
    this.#opened.set(batch.id, { batch, saved: null })
  }

  /** Called in the transaction of the act. */
  save(): void {
    for (const { batch, saved } of this.#opened.values()) this.#save(toColumns(batch), saved)
    this.#opened.clear()
  }

  /** After a rollback. */
  forget(): void {
    this.#opened.clear()
  }

  #save(columns: BatchColumns, saved: BatchColumns | null): void {
    const names = Object.keys(columns) as (keyof BatchColumns)[]
    const changed = names.filter((name) => columns[name] !== saved?.[name])
    const values = changed.map((name) => columns[name])
    if (!saved) {
      this.#sql.exec(`INSERT INTO batches (${changed}) VALUES (${changed.map(() => '?')})`, ...values)
    } else if (changed.length > 0) {
      const set = changed.map((name) => `${name} = ?`).join(', ')
      this.#sql.exec(`UPDATE batches SET ${set} WHERE id = ?`, ...values, columns.id)
    }
  }
}

/** The batch as it was saved last, for requests that do not change it. */
export const readBatchRow = (sql: SqlStorage, id: string): BatchRow | null => {
  const columns = firstRow<BatchColumns>(sql, 'SELECT * FROM batches WHERE id = ?', id)
  return columns ? toBatchRow(columns) : null
}

/** Newest first. `before` is the last id of the previous page. */
export const listBatchRows = (sql: SqlStorage, before: string | null, limit: number): BatchRow[] =>
  sql
    .exec<BatchColumns>('SELECT * FROM batches WHERE ?1 IS NULL OR id < ?1 ORDER BY id DESC LIMIT ?2', before, limit)
    .toArray()
    .map(toBatchRow)

/** Of those that have ended. null: there is none. */
export const oldestBatchAt = (sql: SqlStorage): number | null => {
  const query = 'SELECT created_at FROM batches WHERE completed_at IS NOT NULL ORDER BY id LIMIT 1'
  return firstRow<{ created_at: number }>(sql, query)?.created_at ?? null
}

/** Removes batches that have ended, with their items. `before`: an id. False: there may be more. */
export const removeBatches = (sql: SqlStorage, before: string, limit: number): boolean => {
  const old = sql
    .exec<{ id: string }>('SELECT id FROM batches WHERE id < ? AND completed_at IS NOT NULL LIMIT ?', before, limit)
    .toArray()
  for (const { id } of old) {
    sql.exec('DELETE FROM batch_items WHERE batch_id = ?', id)
    sql.exec('DELETE FROM batches WHERE id = ?', id)
  }
  return old.length < limit
}

export const endedItems = ({ completed, failed, skipped }: BatchRow): number => completed + failed + skipped

/** `running`: how many of its items are queued or running. */
export const asBatch = (row: BatchRow, running: number): Batch => {
  const { id, kind, state, title, createdAt, completedAt, total, completed, failed, skipped, cost, failure } = row
  const { maxCostMicros, webhookUrl, origin } = row.request
  const waiting = total === null ? 0 : total - endedItems(row) - running
  const counts = { total, waiting, running, completed, failed, skipped }
  const about = { id, kind, state, title, createdAt, completedAt, failure }
  return { ...about, counts, costMicros: cost, maxCostMicros, webhookUrl, origin }
}

const toBatchRow = (columns: BatchColumns): BatchRow => ({
  id: columns.id,
  kind: columns.kind,
  state: columns.state,
  request: JSON.parse(columns.request),
  title: columns.title,
  createdAt: columns.created_at,
  completedAt: columns.completed_at,
  total: columns.total,
  completed: columns.completed,
  failed: columns.failed,
  skipped: columns.skipped,
  cost: micros(columns.cost_micros),
  failure: columns.failure === null ? null : JSON.parse(columns.failure),
  endedEvent: columns.ended_event,
})

const toColumns = (batch: BatchRow): BatchColumns => ({
  id: batch.id,
  kind: batch.kind,
  state: batch.state,
  request: JSON.stringify(batch.request),
  title: batch.title,
  created_at: batch.createdAt,
  completed_at: batch.completedAt,
  total: batch.total,
  completed: batch.completed,
  failed: batch.failed,
  skipped: batch.skipped,
  cost_micros: batch.cost,
  failure: batch.failure === null ? null : JSON.stringify(batch.failure),
  ended_event: batch.endedEvent,
})

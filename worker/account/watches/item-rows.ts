import type { LinkedFiles } from '../../../domain/protocol/protocol.ts'
import type { WatchItem, WatchItemState } from '../../../domain/watches/watch.ts'
import { firstValue, flag, jsonOr, plain, plains, Table } from '../../sqlite.ts'

/** `unmeasured`: its length counts, and is asked from the source first. Callers see it as waiting. */
export type KeptState = Exclude<WatchItemState, 'queued' | 'running'> | 'unmeasured'

export interface WatchItemRow extends Omit<WatchItem, 'state'> {
  readonly watchId: string
  state: KeptState
  linked: LinkedFiles | undefined
  /** False while its event waits for the end of a pause. */
  isTold: boolean
  /** The open batch of which it is an item. */
  batchId: string | null
  liveSince: number | null
}

const itemTable = new Table<WatchItemRow>('watch_items', {
  ...plains('watchId', 'id', 'url', 'title', 'publishedAt', 'seconds', 'state', 'batchId', 'jobId', 'attempts', 'code'),
  nextAttemptAt: plain('next_at'),
  ...plains('liveSince', 'costMicros'),
  linked: jsonOr<LinkedFiles | undefined>(undefined, 'linked'),
  isTold: flag('told'),
})

export const findItem = (sql: SqlStorage, watchId: string, id: string): WatchItemRow | null =>
  itemTable.first(sql, 'WHERE watch_id = ? AND id = ?', watchId, id)

export const changeItem = (
  sql: SqlStorage,
  { watchId, id }: Pick<WatchItemRow, 'watchId' | 'id'>,
  changes: Partial<WatchItemRow>,
): void => itemTable.update(sql, changes, 'watch_id = ? AND id = ?', watchId, id)

export type NewWatchItem = Pick<
  WatchItemRow,
  'id' | 'url' | 'title' | 'publishedAt' | 'seconds' | 'linked' | 'state' | 'isTold'
> & { identities: readonly string[] }

/** A value that is bound to a statement has at most 2 MB. */
const ITEMS_AT_ONCE = 100

export const addWatchItems = (sql: SqlStorage, watchId: string, items: readonly NewWatchItem[]): void => {
  for (let from = 0; from < items.length; from += ITEMS_AT_ONCE) {
    const some = JSON.stringify(items.slice(from, from + ITEMS_AT_ONCE))
    sql.exec(
      `INSERT INTO watch_items (watch_id, id, url, title, published_at, seconds, linked, state, told)
         SELECT ?, value ->> 'id', value ->> 'url', value ->> 'title', value ->> 'publishedAt', value ->> 'seconds',
                value ->> 'linked', value ->> 'state', value ->> 'isTold' FROM json_each(?)`,
      watchId,
      some,
    )
    sql.exec(
      `INSERT OR IGNORE INTO watch_identities (watch_id, identity)
         SELECT ?, identity.value FROM json_each(?) AS item, json_each(item.value, '$.identities') AS identity`,
      watchId,
      some,
    )
  }
}

/** Those that are known of these. True: they tell nothing, because they have stood twice in one document. */
export const knownIdentities = (
  sql: SqlStorage,
  watchId: string,
  identities: readonly string[],
): ReadonlyMap<string, boolean> => {
  const query = `SELECT identity, ambiguous FROM watch_identities
    WHERE watch_id = ? AND identity IN (SELECT value FROM json_each(?))`
  const rows = sql.exec<{ identity: string; ambiguous: number }>(query, watchId, JSON.stringify(identities))
  return new Map([...rows].map(({ identity, ambiguous }) => [identity, ambiguous === 1]))
}

export const markAmbiguous = (sql: SqlStorage, watchId: string, identities: readonly string[]): void => {
  if (identities.length === 0) return
  sql.exec(
    `INSERT OR REPLACE INTO watch_identities (watch_id, identity, ambiguous) SELECT ?, value, 1 FROM json_each(?)`,
    watchId,
    JSON.stringify(identities),
  )
}

/** Without those that a batch has. */
const free = "watch_id = ? AND state = 'waiting' AND batch_id IS NULL"

/** Oldest first. */
export const readyItems = (sql: SqlStorage, watchId: string, now: number, limit: number): WatchItemRow[] =>
  itemTable.select(sql, `WHERE ${free} AND (next_at IS NULL OR next_at <= ?) ORDER BY id LIMIT ?`, watchId, now, limit)

/** When the next one is ready. null: none waits. */
export const nextReadyAt = (sql: SqlStorage, watchId: string): number | null =>
  firstValue(sql, `SELECT min(coalesce(next_at, 0)) FROM watch_items WHERE ${free}`, watchId)

/** Of all watches, without those that a round of polls measures now. */
export const unmeasuredItems = (sql: SqlStorage, now: number, limit: number): WatchItemRow[] =>
  itemTable.select(
    sql,
    "WHERE state = 'unmeasured' AND (next_at IS NULL OR next_at <= ?) ORDER BY watch_id, id LIMIT ?",
    now,
    limit,
  )

/** null: all lengths are known. */
export const nextUnmeasuredAt = (sql: SqlStorage): number | null =>
  firstValue(sql, "SELECT min(coalesce(next_at, 0)) FROM watch_items WHERE state = 'unmeasured'")

export const untoldItems = (sql: SqlStorage, watchId: string): WatchItemRow[] =>
  itemTable.select(sql, "WHERE watch_id = ? AND state = 'waiting' AND told = 0 ORDER BY id", watchId)

export const waitingItems = (sql: SqlStorage, watchId: string): WatchItemRow[] =>
  itemTable.select(sql, "WHERE watch_id = ? AND state IN ('unmeasured', 'waiting') ORDER BY id", watchId)

export const countWaiting = (sql: SqlStorage, watchId: string): number =>
  firstValue(
    sql,
    "SELECT count(*) FROM watch_items WHERE watch_id = ? AND state IN ('unmeasured', 'waiting')",
    watchId,
  ) ?? 0

/** Newest first. */
export const listWatchItems = (
  sql: SqlStorage,
  watchId: string,
  states: readonly KeptState[] | null,
  before: string | null,
  limit: number,
): WatchItemRow[] =>
  itemTable.select(
    sql,
    `WHERE watch_id = ?1 AND (?2 IS NULL OR id < ?2) AND (?3 IS NULL OR state IN (SELECT value FROM json_each(?3)))
      ORDER BY id DESC LIMIT ?4`,
    watchId,
    before,
    states && JSON.stringify(states),
    limit,
  )

export const forgetWatchItems = (sql: SqlStorage, watchId: string): void => {
  for (const table of ['watch_items', 'watch_identities']) sql.exec(`DELETE FROM ${table} WHERE watch_id = ?`, watchId)
  sql.exec('DELETE FROM bucket_keys WHERE scope = ?', watchId)
}

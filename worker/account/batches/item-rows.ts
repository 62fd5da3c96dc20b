import type { BatchItem, ItemSource, ItemState } from '../../../domain/batches/batch.ts'
import type { Micros } from '../../../domain/money/money.ts'
import type { LinkedFiles } from '../../../domain/protocol/protocol.ts'
import { firstValue, plain, plains, Table } from '../../sqlite.ts'

/** The row of an item is written when the item is added and when it ends. Between the two it says `waiting`. */
export interface NewItem {
  url: string
  title: string | null
  linked?: LinkedFiles | undefined
  /** In the batch that is retried. Absent: it is no retry. */
  place?: number
  /** The item of a watch. */
  owner?: string
}

const flagOf = (value: boolean | null): number | null => (value === null ? null : Number(value))

const itemTable = new Table<BatchItem>('batch_items', {
  ...plains('url', 'title', 'state', 'jobId', 'code', 'message', 'costMicros'),
  index: plain('item'),
  isComplete: {
    columns: ['complete'],
    read: ({ complete }) => (complete === null ? null : complete === 1),
    write: (isComplete) => ({ complete: flagOf(isComplete) }),
  },
})

/** A value that is bound to a statement has at most 2 MB: items have a URL and linked files of at most 4 KiB each, and a title. */
const ITEMS_AT_ONCE = 100

export const addItems = (sql: SqlStorage, batchId: string, items: readonly NewItem[]): void => {
  for (let from = 0; from < items.length; from += ITEMS_AT_ONCE) {
    sql.exec(
      `INSERT INTO batch_items (batch_id, item, url, title, linked, place, owner)
         SELECT ?, ? + key, value ->> 'url', value ->> 'title', value ->> 'linked', value ->> 'place', value ->> 'owner'
           FROM json_each(?)`,
      batchId,
      from,
      JSON.stringify(items.slice(from, from + ITEMS_AT_ONCE)),
    )
  }
}

export const sourceOfItem = (sql: SqlStorage, batchId: string, index: number): ItemSource => {
  const query = 'SELECT url, linked FROM batch_items WHERE batch_id = ? AND item = ?'
  const { url, linked } = sql.exec<{ url: string; linked: string | null }>(query, batchId, index).one()
  return { url, ...linkedIn(linked) }
}

const linkedIn = (json: string | null): Pick<NewItem, 'linked'> => (json === null ? {} : { linked: JSON.parse(json) })

export interface ItemEnd {
  state: Exclude<ItemState, 'waiting' | 'queued' | 'running'>
  jobId?: string | null
  title?: string | null | undefined
  code?: string | null
  message?: string | null
  retryable?: boolean
  cost?: Micros | null | undefined
  isComplete?: boolean | null
}

/** A title that the list had is kept. */
export const writeItemEnd = (sql: SqlStorage, batchId: string, index: number, end: ItemEnd): void => {
  const { state, jobId = null, title = null, code = null, message = null, retryable = false } = end
  const { cost = null, isComplete = null } = end
  sql.exec(
    `UPDATE batch_items SET state = ?, job_id = ?, title = coalesce(title, ?), code = ?, message = ?, retryable = ?,
       cost_micros = ?, complete = ? WHERE batch_id = ? AND item = ?`,
    ...[state, jobId, title, code, message, retryable ? 1 : 0, cost, flagOf(isComplete), batchId, index],
  )
}

/** `started`: the indexes of items with a job. */
export const endWaitingItems = (
  sql: SqlStorage,
  batchId: string,
  started: readonly number[],
  { state, code, message }: Record<'state' | 'code' | 'message', string>,
): void => {
  sql.exec(
    `UPDATE batch_items SET state = ?, code = ?, message = ?
      WHERE batch_id = ? AND state = 'waiting' AND item NOT IN (SELECT value FROM json_each(?))`,
    ...[state, code, message, batchId, JSON.stringify(started)],
  )
}

export const listItems = (
  sql: SqlStorage,
  batchId: string,
  state: ItemState | null,
  { after, limit }: { after: number | null; limit: number },
): BatchItem[] =>
  itemTable.select(
    sql,
    'WHERE batch_id = ?1 AND item > ?2 AND (?3 IS NULL OR state = ?3) ORDER BY item LIMIT ?4',
    batchId,
    after ?? -1,
    state,
    limit,
  )

export const readItem = (sql: SqlStorage, batchId: string, index: number): BatchItem | null =>
  itemTable.first(sql, 'WHERE batch_id = ? AND item = ?', batchId, index)

/** Its number in the original batch. */
export const placeOfItem = (sql: SqlStorage, batchId: string, index: number): number =>
  firstValue<number>(sql, 'SELECT place FROM batch_items WHERE batch_id = ? AND item = ?', batchId, index) ?? index

/** The item of a watch that it is. */
export const ownerOfItem = (sql: SqlStorage, batchId: string, index: number): string | null =>
  firstValue(sql, 'SELECT owner FROM batch_items WHERE batch_id = ? AND item = ?', batchId, index)

export const ownersOf = (sql: SqlStorage, batchId: string): { owner: string; code: string | null }[] =>
  sql
    .exec<{ owner: string; code: string | null }>('SELECT owner, code FROM batch_items WHERE batch_id = ?', batchId)
    .toArray()

export const itemsToRetry = (sql: SqlStorage, batchId: string): NewItem[] =>
  sql
    .exec<{ url: string; title: string | null; linked: string | null; place: number }>(
      `SELECT url, title, linked, coalesce(place, item) AS place FROM batch_items
        WHERE batch_id = ? AND (state IN ('skipped', 'canceled') OR (state = 'failed' AND retryable = 1)) ORDER BY item`,
      batchId,
    )
    .toArray()
    .map(({ linked, ...item }) => ({ ...item, ...linkedIn(linked) }))

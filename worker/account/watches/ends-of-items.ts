import { monthOf } from '../../../domain/account/keys.ts'
import { type Micros, sum, zero } from '../../../domain/money/money.ts'
import { retryItemAt } from '../../../domain/watches/schedule.ts'
import { isPauseOfMoney, type MoneyPause } from '../../../domain/watches/watch.ts'
import type { AccountRows } from '../account-rows.ts'
import type { BatchRow } from '../batches/batch-rows.ts'
import { type ItemEnd, ownerOfItem, ownersOf } from '../batches/item-rows.ts'
import { schedule } from '../due/due-rows.ts'
import { changeItem, findItem, type WatchItemRow } from './item-rows.ts'
import { watchOf } from './open-watches.ts'
import { pauseWatch } from './pauses.ts'
import { spentThisMonth, type WatchRow } from './watch-rows.ts'

/** Called in the transaction that ends an item of a batch. */
export const endItemOfWatch = (rows: AccountRows, batch: BatchRow, index: number, end: ItemEnd, now: number): void => {
  const watch = watchOf(rows, batch)
  const owner = watch && ownerOfItem(rows.sql, batch.id, index)
  const item = owner && findItem(rows.sql, watch.id, owner)
  if (!item) return
  noteSpending(watch, end.cost ?? zero, now)
  const { state, jobId = null, title = null, code = null } = end
  const about = { jobId, title: item.title ?? title, batchId: null, attempts: item.attempts + 1 }
  rows.progress.changed(watch.id)
  if (state === 'completed') {
    changeItem(rows.sql, item, { ...about, state, code: null, costMicros: end.cost ?? zero })
    return
  }
  const short = state === 'failed' ? shortageOf(watch, batch, code) : null
  if (short) {
    changeItem(rows.sql, item, { ...about, attempts: item.attempts, code })
    pauseWatch(rows, watch, short, now)
    return
  }
  const retry = state === 'failed' && (end.retryable || code === 'SOURCE_LIVE') ? retryOf(item, code, now) : null
  if (retry) changeItem(rows.sql, item, { ...about, code, ...retry })
  else changeItem(rows.sql, item, { ...about, code, state: 'failed' })
}

const retryOf = (item: WatchItemRow, code: string | null, now: number) => {
  // What was live may fail otherwise until it can be downloaded.
  const liveSince = item.liveSince ?? (code === 'SOURCE_LIVE' ? now : null)
  const nextAttemptAt = retryItemAt(item.attempts + 1, liveSince, now)
  return nextAttemptAt === null ? null : { nextAttemptAt, liveSince }
}

/** A job that ended for want of money: its item waits. With a ceiling of its own it has failed. */
const shortageOf = (
  { settings }: WatchRow,
  { request: { item } }: BatchRow,
  code: string | null,
): MoneyPause | null => {
  if (!isPauseOfMoney(code)) return null
  if (code !== 'MAX_COST_EXCEEDED') return code
  const hasOwnCeiling = (item.maxCostMicros ?? null) !== null
  return settings.maxCostMicros !== null && !hasOwnCeiling ? code : null
}

const noteSpending = (watch: WatchRow, cost: Micros, now: number): void => {
  if (cost > 0) watch.spending = { month: monthOf(now), spent: sum(spentThisMonth(watch, now), cost) }
}

/** Called in the transaction that ends a batch. Items that were skipped for want of money wait again. */
export const endBatchOfWatch = (rows: AccountRows, batch: BatchRow, now: number): void => {
  const watch = watchOf(rows, batch)
  if (watch?.batchId !== batch.id) return
  for (const { owner, code } of ownersOf(rows.sql, batch.id)) {
    const item = findItem(rows.sql, watch.id, owner)
    if (item?.state !== 'waiting' || item.batchId !== batch.id) continue
    const isShort = isPauseOfMoney(code)
    changeItem(rows.sql, item, { batchId: null, code, ...(isShort ? {} : { state: 'failed' }) })
    if (isShort) pauseWatch(rows, watch, code, now)
  }
  watch.batchId = null
  rows.progress.changed(watch.id)
  schedule(rows.sql, 'watch', watch.id, now)
}

import { MAX_OPEN_BATCHES } from '../../../domain/batches/batch.ts'
import { MAX_BATCH_ITEMS } from '../../../domain/limits.ts'
import { MINUTE_MS } from '../../../domain/time.ts'
import type { AccountRows } from '../account-rows.ts'
import { addBatch } from '../batches/add-batch.ts'
import { changeItem, nextReadyAt, readyItems } from './item-rows.ts'
import { endPause, hasKey } from './pauses.ts'
import type { WatchRow } from './watch-rows.ts'

/** While all batches of the account are open, a watch looks again after this long. */
const FULL_MS = 10 * MINUTE_MS

/** Called when something of a watch is due: it ends a pause whose time has come, and makes a batch of what is ready. */
export const tendWatch = (rows: AccountRows, watchId: string, now: number): number | undefined => {
  const watch = rows.watches.find(watchId)
  if (!watch) return undefined
  endPause(rows, watch, now)
  if (watch.pause) return watch.pause.until ?? undefined
  if (watch.batchId !== null || !watch.settings.item || rows.account.isSuspended) return undefined
  if (rows.account.openBatches.length >= MAX_OPEN_BATCHES) return now + FULL_MS
  startBatchOf(rows, watch, now)
  return watch.batchId === null ? (nextReadyAt(rows.sql, watch.id) ?? undefined) : undefined
}

const startBatchOf = (rows: AccountRows, watch: WatchRow, now: number): void => {
  const { id: watchId, settings, keyId, title, origin, requestId } = watch
  const { item, maxCostMicros, metadata, reuseWithinSeconds } = settings
  const ready = readyItems(rows.sql, watchId, now, MAX_BATCH_ITEMS)
  if (ready.length === 0 || !item || !hasKey(rows, watch, now)) return
  const about = { playlist: null, reuseWithinSeconds, webhookUrl: null, ...(metadata && { metadata }) }
  const request = {
    ...about,
    item: item.request,
    maxCostMicros,
    prices: rows.prices,
    keyId,
    origin,
    requestId,
    watchId,
  }
  const items = ready.map(({ id, url, title, linked }) => ({ url, title, linked, owner: id }))
  const { id: batchId } = addBatch(rows, { kind: item.kind, request, title, items }, now)
  watch.batchId = batchId
  for (const each of ready) changeItem(rows.sql, each, { batchId, nextAttemptAt: null })
}

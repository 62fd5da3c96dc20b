import { distinct } from '../../../domain/batches/slots.ts'
import { type Failure, failure } from '../../../domain/codes/failures.ts'
import { act } from '../acts.ts'
import type { ListingTask } from '../calls.ts'
import { failBatch } from './item-ends.ts'
import { addItems, type NewItem } from './item-rows.ts'
import { startItems } from './start-items.ts'
import { claimTurn, endTurn, findTurn, retryTurn, type TurnReport } from './turns.ts'

/** A batch of a playlist is listed once, and has items from then on. */
export type ListingReport = Omit<TurnReport, 'index'>

/** null: the message needs no work. */
export const claimListing = act(({ rows, now }, batchId: string): ListingTask | null => {
  const turn = claimTurn(rows, batchId, null, now)
  const playlist = rows.batches.find(batchId)?.request.playlist
  return turn && playlist ? { batchId, lease: turn.lease, ...playlist } : null
})

/** False: another listing was first, or the batch has ended. */
export const finishListing = act(
  ({ rows, now }, report: ListingReport, listed: { title: string | null; items: NewItem[] }) => {
    const { account, sql } = rows
    const turn = findTurn(rows, { ...report, index: null })
    const batch = turn && rows.batches.find(turn.batchId)
    const playlist = batch?.request.playlist
    if (!turn || !batch || !playlist) return false
    endTurn(rows, turn)
    const items = distinct(listed.items).slice(0, playlist.limit)
    batch.title = listed.title
    batch.total = items.length
    if (items.length === 0) {
      failBatch(rows, batch, failure('NO_ITEMS'), now)
      startItems(rows, now)
      return true
    }
    addItems(sql, batch.id, items)
    account.openBatches = account.openBatches.map((open) =>
      open.id === batch.id ? { ...open, items: items.length } : open,
    )
    startItems(rows, now)
    return true
  },
)

/** `retryAfterMs`: the list may be read later. After three attempts the batch fails. */
export const failListing = act(
  ({ rows, now }, report: ListingReport, reason: Failure, { retryAfterMs }: { retryAfterMs?: number } = {}) => {
    const turn = findTurn(rows, { ...report, index: null })
    const batch = turn && rows.batches.find(turn.batchId)
    if (!turn || !batch) return false
    if (retryAfterMs !== undefined && retryTurn(rows, turn, retryAfterMs, now)) return true
    failBatch(rows, batch, reason, now)
    startItems(rows, now)
    return true
  },
)

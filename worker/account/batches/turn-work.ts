import { distinct } from '../../../domain/batches/slots.ts'
import { type Failure, failure } from '../../../domain/codes/failures.ts'
import { resendAt } from '../../../domain/limits.ts'
import { MINUTE_MS } from '../../../domain/time.ts'
import type { Turn } from '../account-row.ts'
import type { AccountRows } from '../account-rows.ts'
import { act } from '../acts.ts'
import type { ItemAdmission, ItemTask, ListingTask } from '../calls.ts'
import type { Again, DueContext } from '../due/due.ts'
import { findReusableJob, tellOfReuse } from '../starts/reuse.ts'
import { completeItem, failBatch, failItem, type ItemRefusal } from './item-ends.ts'
import { addItems, type NewItem, sourceOfItem } from './item-rows.ts'
import { startItems } from './start-items.ts'
import {
  changeTurn,
  claimTurn,
  endTurn,
  findTurn,
  nextTurnAt,
  retryTurn,
  scheduleTurns,
  type TurnReport,
  turnEndsAt,
} from './turns.ts'

const CHECK_RETRY_MS = MINUTE_MS

/** The work itself is done by the consumer of the queue, because an account makes no requests. */

export const claimItem = act(({ rows, now }, batchId: string, index: number): ItemTask | null => {
  const turn = claimTurn(rows, batchId, index, now)
  const batch = turn && rows.batches.find(batchId)
  if (!turn || !batch) return null
  const item = { kind: batch.kind, request: batch.request.item } as ItemTask['item']
  const { reuseWithinSeconds } = batch.request
  return { batchId, index, lease: turn.lease, ...sourceOfItem(rows.sql, batchId, index), item, reuseWithinSeconds }
})

export const admitItem = act(({ rows, now }, report: TurnReport, admission: ItemAdmission) => {
  const turn = findTurn(rows, report)
  if (!turn || turn.admission) return false
  changeTurn(rows, turn, { admission })
  startItems(rows, now)
  return true
})

const findItem = (rows: AccountRows, report: TurnReport) => {
  const turn = findTurn(rows, report)
  const batch = turn && rows.batches.find(turn.batchId)
  return turn && turn.index !== null && batch ? { turn, batch, index: turn.index } : null
}

/** An earlier job of the same request becomes the item's, which takes no slot and costs nothing. */
export const reuseItem = act(({ rows, now }, report: TurnReport, reuseKey: string) => {
  const found = findItem(rows, report)
  if (!found) return false
  const { turn, batch, index } = found
  const { kind, request } = batch
  const withinMs = request.reuseWithinSeconds * 1_000
  const jobId = findReusableJob(rows, rows.keys.find(request.keyId), { kind, reuseKey, withinMs }, now)
  if (jobId === null) return false
  endTurn(rows, turn)
  completeItem(rows, batch, index, jobId, now)
  tellOfReuse(rows, { kind, jobId, webhookUrl: request.item.webhookUrl }, now)
  startItems(rows, now)
  return true
})

/** The item fails, because a single request with its URL would be refused. */
export const refuseItem = act(({ rows, now }, report: TurnReport, refusal: ItemRefusal) => {
  const found = findItem(rows, report)
  if (!found) return false
  const { turn, batch, index } = found
  endTurn(rows, turn)
  failItem(rows, batch, index, refusal, now)
  startItems(rows, now)
  return true
})

/** Our fault. The message is sent again later; after three attempts the item fails. */
export const failCheck = act(({ rows, now }, report: TurnReport) => {
  const found = findItem(rows, report)
  if (!found || found.turn.admission) return
  const { turn, batch, index } = found
  if (retryTurn(rows, turn, CHECK_RETRY_MS, now)) return
  endTurn(rows, turn)
  failItem(rows, batch, index, failure('INTERNAL'), now)
  startItems(rows, now)
})

export const endOldTurns = (rows: AccountRows, now: number): void => {
  const { account } = rows
  if (account.isSuspended) return
  for (const turn of account.turns) {
    if ((turnEndsAt(turn) ?? Number.POSITIVE_INFINITY) > now) continue
    const batch = rows.batches.find(turn.batchId)
    if (!batch) continue
    endTurn(rows, turn)
    if (turn.index === null) failBatch(rows, batch, failure('INTERNAL'), now)
    else failItem(rows, batch, turn.index, failure('INTERNAL'), now)
  }
  startItems(rows, now)
}

export const sendTurns = async ({ rows, targets, act }: DueContext): Promise<Again> => {
  act((now) => endOldTurns(rows, now))
  const { id: accountId, turns, isSuspended } = rows.account
  const toSend = isSuspended ? [] : turns.filter(({ admission, messageAt }) => !admission && messageAt <= Date.now())
  const send = async (turn: Turn) => {
    await targets.sendTurn({ accountId, batchId: turn.batchId, index: turn.index })
    act((now) => noteSent(rows, turn, now))
  }
  const failed = (await Promise.allSettled(toSend.map(send))).find((sent) => sent.status === 'rejected')
  if (failed) throw failed.reason
  return nextTurnAt(rows, Date.now()) ?? undefined
}

const noteSent = (rows: AccountRows, turn: Turn, now: number): void => {
  const latest = rows.account.turns.find(({ lease }) => lease === turn.lease)
  // It may have been claimed meanwhile.
  if (latest?.messageAt === turn.messageAt) changeTurn(rows, latest, { messageAt: resendAt(turn.dueAt, now) })
  scheduleTurns(rows, now)
}

export type ListingReport = Omit<TurnReport, 'index'>

export const claimListing = act(({ rows, now }, batchId: string): ListingTask | null => {
  const turn = claimTurn(rows, batchId, null, now)
  const playlist = rows.batches.find(batchId)?.request.playlist
  return turn && playlist ? { batchId, lease: turn.lease, ...playlist } : null
})

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

import { distinct } from '../../../domain/batches/slots.ts'
import { type Failure, failure } from '../../../domain/codes/failures.ts'
import { usesDefaultModel } from '../../../domain/jobs/speech-models.ts'
import { resendAt } from '../../../domain/limits.ts'
import { zero } from '../../../domain/money/money.ts'
import { hasModelPrices } from '../../../domain/money/prices.ts'
import { MINUTE_MS } from '../../../domain/time.ts'
import type { Turn } from '../account-row.ts'
import type { AccountRows } from '../account-rows.ts'
import { type Acting, act } from '../acts.ts'
import type { ItemAdmission, ItemTask } from '../calls.ts'
import type { Again, DueContext } from '../due/due.ts'
import { findReusableJob, tellOfReuse } from '../starts/reuse.ts'
import type { BatchRow } from './batch-rows.ts'
import { endItem, failBatch } from './item-ends.ts'
import { addItems, type NewItem, sourceOfItem } from './item-rows.ts'
import { startItems } from './start-items.ts'
import {
  changeOpenBatch,
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

/** The consumer of the queue does the work itself, because an account makes no requests. */

export const claimItem = act(({ rows, now }, batchId: string, index: number): ItemTask | null => {
  const turn = claimTurn(rows, batchId, index, now)
  const batch = turn && rows.batches.find(batchId)
  if (!turn || !batch) return null
  const item = { kind: batch.kind, request: batch.request.item } as ItemTask['item']
  const { reuseWithinSeconds, prices } = batch.request
  const needsDefaultModel = hasModelPrices(prices) && usesDefaultModel(batch.request.item)
  const source = sourceOfItem(rows.sql, batchId, index)
  return { batchId, index, lease: turn.lease, ...source, item, reuseWithinSeconds, needsDefaultModel }
})

interface Reported {
  turn: Turn
  batch: BatchRow
  /** Of an item. */
  index: number
}

/** False: another report of the turn was first, the batch has ended, or the rule has changed nothing. */
const turnAct = <Args extends unknown[]>(rule: (acting: Acting, reported: Reported, ...args: Args) => boolean) =>
  act((acting, report: TurnReport, ...args: Args): boolean => {
    const { rows, now } = acting
    const turn = findTurn(rows, report)
    const batch = turn && rows.batches.find(turn.batchId)
    if (!turn || !batch || !rule(acting, { turn, batch, index: turn.index ?? 0 }, ...args)) return false
    startItems(rows, now)
    return true
  })

export const admitItem = turnAct(({ rows }, { turn }, admission: ItemAdmission) => {
  if (turn.admission) return false
  changeTurn(rows, turn, { admission })
  return true
})

/** The item is completed by an earlier job of the same request. It takes no slot and costs nothing. */
export const reuseItem = turnAct(({ rows, now }, { turn, batch, index }, reuseKey: string) => {
  const { kind, request } = batch
  const withinMs = request.reuseWithinSeconds * 1_000
  const jobId = findReusableJob(rows, rows.keys.find(request.keyId), { kind, reuseKey, withinMs }, now)
  if (jobId === null) return false
  endTurn(rows, turn)
  const title = rows.findJob(jobId)?.result?.title
  endItem(rows, batch, index, { state: 'completed', jobId, title, cost: zero, isComplete: true }, now)
  tellOfReuse(rows, { kind, jobId, webhookUrl: request.item.webhookUrl }, now)
  return true
})

/** The item fails, because a single request with its URL would be refused. */
export const refuseItem = turnAct(
  ({ rows, now }, { turn, batch, index }, refusal: Record<'code' | 'message', string> & { retryable: boolean }) => {
    endTurn(rows, turn)
    endItem(rows, batch, index, { state: 'failed', ...refusal }, now)
    return true
  },
)

/** The check has failed by our fault. Its message is sent again later; after three attempts the item fails. */
export const failCheck = turnAct(({ rows, now }, { turn, batch, index }) => {
  if (turn.admission) return false
  if (retryTurn(rows, turn, CHECK_RETRY_MS, now)) return true
  endTurn(rows, turn)
  endItem(rows, batch, index, { state: 'failed', ...failure('INTERNAL') }, now)
  return true
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
    else endItem(rows, batch, turn.index, { state: 'failed', ...failure('INTERNAL') }, now)
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

export const claimListing = act(({ rows, now }, batchId: string) => {
  const turn = claimTurn(rows, batchId, null, now)
  const playlist = rows.batches.find(batchId)?.request.playlist
  return turn && playlist ? { batchId, lease: turn.lease, ...playlist } : null
})

export const finishListing = turnAct(
  ({ rows, now }, { turn, batch }, listed: { title: string | null; items: NewItem[] }) => {
    const { playlist } = batch.request
    if (!playlist) return false
    endTurn(rows, turn)
    const items = distinct(listed.items).slice(0, playlist.limit)
    batch.title = listed.title
    batch.total = items.length
    if (items.length === 0) failBatch(rows, batch, failure('NO_ITEMS'), now)
    addItems(rows.sql, batch.id, items)
    changeOpenBatch(rows, batch.id, () => ({ items: items.length }))
    return true
  },
)

/** `retryAfterMs`: the list may be read later. After three attempts the batch fails. */
export const failListing = turnAct(
  ({ rows, now }, { turn, batch }, reason: Failure, { retryAfterMs }: { retryAfterMs?: number } = {}) => {
    if (retryAfterMs !== undefined && retryTurn(rows, turn, retryAfterMs, now)) return true
    failBatch(rows, batch, reason, now)
    return true
  },
)

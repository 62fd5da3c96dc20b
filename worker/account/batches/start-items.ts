import { requestOfItem } from '../../../domain/batches/batch.ts'
import { itemSlots, turnsAhead } from '../../../domain/batches/slots.ts'
import type { JobKind, JobRequest } from '../../../domain/jobs/job.ts'
import { firstHold } from '../../../domain/money/bill.ts'
import type { OpenBatch, Turn } from '../account-row.ts'
import type { AccountRows } from '../account-rows.ts'
import type { ItemAdmission } from '../calls.ts'
import { totals } from '../holds-and-ledger.ts'
import { heldBy, leftOfBudget } from '../keys/budgets.ts'
import { poolOf } from '../keys/key-rows.ts'
import { isFreeWorkLeft } from '../requests/free-work.ts'
import { acceptJob, liveJobs, pricesOfJob } from '../starts/admission.ts'
import { endWaiting, markRunning } from './item-ends.ts'
import { sourceOfItem } from './item-rows.ts'
import { heldByItems, leftOfCeiling } from './live-items.ts'
import { endTurn, handOutListings, handOutTurns, scheduleTurns } from './turns.ts'

/**
 * Called in each transaction that frees a slot, ends a check or adds items, and by the alarm. First the jobs of checked
 * items start, in the order of their turns. Then other items get turns: one for each free slot, and a few ahead, so
 * that a slot that frees need not wait for a check. While too much work of its key has been free, a batch waits.
 */
export const startItems = (rows: AccountRows, now: number): void => {
  const { openBatches, isSuspended } = rows.account
  if (openBatches.length > 0 && !isSuspended) startAndHandOut(rows, now)
  scheduleTurns(rows, now)
}

const startAndHandOut = (rows: AccountRows, now: number): void => {
  const { account } = rows
  const mayWork = ({ keyId }: OpenBatch) => isFreeWorkLeft(rows, poolOf(rows.keys.find(keyId)), now)
  handOutListings(account, mayWork, now)
  for (const kind of new Set(account.openBatches.map((batch) => batch.kind))) {
    startChecked(rows, kind, mayWork, now)
    const limit = rows.limits.concurrentJobs[kind]
    handOutTurns(account, { kind, mayWork, wanted: freeSlots(rows, kind) + turnsAhead(limit) }, now)
  }
}

const startChecked = (rows: AccountRows, kind: JobKind, mayWork: (batch: OpenBatch) => boolean, now: number): void => {
  const { account } = rows
  let free = freeSlots(rows, kind)
  for (const turn of account.turns) {
    if (free === 0) return
    const { admission } = turn
    if (!admission || turn.kind !== kind || !account.turns.includes(turn)) continue
    const batch = account.openBatches.find(({ id }) => id === turn.batchId)
    if (batch && mayWork(batch) && startItem(rows, turn, admission, now)) free -= 1
  }
}

const freeSlots = (rows: AccountRows, kind: JobKind): number => {
  const limit = rows.limits.concurrentJobs[kind]
  const live = liveJobs(rows, kind)
  const items = live.filter(({ batch }) => batch)
  return Math.max(0, Math.min(limit - live.length, itemSlots(limit) - items.length))
}

/** False: it does not start. If other items of its batch hold the missing money, it waits until they have ended. */
const startItem = (rows: AccountRows, turn: Turn, admission: ItemAdmission, now: number): boolean => {
  const batch = rows.batches.find(turn.batchId)
  if (!batch || turn.index === null) return false
  const request = requestOfItem(batch.request.item, sourceOfItem(rows.sql, batch.id, turn.index))
  const prices = pricesOfJob(batch.request.prices, request, admission)
  const hold = firstHold(prices, { kind: batch.kind, request } as JobRequest, admission.announcedBytes)
  const heldByOthers = heldByItems(rows, batch.id)
  // A watch waits for all of them, because it would be paused until there is more credit, or until the next month.
  const isOfWatch = batch.request.watchId !== undefined
  const heldElsewhere = isOfWatch ? rows.account.held : heldByOthers
  const heldOfKey = isOfWatch ? heldBy(rows.openJobs(), batch.request.keyId) : heldByOthers
  const left = leftOfCeiling(rows, batch, now)
  const { available } = totals(rows)
  const budget = leftOfBudget(rows, batch.request.keyId, now)
  if (hold > left || hold > available || hold > budget) {
    if (hold > left + heldByOthers) endWaiting(rows, batch, 'MAX_COST_EXCEEDED', now)
    else if (hold > available + heldElsewhere) endWaiting(rows, batch, 'INSUFFICIENT_BALANCE', now)
    else if (hold > budget + heldOfKey) endWaiting(rows, batch, 'KEY_BUDGET_EXCEEDED', now)
    return false
  }
  const { origin, requestId, keyId, metadata } = batch.request
  const { diskBytes, reuseKey } = admission
  acceptJob(rows, {
    ...{ kind: batch.kind, request, metadata, reuseKey, batch: { id: batch.id, index: turn.index } },
    ...{ hold, prices, keyId, diskBytes, origin, requestId, now },
  })
  endTurn(rows, turn)
  markRunning(batch)
  // Its row does not count the items that run.
  rows.progress.changed(batch.id)
  return true
}

import type { EndedBatchState } from '../../../domain/batches/batch.ts'
import type { Failure, FailureCode } from '../../../domain/codes/failures.ts'
import { isComplete } from '../../../domain/jobs/parts.ts'
import { sum, zero } from '../../../domain/money/money.ts'
import { DAY_MS } from '../../../domain/time.ts'
import type { AccountRows } from '../account-rows.ts'
import { scheduleBy } from '../due/due-rows.ts'
import { addEvent } from '../events/event-rows.ts'
import { deleteSealedKey, type JobRow } from '../jobs/job-rows.ts'
import { endBatchOfWatch, endItemOfWatch } from '../watches/ends-of-items.ts'
import { addEventDelivery } from '../webhooks/attempts-and-retries.ts'
import { type BatchRow, endedItems } from './batch-rows.ts'
import { endWaitingItems, type ItemEnd, writeItemEnd } from './item-rows.ts'
import { liveItems } from './live-items.ts'
import { changeOpenBatch, endTurnsOf } from './turns.ts'

/** An item ends once. The same transaction counts it in its batch, and ends the batch if it was the last. */

export const endItem = (rows: AccountRows, batch: BatchRow, index: number, end: ItemEnd, now: number): void => {
  writeItemEnd(rows.sql, batch.id, index, end)
  endItemOfWatch(rows, batch, index, end, now)
  const { state, cost } = end
  batch.cost = sum(batch.cost, cost ?? zero)
  if (state === 'completed') batch.completed += 1
  else if (state === 'canceled') batch.skipped += 1
  else batch.failed += 1
  markRunning(batch)
  endBatchIfDone(rows, batch, now)
}

export const endItemOfJob = (rows: AccountRows, job: JobRow, now: number): void => {
  const batch = job.batch && rows.batches.find(job.batch.id)
  if (!job.batch || !batch) return
  const { id: jobId, result, failure: reason, parts = [] } = job
  const state = result ? 'completed' : reason?.code === 'CANCELED' ? 'canceled' : 'failed'
  const about = { jobId, title: result?.title, cost: result?.costMicros, isComplete: result && isComplete(parts) }
  const end = { state, ...about, ...reason } as const
  endItem(rows, batch, job.batch.index, end, now)
}

export const markRunning = (batch: BatchRow): void => {
  if (batch.state === 'queued') batch.state = 'running'
}

const reasons = {
  MAX_COST_EXCEEDED: { state: 'skipped', message: 'The batch has reached its maxCostDollars.' },
  INSUFFICIENT_BALANCE: { state: 'skipped', message: 'The account balance is too low for the next item.' },
  KEY_BUDGET_EXCEEDED: {
    state: 'skipped',
    message: 'The monthly budget of the API key does not cover the next item.',
  },
  CANCELED: { state: 'canceled', message: 'The batch was canceled.' },
} as const satisfies Partial<Record<FailureCode, object>>

/** Ends all items that have no job yet. Those with one go on. */
export const endWaiting = (rows: AccountRows, batch: BatchRow, code: keyof typeof reasons, now: number): void => {
  const started = liveItems(rows, batch.id).map(({ batch }) => batch?.index ?? -1)
  endTurnsOf(rows, batch.id)
  changeOpenBatch(rows, batch.id, ({ items }) => ({ next: items }))
  if (batch.total !== null) {
    endWaitingItems(rows.sql, batch.id, started, { code, ...reasons[code] })
    batch.skipped += batch.total - endedItems(batch) - started.length
  }
  endBatchIfDone(rows, batch, now)
}

/** The batch could not be listed, or has no items. */
export const failBatch = (rows: AccountRows, batch: BatchRow, reason: Failure, now: number): void => {
  batch.failure = reason
  endBatch(rows, batch, 'failed', now)
}

const endBatchIfDone = (rows: AccountRows, batch: BatchRow, now: number): void => {
  if (batch.completedAt !== null) return
  if (batch.total === null ? batch.state !== 'canceled' : endedItems(batch) < batch.total) return
  endBatch(rows, batch, batch.state === 'canceled' ? 'canceled' : 'completed', now)
}

const endBatch = (rows: AccountRows, batch: BatchRow, state: EndedBatchState, now: number): void => {
  const { account, sql } = rows
  batch.state = state
  batch.completedAt = now
  endTurnsOf(rows, batch.id)
  account.openBatches = account.openBatches.filter(({ id }) => id !== batch.id)
  scheduleBy(sql, 'sweep', now + rows.terms.retentionDays * DAY_MS)
  deleteSealedKey(sql, batch.id)
  endBatchOfWatch(rows, batch, now)
  const event = addEvent(sql, `batch.${state}`, batch.id, now)
  addEventDelivery(rows, event, batch.request.webhookUrl, now)
}

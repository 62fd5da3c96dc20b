import { type Micros, sum, zero } from '../../../domain/money/money.ts'
import type { AccountRows } from '../account-rows.ts'
import { isLive, type JobRow } from '../jobs/job-rows.ts'
import { leftOfMonth } from '../watches/open-watches.ts'
import type { BatchRow } from './batch-rows.ts'

export const liveItems = (rows: AccountRows, batchId: string): JobRow[] =>
  rows.openJobs().filter((job) => job.batch?.id === batchId && isLive(job))

export const heldByItems = (rows: AccountRows, batchId: string): Micros =>
  sum(...liveItems(rows, batchId).map(({ held }) => held ?? zero))

/** What may still be held of maxCostDollars, or of a watch's ceiling for the month. Charges and open holds never exceed it. */
export const leftOfCeiling = (rows: AccountRows, batch: BatchRow, now: number): number => {
  const { id, cost, request } = batch
  const ceiling = request.maxCostMicros === null ? Number.POSITIVE_INFINITY : request.maxCostMicros - cost
  return (leftOfMonth(rows, batch, now) ?? ceiling) - heldByItems(rows, id)
}

import { isoTime, isoTimeOrNull } from '../jobs/job-status.ts'
import { toDollars } from '../money/money.ts'
import type { Batch, BatchItem } from './batch.ts'

/** A batch as callers see it, in responses and in webhooks. */
export const batchStatus = (batch: Batch) => ({
  batchId: batch.id,
  kind: batch.kind,
  status: batch.state,
  title: batch.title,
  createdAt: isoTime(batch.createdAt),
  completedAt: isoTimeOrNull(batch.completedAt),
  counts: batch.counts,
  costInDollars: toDollars(batch.costMicros),
  maxCostDollars: batch.maxCostMicros === null ? null : toDollars(batch.maxCostMicros),
  ...(batch.failure ? { code: batch.failure.code, message: batch.failure.message } : {}),
})

export const itemStatus = ({ state, costMicros, ...item }: BatchItem) => ({
  index: item.index,
  url: item.url,
  title: item.title,
  jobId: item.jobId,
  status: state,
  code: item.code,
  message: item.message,
  costInDollars: costMicros === null ? null : toDollars(costMicros),
})

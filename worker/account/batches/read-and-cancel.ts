import type { Batch, BatchItem, ItemState } from '../../../domain/batches/batch.ts'
import { failure } from '../../../domain/codes/failures.ts'
import { accepted, type Result } from '../../../domain/codes/refusals.ts'
import type { PageRequest } from '../calls.ts'
import { failLiveJob } from '../jobs/endings.ts'
import { isLive } from '../jobs/job-rows.ts'
import { maySee, mayStop, onlyOf, scopeMissing } from '../keys/key-rows.ts'
import { readRequestAct, requestAct } from '../requests/authenticated-request.ts'
import { asBatch, listBatchRows, readBatchRow } from './batch-rows.ts'
import { batchNotFound, batchSnapshot } from './batch-snapshot.ts'
import { endWaiting } from './item-ends.ts'
import { listItems, readItem } from './item-rows.ts'
import { liveItems } from './live-items.ts'
import { startItems } from './start-items.ts'

export const readBatch = readRequestAct(({ rows, key }, batchId: string) => batchSnapshot(rows, key, batchId))

export const readBatches = readRequestAct(({ rows, key }, watchId: string | null, { before, limit }: PageRequest) => {
  const live = rows.openJobs().filter((job) => job.batch && isLive(job))
  const runningOf = (id: string) => live.filter(({ batch }) => batch?.id === id).length
  const found = listBatchRows(rows.sql, onlyOf(key), watchId, before, limit)
  return accepted(found.map((row) => asBatch(row, runningOf(row.id))))
})

export interface ItemPage {
  after: number | null
  limit: number
}

/** An item that has a job has the job's state. */
export const readItems = readRequestAct(
  ({ rows, key }, batchId: string, { state }: { state: ItemState | null }, page: ItemPage): Result<BatchItem[]> => {
    const batch = readBatchRow(rows.sql, batchId)
    if (!batch || !maySee(key, batch.request)) return batchNotFound()
    const live = new Map(liveItems(rows, batchId).map((job) => [job.batch?.index ?? -1, job]))
    const shown = (item: BatchItem): BatchItem => {
      const job = live.get(item.index)
      return job ? { ...item, state: job.state, jobId: job.id } : item
    }
    if (state === 'queued' || state === 'running') {
      const indexes = [...live.keys()].filter((index) => index > (page.after ?? -1)).sort((one, other) => one - other)
      const items = indexes.flatMap((index) => readItem(rows.sql, batchId, index) ?? []).map(shown)
      return accepted(items.filter((item) => item.state === state).slice(0, page.limit))
    }
    // In their rows, items with a live job are waiting.
    const limit = page.limit + (state === 'waiting' ? live.size : 0)
    const items = listItems(rows.sql, batchId, state, { ...page, limit }).map(shown)
    return accepted(items.filter((item) => state === null || item.state === state).slice(0, page.limit))
  },
)

export const cancelBatch = requestAct(
  ({ rows, key, now }, batchId: string): Result<{ batch: Batch; stopped: { jobId: string; attempt: number }[] }> => {
    const batch = rows.batches.find(batchId)
    if (!batch || !maySee(key, batch.request)) return batchNotFound()
    if (!mayStop(key, batch.request)) return scopeMissing(key, 'manage')
    const live = liveItems(rows, batchId)
    if (batch.completedAt === null) {
      // First, so that the end of the last item ends the batch as canceled.
      batch.state = 'canceled'
      endWaiting(rows, batch, 'CANCELED', now)
      for (const job of live) failLiveJob(rows, job.id, failure('CANCELED'), now)
      startItems(rows, now)
    }
    const stopped = live.map(({ id, attempt }) => ({ jobId: id, attempt }))
    return accepted({ batch: asBatch(batch, 0), stopped })
  },
)

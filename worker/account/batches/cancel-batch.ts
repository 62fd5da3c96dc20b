import { failure } from '../../../domain/codes/failures.ts'
import { accepted, type Result } from '../../../domain/codes/refusals.ts'
import type { CanceledBatch } from '../calls.ts'
import { failLiveJob } from '../jobs/endings.ts'
import { maySee, mayStop, scopeMissing } from '../keys/permissions.ts'
import { requestAct } from '../requests/authenticated-request.ts'
import { batchNotFound } from './admit-batch.ts'
import { asBatch } from './batch-rows.ts'
import { endWaiting } from './item-ends.ts'
import { liveItems } from './live-items.ts'
import { startItems } from './start-items.ts'

/** Cancels what has not ended. A batch that has ended stays as it is. */
export const cancelBatch = requestAct(({ rows, key, now }, batchId: string): Result<CanceledBatch> => {
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
  const stopped = live.map(({ id, attempt }) => ({ jobId: id, attempt: attempt }))
  return accepted({ batch: asBatch(batch, 0), stopped })
})

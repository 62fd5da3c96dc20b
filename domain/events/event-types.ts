import type { EndedBatchState } from '../batches/batch.ts'
import type { JobKind } from '../jobs/job.ts'

/** That a job or a batch has ended. Webhooks tell of these. */
export type EndEventType = `${JobKind}.${'completed' | 'failed'}` | `batch.${EndedBatchState}`

/** Event streams also tell that a job has started. */
export type AccountEventType = EndEventType | 'job.started'

import type { EndedBatchState } from '../batches/batch.ts'
import type { JobKind } from '../jobs/job.ts'

/** That a job or a batch has ended. */
type EndEventType = `${JobKind}.${'completed' | 'failed'}` | `batch.${EndedBatchState}`

export const watchEventTypes = ['watch.item', 'watch.failing', 'watch.paused', 'watch.resumed'] as const
export type WatchEventType = (typeof watchEventTypes)[number]

export type WebhookEventType = EndEventType | WatchEventType

/** Event streams also tell that a job has started. */
export type AccountEventType = WebhookEventType | 'job.started'

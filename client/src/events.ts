import type { Job, WebhookEvent } from './api-types.ts'

export interface EventsOptions {
  /** Aborting it ends the iteration with the signal's reason. */
  signal?: AbortSignal | undefined
  /** The id of the last event that was handled. Default: events from now on. */
  lastEventId?: string | undefined
}

/** An event of the account: what its webhook would be, or the start of a job. `id` is `evt_…`. */
export type HaulEvent = (WebhookEvent | { type: 'job.started'; timestamp: string; data: Job }) & { id: string }

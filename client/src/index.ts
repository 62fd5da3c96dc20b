export type * from './api-types.ts'
export type { Batches } from './batches.ts'
export {
  HaulApiError,
  HaulConnectionError,
  HaulError,
  HaulJobError,
  HaulTimeoutError,
  HaulWebhookError,
} from './errors.ts'
export type { EventsOptions, HaulEvent } from './events.ts'
export { Haul } from './haul.ts'
export type { Jobs } from './jobs/jobs.ts'
export type { Keys } from './keys.ts'
export type * from './options.ts'
export type { Uploads } from './upload/uploads.ts'
export type { Watches } from './watches.ts'
export type { WebhookHeaders, Webhooks } from './webhooks.ts'

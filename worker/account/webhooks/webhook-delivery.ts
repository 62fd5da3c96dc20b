import type { Batch } from '../../../domain/batches/batch.ts'
import type { WebhookEventType } from '../../../domain/events/event-types.ts'
import type { Job } from '../../../domain/jobs/job.ts'
import { isoTime, isoTimeOrNull } from '../../../domain/jobs/job-status.ts'

export type EventType = WebhookEventType | typeof TEST_EVENT
export const TEST_EVENT = 'webhook.test'

export const deliveryStates = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

export const attemptErrors = {
  TIMED_OUT: 'The receiver did not respond within 15 seconds.',
  CONNECTION_FAILED: 'The connection could not be established, or was closed before a response arrived.',
  ADDRESS_NOT_PUBLIC: 'The URL does not resolve to a public address.',
  REDIRECTED: 'The receiver responded with a redirect. Redirects are not followed.',
  REFUSED: 'The receiver did not respond with a 2xx status.',
  INTERRUPTED: 'The attempt was interrupted on our side. The receiver may have received it.',
} as const
export type AttemptError = keyof typeof attemptErrors

export interface Delivery {
  /** The event's id, and the webhook-id header of every attempt. */
  id: string
  type: EventType
  /** One of the three is what it tells of, unless it is a test. */
  jobId: string | null
  batchId: string | null
  watchId: string | null
  url: string
  state: DeliveryState
  attempts: number
  createdAt: number
  attemptedAt: number | null
  nextAt: number | null
  /** What the last attempt got, like the two fields below. null: the receiver did not respond. */
  status: number | null
  /** The first KiB. */
  responseBody: string | null
  attemptError: AttemptError | null
}

export interface AttemptOutcome extends Pick<Delivery, 'status' | 'responseBody' | 'attemptError'> {
  retryAfterMs: number | null
}

export const interrupted: AttemptOutcome = {
  status: null,
  responseBody: null,
  attemptError: 'INTERRUPTED',
  retryAfterMs: null,
}

/** Permission for one attempt. A report with another lease is ignored. */
export interface ClaimedDelivery {
  delivery: Delivery
  lease: string
  job: Job | null
  batch: Batch | null
  /** Of a watch. */
  data: object | null
  seeds: string[]
}

export const deliveryView = (delivery: Delivery) => ({
  id: delivery.id,
  type: delivery.type,
  jobId: delivery.jobId,
  batchId: delivery.batchId,
  watchId: delivery.watchId,
  url: delivery.url,
  status: delivery.state,
  attempts: delivery.attempts,
  createdAt: isoTime(delivery.createdAt),
  lastAttemptAt: isoTimeOrNull(delivery.attemptedAt),
  nextAttemptAt: isoTimeOrNull(delivery.nextAt),
  responseStatus: delivery.status,
  responseBody: delivery.responseBody,
  error: delivery.attemptError && attemptErrors[delivery.attemptError],
})

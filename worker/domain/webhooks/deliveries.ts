import type { Job, JobKind } from '../jobs/job.ts'
import { isoTime, isoTimeOrNull } from '../jobs/view.ts'

/** A webhook as the account keeps it, and the words that pass between the account and whoever delivers it. */
export type EventType = `${JobKind}.${'completed' | 'failed'}` | typeof TEST_EVENT
export const TEST_EVENT = 'webhook.test'

export const deliveryStates = ['pending', 'delivered', 'failed'] as const
export type DeliveryState = (typeof deliveryStates)[number]

/** Why an attempt got no answer that counts; `detail` of the delivery log says it in a sentence. */
export const mishaps = {
  TIMED_OUT: 'The receiver did not answer within 15 seconds.',
  CONNECTION_FAILED: 'The connection could not be made, or broke before an answer came.',
  ADDRESS_NOT_PUBLIC: 'The address does not lead to the public internet.',
  REDIRECTED: 'The receiver answered with a redirect. Redirects are not followed.',
  REFUSED: 'The receiver did not answer with a 2xx status.',
  INTERRUPTED: 'The attempt was interrupted on our side. The receiver may have got it.',
} as const
export type Mishap = keyof typeof mishaps

export interface Delivery {
  /** The event's id, and the webhook-id of every attempt. */
  id: string
  type: EventType
  /** null for a test. */
  jobId: string | null
  url: string
  state: DeliveryState
  attempts: number
  createdAt: number
  attemptedAt: number | null
  nextAt: number | null
  /** Of the last attempt. */
  status: number | null
  answer: string | null
  mishap: Mishap | null
}

/** What came of one attempt. */
export interface Outcome {
  status: number | null
  /** The first KiB of the answer. */
  answer: string | null
  mishap: Mishap | null
  retryAfterMs: number | null
}

/** The right to make one attempt: whoever reports with another `lease` changes nothing. */
export interface ClaimedDelivery {
  delivery: Delivery
  lease: string
  job: Job | null
  /** Of each secret that is live, newest first. */
  seeds: string[]
}

/** A secret is made of its seed and the deployment's key, so that the account keeps nothing worth stealing. */
export interface SecretSeed {
  seed: string
  createdAt: number
  /** null for the one that has not been replaced. */
  expiresAt: number | null
}

/** A delivery as callers see it in the log. */
export const deliveryView = (delivery: Delivery) => ({
  id: delivery.id,
  type: delivery.type,
  jobId: delivery.jobId,
  url: delivery.url,
  status: delivery.state,
  attempts: delivery.attempts,
  createdAt: isoTime(delivery.createdAt),
  lastAttemptAt: isoTimeOrNull(delivery.attemptedAt),
  nextAttemptAt: isoTimeOrNull(delivery.nextAt),
  responseStatus: delivery.status,
  responseBody: delivery.answer,
  error: delivery.mishap && mishaps[delivery.mishap],
})

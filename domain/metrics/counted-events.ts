/** `failed`: the delivery was given up. `retried`: another attempt follows. */
export const attemptOutcomes = ['delivered', 'failed', 'retried'] as const

export const deadLetterQueues = ['steps-dead', 'webhooks-dead'] as const
export type DeadLetterQueue = (typeof deadLetterQueues)[number]

/** What is counted for the whole deployment, because no account counts it. */
export type EventCounter =
  | `webhook attempts ${(typeof attemptOutcomes)[number]}`
  | `dead letters ${DeadLetterQueue}`
  | 'bytes served'

/** So many are kept, and listed. */
export const MAX_DEAD_WEBHOOKS = 100

/** A webhook delivery that was given up. */
export interface DeadWebhook {
  accountId: string
  deliveryId: string
  jobId: string
  type: string
  /** The host of the receiver. */
  host: string
  attempts: number
  /** The status of the last response. null: there was none. */
  status: number | null
  failedAt: number
}

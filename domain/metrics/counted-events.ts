/** `failed`: the delivery was given up. `retried`: another attempt follows. */
export const attemptOutcomes = ['delivered', 'failed', 'retried'] as const

export const deadLetterQueues = ['steps-dead', 'webhooks-dead'] as const
export type DeadLetterQueue = (typeof deadLetterQueues)[number]

export type EventCounter =
  | `webhook attempts ${(typeof attemptOutcomes)[number]}`
  | `dead letters ${DeadLetterQueue}`
  | 'bytes served'

export const MAX_DEAD_WEBHOOKS = 100

export interface DeadWebhook {
  accountId: string
  deliveryId: string
  jobId: string
  type: string
  host: string
  attempts: number
  /** The status of the last response. null: there was none. */
  status: number | null
  failedAt: number
}

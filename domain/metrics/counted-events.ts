/** What is counted for the whole deployment, because no account counts it. */
export const attemptOutcomes = ['delivered', 'failed', 'retried'] as const
export type AttemptOutcomeName = (typeof attemptOutcomes)[number]

export const deadLetterQueues = ['steps-dead', 'webhooks-dead'] as const
export type DeadLetterQueue = (typeof deadLetterQueues)[number]

/** `failed`: the delivery was given up. `retried`: another attempt follows. */
export type CountedEvent =
  | { kind: 'webhook attempt'; outcome: AttemptOutcomeName }
  | { kind: 'dead letter'; queue: DeadLetterQueue }
  | { kind: 'served'; sizeBytes: number }

/** The name of its counter. */
export const counterOf = (event: CountedEvent): string => {
  if (event.kind === 'webhook attempt') return attemptCounter(event.outcome)
  return event.kind === 'dead letter' ? deadLetterCounter(event.queue) : SERVED_COUNTER
}

export const amountOf = (event: CountedEvent): number => (event.kind === 'served' ? event.sizeBytes : 1)

export const attemptCounter = (outcome: AttemptOutcomeName): string => `webhook attempts ${outcome}`
export const deadLetterCounter = (queue: DeadLetterQueue): string => `dead letters ${queue}`
export const SERVED_COUNTER = 'bytes served'

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

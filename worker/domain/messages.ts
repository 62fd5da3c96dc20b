import type { Step } from './jobs/job.ts'

/** One message is one step of one job. It carries no payload and no secret, and may arrive twice. */
export interface StepMessage {
  v: 1
  accountId: string
  jobId: string
  step: Step
}

/** What the container said of a step: nothing, when it was 'away'. */
export type HandOver = 'taken' | 'busy' | 'away'

/** One message is one attempt of one webhook delivery. What to send, and whether, the account knows. */
export interface DeliveryMessage {
  v: 1
  accountId: string
  deliveryId: string
}

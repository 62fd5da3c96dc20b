import type { ContainerStep } from '../../domain/jobs/step-resources.ts'
import type { Step } from '../../domain/jobs/transcript.ts'

/** A message that an earlier release would misread gets a new `v`. Workers leave versions that they do not know. */
export const messageVersions = [1] as const

export interface QueueMessage {
  v: (typeof messageVersions)[number]
  accountId: string
}

interface AnyJobMessage extends QueueMessage {
  jobId: string
  /** The number of the attempt that the message asks for. */
  attempt: number
}

/** One message is one step of one job. It contains no payload and no secret, and may be delivered twice. */
export interface ContainerMessage extends AnyJobMessage {
  step: ContainerStep
  runsIn: 'container'
  diskBytes?: number
  /** Items of batches come after single jobs. */
  rank: 'job' | 'batch'
}

export interface WorkerMessage extends AnyJobMessage {
  step: Step
  runsIn: 'worker'
}

/** One message is one playlist to be listed (`index` null), or the check of one item of a batch whose turn has come. */
export interface TurnMessage extends QueueMessage {
  batchId: string
  index: number | null
}

/** One message is one round of polls: of the watches of the account that are due. */
export interface PollMessage extends QueueMessage {
  polls: true
}

/** One message is one try to remove what the copy of an ended job has left in the caller's bucket. */
export interface CleanupMessage extends QueueMessage {
  leftBy: { jobId: string }
}

export type StepMessage = ContainerMessage | WorkerMessage | TurnMessage | PollMessage | CleanupMessage

/** One message is one attempt of one webhook delivery. The account decides whether it is sent, and what. */
export interface DeliveryMessage extends QueueMessage {
  deliveryId: string
}

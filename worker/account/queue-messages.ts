import type { Step } from '../../domain/jobs/job.ts'
import type { ContainerStep } from '../../domain/jobs/step-resources.ts'

/**
 * The versions of messages that this Worker reads. A message that an earlier release would misread gets a new `v`. A Worker
 * that does not know the version leaves the message in the queue: see ../queue-consumer.ts.
 */
export const messageVersions = [1] as const

export interface QueueMessage {
  v: (typeof messageVersions)[number]
  accountId: string
}

interface AnyJobMessage extends QueueMessage {
  jobId: string
  /** The number of the next one, when the message was sent. */
  attempt: number
}

/** One message is one step of one job. It contains no payload and no secret, and may be delivered twice. */
export interface ContainerMessage extends AnyJobMessage {
  step: ContainerStep
  runsIn: 'container'
  /** What the fleet reserves for the step. Absent: as usual. */
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

/** One message is one try to remove what the copy of an ended job has left in the caller's bucket. */
export interface CleanupMessage extends QueueMessage {
  leftBy: { jobId: string }
}

/** What the queue of steps holds. */
export type StepMessage = ContainerMessage | WorkerMessage | TurnMessage | CleanupMessage

/** One message is one attempt of one webhook delivery. The account decides whether it is sent, and what. */
export interface DeliveryMessage extends QueueMessage {
  deliveryId: string
}

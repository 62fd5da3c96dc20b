import type { Step } from '../../domain/jobs/job.ts'

/**
 * The versions of messages that this Worker reads. A message that an earlier release would misread gets a new `v`. A Worker
 * that does not know the version leaves the message in the queue: see ../queue-consumer.ts.
 */
export const messageVersions = [1] as const

export interface QueueMessage {
  v: (typeof messageVersions)[number]
  accountId: string
}

/** One message is one step of one job. It contains no payload and no secret, and may be delivered twice. */
export interface StepMessage extends QueueMessage {
  jobId: string
  step: Step
  /** How many leases the job had when it was sent. A message of an earlier version has none. */
  leases?: number
  /** What the fleet reserves for the step, if it runs in a container. */
  diskBytes?: number
  /** The job is an item of a batch. */
  rank?: 'batch'
}

/** One message is one playlist to be listed (`index` null), or one item of a batch whose turn has come. */
export interface BatchMessage extends QueueMessage {
  batchId: string
  index: number | null
}

/** One message is one try to remove what the copy of an ended job has left in the caller's bucket. */
export interface CleanupMessage extends QueueMessage {
  leftBy: { jobId: string }
}

/** One message is one attempt of one webhook delivery. The account decides whether it is sent, and what. */
export interface DeliveryMessage extends QueueMessage {
  deliveryId: string
}

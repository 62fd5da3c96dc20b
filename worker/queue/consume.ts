import { failure } from '../domain/codes/failures.ts'
import type { Job } from '../domain/jobs/job.ts'
import type { StepMessage } from '../domain/messages.ts'

/** What the queue needs of the others; index.ts introduces them. */
export interface Stages {
  claim(message: StepMessage): Promise<{ job: Job; lease: string } | null>
  /** Hands the step to the container, or does it where it is the Worker's own. 'busy': the container is full. */
  handOver(message: StepMessage, job: Job, lease: string): Promise<'taken' | 'busy'>
  postpone(message: StepMessage, lease: string): Promise<unknown>
  /** Copies have claims of their own, which go on where the last run stopped. */
  copy(message: StepMessage): Promise<void>
  bury(message: StepMessage, reason: ReturnType<typeof failure>): Promise<void>
}

/**
 * A message is acknowledged when its step was taken over, or needs no taking. A full container does not
 * cost an attempt: the account sends the message again in a moment. A fault gives the lease back and lets
 * the queue retry, later each time; after the last retry the message is a dead letter.
 */
export const consumeSteps = async (batch: MessageBatch<StepMessage>, stages: Stages): Promise<void> => {
  await Promise.all(batch.messages.map((message) => consumeStep(message, stages)))
}

const consumeStep = async (message: Message<StepMessage>, stages: Stages): Promise<void> => {
  const { body } = message
  try {
    if (body.step === 'deliver') await stages.copy(body)
    else await takeStep(body, stages)
    message.ack()
  } catch (cause) {
    console.error('step', body.jobId, body.step, message.attempts, cause)
    message.retry({ delaySeconds: retryDelaySeconds(message.attempts) })
  }
}

const takeStep = async (body: StepMessage, stages: Stages): Promise<void> => {
  const claimed = await stages.claim(body)
  if (!claimed) return
  const { job, lease } = claimed
  try {
    if ((await stages.handOver(body, job, lease)) === 'busy') await stages.postpone(body, lease)
  } catch (cause) {
    await stages.postpone(body, lease)
    throw cause
  }
}

/** A message that could not be delivered ends its job, so that no hold is left behind. */
export const consumeDeadSteps = async (batch: MessageBatch<StepMessage>, stages: Stages): Promise<void> => {
  for (const message of batch.messages) {
    try {
      await stages.bury(message.body, failure('INTERNAL', 'The job could not be started.'))
      message.ack()
    } catch (cause) {
      console.error('dead step', message.body.jobId, cause)
      message.retry({ delaySeconds: 60 })
    }
  }
}

const LONGEST_DELAY_SECONDS = 60

export const retryDelaySeconds = (attempts: number): number => Math.min(LONGEST_DELAY_SECONDS, 2 ** attempts)

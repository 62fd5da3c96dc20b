import { failure } from '../domain/codes/failures.ts'
import type { Job } from '../domain/jobs/job.ts'
import { AWAY_MS, BUSY_MS } from '../domain/limits.ts'
import type { HandOver, StepMessage } from '../domain/messages.ts'

/** What the queue needs of the others; index.ts introduces them. */
export interface Stages {
  claim(message: StepMessage): Promise<{ job: Job; lease: string } | null>
  /** Hands the step to the container, or does it where it is the Worker's own. */
  handOver(message: StepMessage, job: Job, lease: string): Promise<HandOver>
  /** The account sends the message again after this, and no attempt was used; or one was. */
  postpone(message: StepMessage, lease: string, delayMs: number): Promise<unknown>
  giveBack(message: StepMessage, lease: string, delayMs: number): Promise<unknown>
  /** Copies have claims of their own, which go on where the last run stopped. */
  copy(message: StepMessage): Promise<void>
  bury(message: StepMessage, reason: ReturnType<typeof failure>): Promise<unknown>
}

/**
 * A message is acknowledged as soon as the account knows what became of it: from then on it is the account
 * that sends the step again, in its own time. Only a message whose account can't be asked stays with the
 * queue, which retries it, later each time; after the last retry it is a dead letter.
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

/** A container that is full or away is nobody's fault and costs no attempt. Anything else that goes wrong does. */
const takeStep = async (body: StepMessage, stages: Stages): Promise<void> => {
  const claimed = await stages.claim(body)
  if (!claimed) return
  const { job, lease } = claimed
  const became = await stages.handOver(body, job, lease).catch((cause) => {
    console.error('hand over', body.jobId, body.step, job.attempts, cause)
  })
  if (became === 'busy') await stages.postpone(body, lease, BUSY_MS)
  else if (became === 'away') await stages.postpone(body, lease, AWAY_MS)
  else if (!became) await stages.giveBack(body, lease, AWAY_MS)
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

import { workOfStep } from '../../domain/fleet/place.ts'
import { estimatedDiskBytes } from '../../domain/jobs/step-resources.ts'
import { QUEUE_BACKOFF } from '../../domain/limits.ts'
import { backoffMs } from '../../domain/retry.ts'
import type { BatchMessage, StepMessage } from '../account/queue-messages.ts'
import { listPlaylist } from '../batches/list-playlist.ts'
import { copyImport } from '../bucket/copy-import.ts'
import { fleetOf } from '../fleet/fleet-of.ts'
import { countEvent } from '../metrics/count-event.ts'
import { recognizeInWorker } from './recognize-in-worker.ts'
import { isRecognizedInWorker } from './recognizers.ts'
import { sendToOtherQueue } from './start-step.ts'

/**
 * The consumers of the step queues: one brings steps to the fleet, the other runs steps in the Worker. When an object
 * cannot be reached, the message stays with the queue, which retries it with backoff and finally moves it to the
 * dead-letter queue.
 */
export const consumeSteps = (batch: MessageBatch<StepMessage>, env: Env): Promise<void> =>
  consume(batch, (body) => bringToFleet(body, env))

/** Steps and playlists: what takes minutes in the Worker. */
export const consumeWork = (batch: MessageBatch<StepMessage | BatchMessage>, env: Env): Promise<void> =>
  consume(batch, (body) => ('batchId' in body ? listPlaylist(env, body) : runStep(body, env)))

const consume = async <Body>(
  { messages }: MessageBatch<Body>,
  handle: (body: Body) => Promise<unknown>,
): Promise<void> => {
  await Promise.all(
    messages.map(async (message) => {
      const { body, attempts } = message
      try {
        await handle(body)
        message.ack()
      } catch (cause) {
        console.error('queue message', body, attempts, cause)
        message.retry({ delaySeconds: backoffMs(attempts, QUEUE_BACKOFF) / 1_000 })
      }
    }),
  )
}

const bringToFleet = (message: StepMessage, env: Env): Promise<unknown> => {
  const { accountId, jobId, step, leases = 0, rank = 'job' } = message
  if (step === 'deliver') return runStep(message, env)
  const diskBytes = message.diskBytes ?? estimatedDiskBytes(step)
  return fleetOf(env, accountId).add({ accountId, jobId, step, work: workOfStep(step), rank, diskBytes, leases })
}

/** Runs a step in the Worker, within the time of its message. */
const runStep = async ({ accountId, jobId, step, leases }: StepMessage, env: Env): Promise<unknown> => {
  if (step === 'deliver') return copyImport(env, accountId, jobId)
  const account = env.ACCOUNTS.getByName(accountId)
  const claimed = await account.claim(jobId, step, undefined, leases)
  if (!claimed) return
  const { job } = claimed
  const lease = { accountId, jobId, step, attempt: job.leaseNumber, lease: claimed.lease }
  if (job.kind === 'transcription' && isRecognizedInWorker(env, job)) return recognizeInWorker(env, job, lease)
  return sendToOtherQueue(env, lease)
}

/**
 * Counts a message that could not be handled. It ends nothing: an account that could not be reached sends its steps
 * again until their job's deadline, and its items of batches for an hour.
 */
export const consumeDeadSteps = async (
  { messages }: MessageBatch<StepMessage | BatchMessage>,
  env: Env,
): Promise<void> => {
  for (const message of messages) {
    try {
      const { accountId } = message.body
      if (message.attempts === 1) await countEvent(env, accountId, { kind: 'dead letter', queue: 'steps-dead' })
      message.ack()
    } catch (cause) {
      console.error('dead message', message.body, cause)
      message.retry({ delaySeconds: 60 })
    }
  }
}

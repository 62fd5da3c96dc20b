import { workOfStep } from '../../domain/fleet/place.ts'
import { estimatedDiskBytes } from '../../domain/jobs/step-resources.ts'
import type { BatchMessage, CleanupMessage, StepMessage } from '../account/queue-messages.ts'
import { listPlaylist } from '../batches/turns.ts'
import { cleanUpCopy, copyImport } from '../bucket/copy-import.ts'
import { fleetOf } from '../fleet/fleet-of.ts'
import { deadLetterConsumer, queueConsumer } from '../queue-consumer.ts'
import { recognizeInWorker } from './recognize-in-worker.ts'
import { isRecognizedInWorker } from './recognizers.ts'
import { sendToOtherQueue } from './start-step.ts'

/** Brings steps to the fleet. */
export const consumeSteps = queueConsumer<StepMessage>(async ({ body }, env) => {
  const { accountId, jobId, step, leases = 0, rank = 'job' } = body
  if (step === 'deliver') return runStep(body, env)
  const diskBytes = body.diskBytes ?? estimatedDiskBytes(step)
  await fleetOf(env, accountId).add({ accountId, jobId, step, work: workOfStep(step), rank, diskBytes, leases })
})

/** Steps, playlists and cleanups: what takes minutes in the Worker. */
export const consumeWork = queueConsumer<StepMessage | BatchMessage | CleanupMessage>(async ({ body }, env) => {
  if ('batchId' in body) return listPlaylist(env, body)
  return 'leftBy' in body ? cleanUpCopy(env, body.accountId, body.leftBy.jobId) : runStep(body, env)
})

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
 * A dead message ends nothing: an account that could not be reached sends its steps again until their job's deadline, and
 * its items of batches for an hour.
 */
export const consumeDeadSteps = deadLetterConsumer<StepMessage | BatchMessage>('steps-dead')

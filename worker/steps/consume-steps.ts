import { failure } from '../../domain/codes/failures.ts'
import type { Job, Step } from '../../domain/jobs/job.ts'
import { CONTAINER_DOWN_RETRY_MS, CONTAINER_FULL_RETRY_MS, QUEUE_BACKOFF } from '../../domain/limits.ts'
import { backoffMs } from '../../domain/retry.ts'
import type { StepMessage } from '../account/queue-messages.ts'
import { copyImport } from '../bucket/copy-import.ts'
import { engineOf, type StartResult } from '../engine/client.ts'
import { configOf, signingKey } from '../env.ts'
import { type Lease, leaseToken } from './lease-token.ts'
import { recognizeInWorker } from './recognize-in-worker.ts'
import { isRecognizedInWorker } from './recognizers.ts'
import { orderFor } from './step-orders.ts'

/**
 * The consumer of the step queues. A message is acknowledged as soon as the account knows the result: from then on
 * the account sends the step again on its own schedule. Only when the account cannot be reached does the message
 * stay with the queue, which retries it with backoff and finally moves it to the dead-letter queue.
 */
export const consumeSteps = async (batch: MessageBatch<StepMessage>, env: Env): Promise<void> => {
  await Promise.all(batch.messages.map((message) => consumeStep(message, env)))
}

const consumeStep = async (message: Message<StepMessage>, env: Env): Promise<void> => {
  const { body, attempts } = message
  try {
    if (body.step === 'deliver') await copyImport(env, body.accountId, body.jobId)
    else await claimAndStart(body, env)
    message.ack()
  } catch (cause) {
    console.error('step', body.jobId, body.step, attempts, cause)
    message.retry({ delaySeconds: backoffMs(attempts, QUEUE_BACKOFF) / 1_000 })
  }
}

/** A container that is full or unreachable uses no attempt. Any other fault does. */
const claimAndStart = async ({ accountId, jobId, step }: StepMessage, env: Env): Promise<void> => {
  const account = env.ACCOUNTS.getByName(accountId)
  const claimed = await account.claim(jobId, step)
  if (!claimed) return
  const { job, lease } = claimed
  const leased = { accountId, jobId, step, attempt: job.leaseNumber, lease }
  const result = await start(env, job, leased).catch((cause) => {
    console.error('the step could not be started', jobId, step, job.attempts, cause)
    return 'fault' as const
  })
  if (result === 'busy') await account.postpone(leased, { delayMs: CONTAINER_FULL_RETRY_MS })
  if (result === 'unreachable') await account.postpone(leased, { delayMs: CONTAINER_DOWN_RETRY_MS })
  if (result === 'fault') await account.giveBack(leased, { delayMs: CONTAINER_DOWN_RETRY_MS })
}

const start = async (env: Env, job: Job, lease: Lease): Promise<StartResult> => {
  if (job.kind === 'transcription' && isRecognizedInWorker(env, job)) {
    await recognizeInWorker(env, job, lease)
    return 'started'
  }
  const token = await leaseToken(await signingKey(env, 'leases'), lease)
  const callback = { url: `${configOf(env).publicUrl}/internal/jobs/${job.id}`, token }
  const order = { ...(await orderFor(env, job, callback)), accountId: lease.accountId }
  return engineOf(env.ENGINES, 'engine-0').start(order)
}

/** Whether the Worker runs a step itself, within its message's time, instead of starting it in the container. */
export const runsInWorker = (env: Env, job: Job, step: Step): boolean =>
  step === 'deliver' || (job.kind === 'transcription' && isRecognizedInWorker(env, { ...job, step }))

/** A message that could not be delivered fails its job, so that its hold is released. */
export const consumeDeadSteps = async (batch: MessageBatch<StepMessage>, env: Env): Promise<void> => {
  for (const message of batch.messages) {
    const { accountId, jobId, step } = message.body
    try {
      const reason = failure('INTERNAL', 'The job could not be started.')
      await env.ACCOUNTS.getByName(accountId).failUndeliverable(jobId, step, reason)
      message.ack()
    } catch (cause) {
      console.error('dead step', jobId, cause)
      message.retry({ delaySeconds: 60 })
    }
  }
}

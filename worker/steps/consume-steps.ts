import { failure } from '../../domain/codes/failures.ts'
import { workOfStep } from '../../domain/fleet/place.ts'
import type { Job, Step } from '../../domain/jobs/job.ts'
import { estimatedDiskBytes } from '../../domain/jobs/step-resources.ts'
import { CONTAINER_DOWN_RETRY_MS, DEPLOY_RETRY_MS, QUEUE_BACKOFF } from '../../domain/limits.ts'
import { backoffMs } from '../../domain/retry.ts'
import type { Claimed } from '../account/jobs/steps.ts'
import type { BatchMessage, StepMessage } from '../account/queue-messages.ts'
import { listPlaylist } from '../batches/list-playlist.ts'
import { copyImport } from '../bucket/copy-import.ts'
import { engineOf, type StartResult } from '../engine/client.ts'
import { callbackUrlOf, configOf, signingKey } from '../env.ts'
import type { GrantedPlace } from '../fleet/fleet-object.ts'
import { fleetOf } from '../fleet/fleet-of.ts'
import { countEvent } from '../metrics/count-event.ts'
import { type Lease, leaseToken } from './lease-token.ts'
import { recognizeInWorker } from './recognize-in-worker.ts'
import { isRecognizedInWorker } from './recognizers.ts'
import { orderFor } from './step-orders.ts'

/**
 * The consumers of the step queues: one starts steps in containers, the other runs steps in the Worker. A message is
 * acknowledged as soon as the account knows the result: from then on the account, or the fleet's line, sends the step
 * again. Only when one of these objects cannot be reached does the message stay with the queue, which retries it with
 * backoff and finally moves it to the dead-letter queue.
 */
export const consumeSteps = (batch: MessageBatch<StepMessage>, env: Env): Promise<void> =>
  consume(batch, (body) => startStep(body, env))

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

/** A step without a place waits in the fleet's line. The fleet sends its message again, with the place. */
const startStep = async (message: StepMessage, env: Env): Promise<unknown> => {
  const { accountId, jobId, step } = message
  if (step === 'deliver') return runStep(message, env)
  const account = env.ACCOUNTS.getByName(accountId)
  const fleet = fleetOf(env, accountId)
  const diskBytes = message.diskBytes ?? estimatedDiskBytes(step)
  const needs = { work: workOfStep(step), rank: message.rank ?? 'job', diskBytes } as const
  const place = message.place ?? (await fleet.request({ accountId, jobId, step, ...needs }))
  if (place === 'wait') return account.waitForPlace(jobId, step)
  if (place === 'never') return account.failUndeliverable(jobId, step, failure('MEDIA_TOO_LARGE'))
  const claimed = await account.claim(jobId, step, place.id)
  if (!claimed) return fleet.freeUnused(place.id)
  const lease = leaseOf(message, claimed)
  if (runsInWorker(env, claimed.job, step)) {
    await fleet.free(place.id)
    return sendToOtherQueue(env, lease)
  }
  const result = await start(env, claimed, lease, { place, diskBytes }).catch((cause) => {
    console.error('the step could not be started', jobId, step, claimed.job.attempts, cause)
    return 'fault' as const
  })
  if (result === 'started') return
  if (result === 'fault') {
    await fleet.free(place.id)
    return account.giveBack(lease, { delayMs: CONTAINER_DOWN_RETRY_MS })
  }
  if (result === 'outdated' || result === 'no callback') {
    // The engine stays in use for other steps.
    console.warn('the step waits for', missing[result], jobId, step, place.engine)
    await fleet.free(place.id)
    return account.postpone(lease, { delayMs: DEPLOY_RETRY_MS })
  }
  // A container that is full or unreachable uses no attempt. The fleet gives it no step until it answers, so the
  // next message of this step does not come back to it at once.
  await fleet.engineFailed(place)
  return account.postpone(lease, { delayMs: 0 })
}

/** Runs a step in the Worker, within the time of its message. */
const runStep = async ({ accountId, jobId, step }: StepMessage, env: Env): Promise<unknown> => {
  if (step === 'deliver') return copyImport(env, accountId, jobId)
  const account = env.ACCOUNTS.getByName(accountId)
  const claimed = await account.claim(jobId, step)
  if (!claimed) return
  const lease = leaseOf({ accountId, jobId, step }, claimed)
  const { job } = claimed
  if (job.kind === 'transcription' && isRecognizedInWorker(env, job)) return recognizeInWorker(env, job, lease)
  return sendToOtherQueue(env, lease)
}

/** The operator has changed where speech is recognized since the message was sent. */
const sendToOtherQueue = (env: Env, lease: Lease): Promise<unknown> =>
  env.ACCOUNTS.getByName(lease.accountId).postpone(lease, { delayMs: 0 })

const leaseOf = (
  { accountId, jobId, step }: Pick<StepMessage, 'accountId' | 'jobId' | 'step'>,
  { job, lease }: { job: Job; lease: string },
): Lease => ({ accountId, jobId, step, attempt: job.leaseNumber, lease })

/** `no callback`: PUBLIC_URL was removed while the job waited, so the container could not report. */
type Started = StartResult | 'no callback'

/** What a step that cannot start waits for. */
const missing = {
  outdated: 'the new image of the container',
  'no callback': 'PUBLIC_URL or CALLBACK_URL',
} as const

const start = async (
  env: Env,
  { job, stored }: Claimed,
  lease: Lease,
  { place, diskBytes }: Placed,
): Promise<Started> => {
  const callbackUrl = callbackUrlOf(configOf(env), job)
  if (callbackUrl === null) return 'no callback'
  const token = await leaseToken(await signingKey(env, 'leases'), lease)
  const callback = { url: `${callbackUrl}/internal/jobs/${job.id}`, token }
  const { accountId } = lease
  const order = await orderFor(env, job, { callback, accountId, placeId: place.id, diskBytes }, stored)
  return engineOf(env.ENGINES, place.engine).start(order)
}

interface Placed {
  place: GrantedPlace
  diskBytes: number
}

/** Whether the Worker runs a step itself, within its message's time, instead of starting it in the container. */
export const runsInWorker = (env: Env, job: Job, step: Step): boolean =>
  step === 'deliver' || (job.kind === 'transcription' && isRecognizedInWorker(env, { ...job, step }))

/**
 * A message that could not be delivered fails its job, so that its hold is released. A message of a batch holds no money:
 * the account sends it again, and fails the item or the batch after an hour.
 */
export const consumeDeadSteps = async (
  { messages }: MessageBatch<StepMessage | BatchMessage>,
  env: Env,
): Promise<void> => {
  for (const message of messages) {
    const { body } = message
    const { accountId } = body
    try {
      // Before the account is asked, which may be the reason why the message is dead.
      if (message.attempts === 1) await countEvent(env, accountId, { kind: 'dead letter', queue: 'steps-dead' })
      if (!('batchId' in body)) {
        const reason = failure('INTERNAL', 'The job could not be started.')
        await env.ACCOUNTS.getByName(accountId).failUndeliverable(body.jobId, body.step, reason)
      }
      message.ack()
    } catch (cause) {
      console.error('dead message', body, cause)
      message.retry({ delaySeconds: 60 })
    }
  }
}

import { attemptOf, type Place } from '../../domain/fleet/place.ts'
import type { Job, Step } from '../../domain/jobs/job.ts'
import type { Claimed } from '../account/jobs/steps.ts'
import { engineOf } from '../engine/client.ts'
import { callbackUrlOf, configOf, signingKey } from '../env.ts'
import type { Started } from '../fleet/fleet-object.ts'
import { type Lease, leaseToken } from './lease-token.ts'
import { isRecognizedInWorker } from './recognizers.ts'
import { orderFor } from './step-orders.ts'

type PlaceOfStep = Place & { step: Step }

/** Starts a step at a place: claims it from its account, with the place's id as its lease, and orders it from the engine. */
export const startStep = async (env: Env, place: PlaceOfStep): Promise<Started> => {
  const { jobId, step, engine } = place
  let claimed: Claimed | null
  try {
    claimed = await claim(env, place)
  } catch (cause) {
    console.error('the step could not be claimed', jobId, step, cause)
    return 'fault'
  }
  if (!claimed) return 'not needed'
  const lease = leaseOf(place, claimed)
  try {
    if (runsInWorker(env, claimed.job, step)) {
      await sendToOtherQueue(env, lease)
      return 'not needed'
    }
    const order = await orderOf(env, claimed, lease, place)
    if (!order) {
      console.warn('a step waits for PUBLIC_URL or CALLBACK_URL', jobId, step)
      return 'later'
    }
    const result = await engineOf(env.ENGINES, engine).start(order)
    if (result !== 'outdated') return result
    // The engine stays in use for other steps.
    console.warn('a step waits for the new image of the container', jobId, step, engine)
    return 'later'
  } catch (cause) {
    // The step's own data can be the reason, so this uses an attempt.
    console.error('the step could not be started', jobId, step, lease.attempt, cause)
    return (await endAttempt(env, lease)) ? 'not needed' : 'fault'
  }
}

/** Twice: under the same lease a claim is repeated, and not made again. */
const claim = async (env: Env, place: PlaceOfStep): Promise<Claimed | null> => {
  const { accountId, jobId, step, id, leases } = place
  const ask = () => env.ACCOUNTS.getByName(accountId).claim(jobId, step, id, leases)
  try {
    return await ask()
  } catch {
    return ask()
  }
}

const leaseOf = ({ accountId, jobId, step }: PlaceOfStep, { job, lease }: Claimed): Lease => ({
  ...{ accountId, jobId, step, lease },
  attempt: job.leaseNumber,
})

/** null: nobody could be reported to, because PUBLIC_URL was removed while the job waited. */
const orderOf = async (env: Env, { job, stored }: Claimed, lease: Lease, place: PlaceOfStep) => {
  const callbackUrl = callbackUrlOf(configOf(env), job)
  if (callbackUrl === null) return null
  const token = await leaseToken(await signingKey(env, 'leases'), lease)
  const callback = { url: `${callbackUrl}/internal/jobs/${job.id}`, token }
  const { id: placeId, accountId, diskBytes } = place
  return orderFor(env, job, { callback, accountId, placeId, diskBytes }, stored)
}

const endAttempt = (env: Env, lease: Lease): Promise<boolean> =>
  env.ACCOUNTS.getByName(lease.accountId)
    .giveBack(lease, { delayMs: FAULT_MS })
    .then(
      () => true,
      () => false,
    )

const FAULT_MS = 10_000

/** Ends the attempt of a place whose engine has lost it. */
export const giveBackPlace = (env: Env, place: Place, { isUsed }: { isUsed: boolean }): Promise<unknown> => {
  const { accountId, jobId, id } = place
  return env.ACCOUNTS.getByName(accountId).giveBack({ jobId, lease: id, attempt: attemptOf(place) }, { isUsed })
}

/** The operator has changed where speech is recognized since the message was sent. */
export const sendToOtherQueue = (env: Env, lease: Lease): Promise<unknown> =>
  env.ACCOUNTS.getByName(lease.accountId).postpone(lease, { delayMs: 0 })

/** Whether the Worker runs a step itself, within its message's time, instead of starting it in the container. */
export const runsInWorker = (env: Env, job: Job, step: Step): boolean =>
  step === 'deliver' || (job.kind === 'transcription' && isRecognizedInWorker(env, { ...job, step }))

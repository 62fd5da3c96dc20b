import type { Place } from '../../domain/fleet/place.ts'
import {
  asTranscription,
  type ImportJob,
  type Job,
  looksForCaptions,
  mayHaveCaptions,
  type PreparedAudio,
  storageOf,
  type TranscriptionJob,
} from '../../domain/jobs/job.ts'
import { largestMediaBytes } from '../../domain/jobs/step-resources.ts'
import type { Step } from '../../domain/jobs/transcript.ts'
import { CAPTIONS_TIMEOUT_MS, STEP_TIMEOUT_MS } from '../../domain/limits.ts'
import type { AudioOrder, CaptionsOrder, FetchOrder, StepOrder } from '../../domain/protocol/protocol.ts'
import { retry } from '../../domain/retry.ts'
import type { StoredFile } from '../account/calls.ts'
import type { Claimed } from '../account/jobs/steps.ts'
import { engineOf } from '../engine/engine.ts'
import { type Config, callbackUrlOf, configOf, expectedDiskBytes, signingKey } from '../env.ts'
import type { Started } from '../fleet/fleet-of.ts'
import { objectSecret } from '../media/object-secret.ts'
import { plannedUploads, presignedGet } from '../media/presigned-uploads.ts'
import { builtinOf, isThirdParty, providerAt } from '../speech/configured-providers.ts'
import { type Lease, leaseToken } from './lease-token.ts'
import { isRecognizedInWorker } from './recognizers.ts'

type PlaceOfStep = Place & { step: Step }

export const startStep = async (env: Env, place: PlaceOfStep): Promise<Started> => {
  const { accountId, jobId, step, engine } = place
  let claimed: Claimed | null
  try {
    const secret = step === 'fetch' ? await objectSecret(env, jobId) : undefined
    const claim = () => env.ACCOUNTS.getByName(accountId).claim(jobId, step, place.id, place.attempt, secret)
    claimed = await retry(claim, twice)
  } catch (cause) {
    console.error('the step could not be claimed', jobId, step, cause)
    return 'fault'
  }
  if (!claimed) return 'not needed'
  const lease = leaseOf(accountId, step, claimed)
  try {
    if (runsInWorker(env, claimed.job, step)) {
      // The operator has changed where speech is recognized since the message was sent.
      await env.ACCOUNTS.getByName(accountId).giveBack(lease, { isUsed: false })
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
    const ended = env.ACCOUNTS.getByName(accountId).giveBack(lease, { delayMs: FAULT_MS })
    return ended.then(
      () => 'not needed',
      () => 'fault',
    )
  }
}

export const leaseOf = (accountId: string, step: Step, { job, lease }: Claimed): Lease => ({
  accountId,
  jobId: job.id,
  step,
  attempt: job.attempt,
  lease,
})

/** Under the same lease a claim is repeated, and not made again. */
const twice = { attempts: 2, isRetryable: () => true }

/** null: nobody could be reported to, because PUBLIC_URL was removed while the job waited. */
const orderOf = async (env: Env, claimed: Claimed, lease: Lease, place: PlaceOfStep) => {
  const callbackUrl = callbackUrlOf(configOf(env), claimed.job)
  if (callbackUrl === null) return null
  const token = await leaseToken(await signingKey(env, 'leases'), lease)
  const callback = { url: `${callbackUrl}/internal/jobs/${claimed.job.id}`, token }
  const { id: placeId, accountId, diskBytes } = place
  return orderFor(env, claimed, { callback, accountId, placeId, diskBytes })
}

/** Before another attempt, after an error of our own. */
const FAULT_MS = 10_000

export const runsInWorker = (env: Env, job: Job, step: Step): boolean => {
  const speech = asTranscription({ ...job, step })
  return step === 'deliver' || (speech !== null && isRecognizedInWorker(env, speech))
}

type Placement = Required<Pick<StepOrder, 'callback' | 'accountId' | 'placeId' | 'diskBytes'>>

export const orderFor = async (
  env: Env,
  { job, stored, agreed, names }: Omit<Claimed, 'lease'>,
  placement: Placement,
): Promise<StepOrder> => {
  const config = configOf(env)
  const common = { ...commonTo(job, placement, config), agreed }
  const speech = asTranscription(job)
  if (speech) return transcriptionOrder(env, speech, common, stored)
  const order = fetchOrder(job as ImportJob, common)
  if (!names) return order
  const hasCaptions = order.captions !== undefined
  return { ...order, uploads: await plannedUploads(config, job.id, names, { hasCaptions }) }
}

/** A container of version 1 would ignore what is asked beside the media or the transcript. */
const BESIDE = 2

const fetchOrder = (job: ImportJob, common: Common): FetchOrder => {
  const { url, clip, includeVideo, includeAudio, videoQuality, audioQuality, audioFormat } = job.request
  const selection = { includeVideo, includeAudio, videoQuality, audioQuality }
  return { step: 'fetch', ...common, clip: clip ?? undefined, audioFormat, url, selection, ...besideMedia(job) }
}

/** Whether what the source says of itself may be in its key in the bucket. */
const isNamed = (job: Job): boolean => {
  const storage = storageOf(job)
  return storage !== null && (storage.storageKey !== undefined || job.batch !== undefined)
}

const besideMedia = (job: ImportJob): Partial<FetchOrder> => {
  const { request } = job
  const { captions: files, transcribe, files: kinds = [], linked } = request
  const isAboutNeeded = kinds.some((kind) => kind !== 'thumbnail') || isNamed(job)
  if (!mayHaveCaptions(request) && !isAboutNeeded) return {}
  const transcript = transcribe &&
    looksForCaptions(transcribe) && { language: transcribe.translate ?? transcribe.language }
  const captions = mayHaveCaptions(request) && { captions: { files, ...(transcript && { transcript }) } }
  return { v: BESIDE, ...captions, ...(isAboutNeeded && { about: true }), linked }
}

const transcriptionOrder = async (
  env: Env,
  job: TranscriptionJob,
  common: Common,
  stored: StoredFile | null,
): Promise<StepOrder> => {
  const { language, linked, model, words, speakers, translate, vocabulary } = job.request
  const clip = job.request.clip ?? undefined
  if (job.step === 'captions') {
    const limits = { ...common.limits, timeoutMs: CAPTIONS_TIMEOUT_MS }
    const source = await sourceFor(env, job, stored)
    const asked = { language: translate ?? language, ...besideTranscript(job) }
    return { step: 'captions', ...common, clip, linked, limits, ...source, ...asked }
  }
  if (job.step === 'audio') {
    const source = await sourceFor(env, job, stored)
    const who = { speakers: isThirdParty(job.request.provider) ? undefined : (speakers ?? undefined) }
    const { files: _, ...beside } = besideTranscript(job)
    const pieces = pieceLimitsFor(env, job)
    return { step: 'audio', ...common, clip, linked, ...source, ...who, ...beside, ...versionFor(pieces), pieces }
  }
  if (job.step === 'recognize' && job.carry) {
    const { turns, pieces } = await presignedAudio(env, job.carry)
    const asked = { model, words: words || undefined, translate, vocabulary, turns }
    return { step: 'recognize', ...common, ...versionFor({ model }), ...asked, language, pieces }
  }
  throw new Error(`the container has no order for step ${job.step}`)
}

/** A container of version 2 would hear all speech with its default model. */
const NAMES_MODEL = 3

const versionFor = ({ model }: { model?: string | undefined }): Pick<StepOrder, 'v'> =>
  model === undefined ? {} : { v: NAMES_MODEL }

const besideTranscript = (job: TranscriptionJob): Pick<CaptionsOrder, 'v' | 'files' | 'about'> => {
  const { captions: files } = job.request
  const isAboutNeeded = isNamed(job)
  return files || isAboutNeeded ? { v: BESIDE, files, ...(isAboutNeeded && { about: true }) } : {}
}

const sourceFor = async (env: Env, { request }: TranscriptionJob, stored: StoredFile | null) => {
  if (request.url !== null) return { url: request.url }
  if (!stored) throw new Error('the file that the job reads is gone')
  const { key, ...file } = stored
  return { url: await presignedGet(configOf(env), key, STEP_TIMEOUT_MS / 1000), stored: file }
}

/** Heartbeats in a lease. Some may be lost before it expires. */
const HEARTBEATS = 6

type Common = ReturnType<typeof commonTo> & Pick<Claimed, 'agreed'>

const commonTo = ({ id, attempt, request }: Job, placement: Placement, config: Config) => ({
  jobId: id,
  attempt,
  ...placement,
  heartbeatMs: Math.ceil(config.LEASE_MS / HEARTBEATS),
  limits: {
    maxBytes: largestMediaBytes(expectedDiskBytes(config), 'oneFile'),
    maxDiskBytes: expectedDiskBytes(config),
    maxDurationSeconds: Math.min(config.terms.maxMediaSeconds, request.maxSeconds ?? Number.POSITIVE_INFINITY),
    timeoutMs: STEP_TIMEOUT_MS,
  },
})

/** Two batches of the container's own engine, in one PUT. */
const SAMPLES = { encoding: 'samples', maxBytes: 8_000_000, maxSeconds: 240 } as const

const pieceLimitsFor = (env: Env, { request }: TranscriptionJob): AudioOrder['pieces'] => {
  const config = configOf(env)
  const { provider, model } = request
  const recognizer = isThirdParty(provider) ? providerAt(config, provider) : builtinOf(env, config, request)
  if (!recognizer) return { ...SAMPLES, ...(model !== undefined && { model }) }
  const { maxBytes, maxSeconds } = recognizer.limits
  return { encoding: 'opus', maxBytes, maxSeconds }
}

const presignedAudio = async (env: Env, { pieces, turns }: PreparedAudio) => {
  const presigned = async <Stored extends { key: string }>({ key, ...stored }: Stored) => ({
    ...stored,
    url: await presignedGet(configOf(env), key, STEP_TIMEOUT_MS / 1000),
  })
  return { pieces: await Promise.all(pieces.map(presigned)), turns: turns && (await presigned(turns)) }
}

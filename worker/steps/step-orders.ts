import type { ImportJob, Job, PreparedAudio, TranscriptionJob } from '../../domain/jobs/job.ts'
import { largestMediaBytes } from '../../domain/jobs/step-resources.ts'
import { CAPTIONS_TIMEOUT_MS, MAX_MEDIA_SECONDS, STEP_TIMEOUT_MS } from '../../domain/limits.ts'
import { type AudioOrder, type FetchOrder, ORDER_VERSION, type StepOrder } from '../../domain/protocol/protocol.ts'
import { type Config, configOf, expectedDiskBytes } from '../env.ts'
import { presignedGet } from '../media/presigned-uploads.ts'
import { builtinOf, isThirdParty, providerAt } from '../speech/configured-providers.ts'

/** Where a step runs, and where it reports. */
type Placement = Required<Pick<StepOrder, 'callback' | 'accountId' | 'placeId' | 'diskBytes'>>

/** What the container is asked to do for the step that a job is at. */
export const orderFor = async (env: Env, job: Job, placement: Placement): Promise<StepOrder> => {
  const common = commonTo(job, placement, configOf(env))
  return job.kind === 'import' ? fetchOrder(job, common) : transcriptionOrder(env, job, common)
}

const fetchOrder = (job: ImportJob, common: Common): FetchOrder => {
  const { url, includeVideo, includeAudio, videoQuality, audioQuality } = job.request
  const selection = { includeVideo, includeAudio, videoQuality, audioQuality }
  return { step: 'fetch', ...common, ...clipOf(job), url, selection }
}

const transcriptionOrder = async (env: Env, job: TranscriptionJob, common: Common): Promise<StepOrder> => {
  const { language } = job.request
  const url = job.request.url ?? ''
  if (job.step === 'captions') {
    const limits = { ...common.limits, timeoutMs: CAPTIONS_TIMEOUT_MS }
    return { step: 'captions', ...common, ...clipOf(job), limits, url, language }
  }
  if (job.step === 'audio') return { step: 'audio', ...common, ...clipOf(job), url, pieces: pieceLimitsFor(env, job) }
  if (job.step === 'recognize' && job.carry) {
    return { step: 'recognize', ...common, language, pieces: await presignedPieces(env, job.carry) }
  }
  throw new Error(`the container has no order for step ${job.step}`)
}

/** Only a container that knows clips may run the step. */
const clipOf = ({ request: { clip } }: Job): Pick<FetchOrder, 'v' | 'clip'> => (clip ? { v: ORDER_VERSION, clip } : {})

/** Heartbeats in a lease. Some may be lost before it expires. */
const HEARTBEATS = 6

type Common = ReturnType<typeof commonTo>

/** The lease number names the attempt: it is never reused, so an order under a new lease always runs. */
const commonTo = ({ id, leaseNumber }: Job, placement: Placement, config: Config) => ({
  jobId: id,
  attempt: leaseNumber,
  ...placement,
  heartbeatMs: Math.ceil(config.leaseMs / HEARTBEATS),
  limits: {
    maxBytes: largestMediaBytes(expectedDiskBytes(config), 'oneFile'),
    maxDiskBytes: expectedDiskBytes(config),
    maxDurationSeconds: MAX_MEDIA_SECONDS,
    timeoutMs: STEP_TIMEOUT_MS,
  },
})

/** Two batches of the container's own engine, in one PUT. */
const SAMPLES = { encoding: 'samples', maxBytes: 8_000_000, maxSeconds: 240 } as const

const pieceLimitsFor = (env: Env, { request: { provider } }: TranscriptionJob): AudioOrder['pieces'] => {
  const config = configOf(env)
  const recognizer = isThirdParty(provider) ? providerAt(config, provider) : builtinOf(env, config)
  if (!recognizer) return SAMPLES
  const { maxBytes, maxSeconds } = recognizer.limits
  return { encoding: 'opus', maxBytes, maxSeconds }
}

const presignedPieces = (env: Env, { pieces }: PreparedAudio) =>
  Promise.all(
    pieces.map(async ({ key, ...piece }) => ({
      ...piece,
      url: await presignedGet(configOf(env), key, STEP_TIMEOUT_MS / 1000),
    })),
  )

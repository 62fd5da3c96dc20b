import type { FoundCaptions, PreparedSound, RecognizedSpeech, StepOrder } from '../../container/protocol.ts'
import { failure, quoted } from '../domain/codes/failures.ts'
import type { PreparedAudio, TranscriptionJob } from '../domain/jobs/job.ts'
import { STEP_TIMEOUT_MS } from '../domain/limits.ts'
import { heardKey } from '../domain/media/media-keys.ts'
import { judge, quoteOf, transcriptionCost } from '../domain/money/bill.ts'
import { zero } from '../domain/money/money.ts'
import { CAPTIONS_COST, downloadCost } from '../domain/money/prices.ts'
import { audioOrder, type Callback, captionsOrder, recognizeOrder } from '../engine/client.ts'
import type { Lease } from '../engine/leases.ts'
import { failureOf } from '../engine/reports.ts'
import { configOf } from '../env.ts'
import { finishUpload, presignedGet } from '../media/uploads.ts'
import { builtinOf, isThirdParty, providerAt } from './providers.ts'

/**
 * The way of a transcription: `captions` looks for words that exist already; else, with a provider, `audio`
 * brings the sound into storage in pieces and `recognize` makes words of them: the container's engine by an
 * order, anybody else from within the Worker (recognition.ts).
 */
export const transcriptionOrder = async (env: Env, job: TranscriptionJob, callback: Callback): Promise<StepOrder> => {
  if (job.step === 'captions') return captionsOrder(job, callback)
  if (job.step === 'audio') return audioOrder(job, callback, piecesFor(env, job))
  if (job.step === 'recognize' && job.carry) return recognizeOrder(job, callback, await linked(env, job.carry))
  throw new Error(`no order for step ${job.step}`)
}

/** What the container's engine likes best: two batches of samples, which one PUT carries. */
const SAMPLES = { encoding: 'samples', maxBytes: 8_000_000, maxSeconds: 240 } as const

const piecesFor = (env: Env, { request: { provider } }: TranscriptionJob) => {
  const config = configOf(env)
  const engine = isThirdParty(provider) ? providerAt(config, provider) : builtinOf(env, config)
  if (!engine) return SAMPLES
  const { maxBytes, maxSeconds } = engine.limits
  return { encoding: 'opus' as const, maxBytes, maxSeconds }
}

const linked = (env: Env, { pieces }: PreparedAudio) =>
  Promise.all(
    pieces.map(async ({ key, ...piece }) => ({
      ...piece,
      url: await presignedGet(configOf(env), key, STEP_TIMEOUT_MS / 1000),
    })),
  )

/** Words first, then the account: a completed job always has its transcript. False: the lease is lost. */
export const foundCaptions = async (env: Env, lease: Lease, found: FoundCaptions): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const job = await transcriptionOf(env, lease)
  if (!job) return false
  const { transcript, facts } = found
  if (transcript && facts && facts.segments > 0) {
    await finishUpload(env.MEDIA, transcript)
    const result = { source: 'platform_captions' as const, ...facts, ...placeOf(lease), downloadCostMicros: null }
    return account.complete(lease, {
      finished: { kind: 'transcription', result },
      charge: CAPTIONS_COST,
      keys: [transcript.key],
    })
  }
  if (job.request.provider !== null) {
    return account.advance(lease, { next: 'audio', carry: null, owing: zero, keys: [] })
  }
  if (found.withheld) return account.failStep(lease, failureOf(found.withheld))
  const quote = quoteOf(found.durationSeconds, found.audioBytes ?? null)
  return account.failStep(lease, quoted(failure('TRANSCRIPTION_PROVIDER_REQUIRED'), quote))
}

export const preparedSound = async (env: Env, lease: Lease, sound: PreparedSound): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const job = await transcriptionOf(env, lease)
  if (!job) return false
  const { durationSeconds, downloadedBytes } = sound
  if (sound.pieces.length === 0) return account.failStep(lease, failure('NO_SPEECH'))
  const verdict = judge(job, { durationSeconds, downloadedBytes, totalBytes: null })
  if ('failed' in verdict) return account.failStep(lease, verdict.failed)
  for (const { upload } of sound.pieces) await finishUpload(env.MEDIA, upload)
  const pieces = sound.pieces.map(({ upload: { key, sizeBytes }, ...place }) => ({ key, sizeBytes, ...place }))
  const keys = pieces.flatMap(({ key }) => [key, heardKey(key)])
  const carry = { attempt: lease.attempt, durationSeconds, downloadedBytes, pieces, waits: 0 }
  return account.advance(lease, { next: 'recognize', carry, owing: verdict.owing, keys })
}

/** Whoever made the words: the account is charged for the sound's download and its minutes. */
export const recognized = async (
  env: Env,
  lease: Lease,
  { transcript, facts }: Omit<RecognizedSpeech, 'step'>,
): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const job = await transcriptionOf(env, lease)
  if (!job?.carry || job.request.provider === null) return false
  if (facts.segments === 0) return account.failStep(lease, failure('NO_SPEECH'))
  await finishUpload(env.MEDIA, transcript)
  const { provider } = job.request
  const { durationSeconds, downloadedBytes } = job.carry
  return account.complete(lease, {
    finished: {
      kind: 'transcription',
      result: {
        source: provider,
        ...facts,
        durationSeconds,
        ...placeOf(lease),
        downloadCostMicros: downloadCost(downloadedBytes),
      },
    },
    charge: transcriptionCost(provider, job.carry),
    keys: [transcript.key],
  })
}

const placeOf = ({ attempt, step }: Lease) => ({ attempt, step })

/** null: the lease is lost. */
const transcriptionOf = async (env: Env, lease: Lease): Promise<TranscriptionJob | null> => {
  const job = await env.ACCOUNTS.getByName(lease.accountId).leasedJob(lease)
  return job?.kind === 'transcription' ? job : null
}

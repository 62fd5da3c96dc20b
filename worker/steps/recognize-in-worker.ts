import { failure } from '../../domain/codes/failures.ts'
import type { PreparedAudio, TranscribeRequest, TranscriptionJob } from '../../domain/jobs/job.ts'
import { MAX_PROVIDER_WAIT_MS, MAX_PROVIDER_WAITS, SLICE_LATE_MS, SLICE_TIMEOUT_MS } from '../../domain/limits.ts'
import { recognizedPieceKey, transcriptKey } from '../../domain/media/media-keys.ts'
import { backoffMs } from '../../domain/retry.ts'
import { type Turn, Turns } from '../../domain/words/speaker-turns.ts'
import { storedTranscript, TRANSCRIPT_TYPE } from '../../domain/words/transcript-body.ts'
import { configOf } from '../env.ts'
import { namesOf } from '../media/object-secret.ts'
import type { Asked, RecognizedAudio } from '../speech/recognition.ts'
import { type PieceStore, recognizeSlice, type SliceResult } from '../speech/recognize-slice.ts'
import type { Lease } from './lease-token.ts'
import { recognizerOf, type WorkerRecognizer } from './recognizers.ts'

/**
 * One slice runs within the time of one alarm, under a heartbeat. Then the job completes, fails, or waits for another
 * message: soon when the provider is still working or rate-limits us, later after an error.
 */
export const recognizeInWorker = async (env: Env, job: TranscriptionJob, lease: Lease): Promise<void> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  try {
    const recognizer = await recognizerOf(env, job, lease)
    if (recognizer) await runSlice(env, job, lease, recognizer)
    else await account.failStep(lease, noKey)
  } catch (cause) {
    console.error('recognize', job.id, job.usedAttempts, cause)
    await account.giveBack(lease, { isUsed: false })
  }
}

const noKey = failure('PROVIDER_KEY_REJECTED', 'The stored key for the provider was removed before it was used.')

const runSlice = async (env: Env, job: TranscriptionJob, lease: Lease, recognizer: WorkerRecognizer): Promise<void> => {
  const { carry } = job
  if (!carry) throw new Error(`${job.id} has no audio to recognize`)
  const startedAt = Date.now()
  const alive = keepAlive(env, lease, carry)
  const { turns } = carry
  try {
    const slice = await recognizeSlice({
      recognizer: recognizer.pieces,
      store: pieceStore(env.MEDIA),
      pieces: carry.pieces,
      language: job.request.language,
      asked: askedOf(job.request),
      readTurns: turns && (() => readTurns(env.MEDIA, turns.key)),
      signal: AbortSignal.any([alive.signal, AbortSignal.timeout(SLICE_TIMEOUT_MS)]),
      isLate: () => Date.now() - startedAt > SLICE_LATE_MS || alive.signal.aborted,
      onRecognized: alive.recognized,
    })
    const isOver = alive.signal.aborted || (await applyResult(env, job, lease, slice))
    if (isOver) await Promise.all(slice.providerJobIds.map(recognizer.forget))
  } finally {
    alive.stop()
  }
}

const askedOf = ({ words, speakers, translate, vocabulary }: TranscribeRequest): Asked => ({
  words,
  speakers,
  ...(translate && { translate }),
  ...(vocabulary && { vocabulary }),
})

/** True when the provider's job is no longer needed. */
const applyResult = async (env: Env, job: TranscriptionJob, lease: Lease, slice: SliceResult): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const waits = slice.hasProgressed ? 0 : (job.carry?.waits ?? 0)
  const audio = { ...(job.carry as NonNullable<typeof job.carry>), waits }
  if (slice.state === 'done') return finish(env, job, lease, slice.recognized)
  if (slice.state === 'later') {
    await account.postpone(lease, { delayMs: slice.afterMs, audio })
    return false
  }
  const { failed, retryAfterSeconds } = slice
  if (!failed.retryable || (failed.code === 'PROVIDER_RATE_LIMITED' && waits >= MAX_PROVIDER_WAITS)) {
    return account.failStep(lease, failed)
  }
  const requestedMs = retryAfterSeconds === null ? null : within(retryAfterSeconds * 1000)
  if (failed.code === 'PROVIDER_RATE_LIMITED') {
    const delayMs = requestedMs ?? backOff(waits + 1)
    await account.postpone(lease, { delayMs, audio: { ...audio, waits: waits + 1 } })
  } else {
    await account.giveBack(lease, {
      delayMs: requestedMs ?? backoffMs(job.usedAttempts, FAILED_BACKOFF),
      reason: failed,
    })
  }
  return false
}

const finish = async (
  env: Env,
  job: TranscriptionJob,
  lease: Lease,
  recognized: Extract<SliceResult, { state: 'done' }>['recognized'],
): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const { segments, languageProbability, model, vocabulary } = recognized
  const facts = {
    language: recognized.language ?? job.request.language ?? 'und',
    durationSeconds: job.carry?.durationSeconds ?? recognized.durationSeconds,
    languageProbability,
    model,
    vocabulary,
  }
  const { body, endSeconds, ...layout } = storedTranscript(segments)
  const names = await namesOf(env, lease)
  const key = transcriptKey(job.id, 'recognize', names)
  if (!(await account.noteUpload(lease, { key, uploadId: null }))) return false
  const stored = await env.MEDIA.put(key, body, { httpMetadata: { contentType: TRANSCRIPT_TYPE } })
  const transcript = { key, uploadId: null, parts: null, sizeBytes: stored.size }
  const result = { step: 'recognize' as const, transcript, facts: { ...facts, ...layout } }
  return account.finishTranscriptionStep(lease, result, names)
}

const SHORTEST_WAIT_MS = 2_000
/** Three attempts outlast a minute in which the provider fails. */
const FAILED_BACKOFF = { firstMs: 30_000, longestMs: MAX_PROVIDER_WAIT_MS }

const within = (waitMs: number): number => Math.min(MAX_PROVIDER_WAIT_MS, Math.max(SHORTEST_WAIT_MS, waitMs))

const backOff = (attempt: number): number =>
  backoffMs(attempt + 1, { firstMs: SHORTEST_WAIT_MS, longestMs: MAX_PROVIDER_WAIT_MS })

const keepAlive = (env: Env, lease: Lease, { pieces, downloadedBytes }: PreparedAudio) => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const ended = new AbortController()
  let recognizedPieces = 0
  const beat = async () => {
    const verdict = await account.progress(lease, {
      stage: 'recognizing',
      percent: Math.floor((100 * recognizedPieces) / pieces.length),
      downloadedBytes,
      totalBytes: null,
      bytesPerSecond: null,
    })
    if (verdict !== 'continue') ended.abort()
  }
  // A failed report is followed by others before the lease expires.
  const report = () => void beat().catch((cause) => console.warn('heartbeat', lease.jobId, `${cause}`))
  report()
  const timer = setInterval(report, configOf(env).LEASE_MS / 4)
  return {
    /** Aborts when the lease is lost or the job has ended. */
    signal: ended.signal,
    recognized: (count: number) => {
      recognizedPieces = count
    },
    stop: () => clearInterval(timer),
  }
}

/** The result of each piece is in an object beside it. The metadata of that object is the state of the piece. */
export const pieceStore = (bucket: R2Bucket): PieceStore => ({
  openAudio: async ({ key }) => {
    const object = await bucket.get(key)
    if (!object) throw new Error(`the piece of audio ${key} is gone`)
    return object.body
  },
  readState: async ({ key }) => {
    const found = await bucket.head(recognizedPieceKey(key))
    return (
      found && {
        isRecognized: found.customMetadata?.heard === 'yes',
        providerJobId: found.customMetadata?.providerJobId ?? null,
      }
    )
  },
  save: async ({ key }, { isRecognized, providerJobId }, recognized) => {
    await bucket.put(recognizedPieceKey(key), recognized ? JSON.stringify(recognized) : '', {
      customMetadata: { heard: isRecognized ? 'yes' : 'no', ...(providerJobId ? { providerJobId } : {}) },
    })
  },
  readRecognized: async ({ key }) => {
    const object = await bucket.get(recognizedPieceKey(key))
    if (!object) throw new Error(`the result of ${key} is gone`)
    return object.json<RecognizedAudio>()
  },
})

export const readTurns = async (bucket: R2Bucket, key: string): Promise<Turn[]> => {
  const object = await bucket.get(key)
  if (!object) throw new Error(`the turns ${key} are gone`)
  return Turns.parse(await object.json()).turns
}

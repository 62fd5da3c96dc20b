import { failure } from '../domain/codes/failures.ts'
import type { TranscriptionJob } from '../domain/jobs/job.ts'
import { LATE_AFTER_MS, LONGEST_WAIT_MS, MAX_WAITS, SLICE_MS } from '../domain/limits.ts'
import { transcriptKey } from '../domain/media/media-keys.ts'
import type { Lease } from '../engine/leases.ts'
import { recognizeSlice, type Slice } from '../speech/recognize.ts'
import { toTranscript } from '../speech/transcript.ts'
import { type Recognizer, recognizerOf } from './engines.ts'
import { keepAlive } from './heartbeat.ts'
import { shelfOf } from './shelf.ts'
import { recognized } from './transcriptions.ts'

/**
 * The recognize step where the words are made by somebody else's machine. A slice of it runs in the
 * time of the message that asked for it, alive by its heartbeat; then the job is done, fails, or waits for another
 * message: soon where the provider is at work or asks for patience, later where it broke.
 */
export const recognizeHere = async (env: Env, job: TranscriptionJob, lease: Lease): Promise<void> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  try {
    const recognizer = await recognizerOf(env, job, lease)
    if (recognizer) await runSlice(env, job, lease, recognizer)
    else await account.failStep(lease, noKey)
  } catch (cause) {
    console.error('recognize', job.id, job.attempts, cause)
    await account.giveBack(lease, { delayMs: backOff(job.attempts) })
  }
}

const noKey = failure('PROVIDER_KEY_REJECTED', 'The stored key for the provider was removed before it was used.')

const runSlice = async (env: Env, job: TranscriptionJob, lease: Lease, recognizer: Recognizer): Promise<void> => {
  const { carry } = job
  if (!carry) throw new Error(`${job.id} has no sound to recognize`)
  const startedAt = Date.now()
  const alive = keepAlive(env, lease, carry)
  try {
    const slice = await recognizeSlice({
      engine: recognizer.engine,
      shelf: shelfOf(env.MEDIA),
      pieces: carry.pieces,
      language: job.request.language,
      signal: AbortSignal.any([alive.signal, AbortSignal.timeout(SLICE_MS)]),
      isLate: () => Date.now() - startedAt > LATE_AFTER_MS || alive.signal.aborted,
      onHeard: alive.heard,
    })
    const isOver = alive.signal.aborted || (await settle(env, job, lease, slice))
    if (isOver) await Promise.all(slice.providerJobIds.map(recognizer.forget))
  } finally {
    alive.stop()
  }
}

/** True when nothing more is wanted of the provider. */
const settle = async (env: Env, job: TranscriptionJob, lease: Lease, slice: Slice): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const waits = slice.isFurther ? 0 : (job.carry?.waits ?? 0)
  const patiently = { ...(job.carry as NonNullable<typeof job.carry>), waits }
  if (slice.state === 'done') return finish(env, job, lease, slice.heard)
  if (slice.state === 'later') {
    await account.postpone(lease, { delayMs: slice.afterMs, carry: patiently })
    return false
  }
  const { failed, retryAfterSeconds } = slice
  if (!failed.retryable || (failed.code === 'PROVIDER_RATE_LIMITED' && waits >= MAX_WAITS)) {
    return account.failStep(lease, failed)
  }
  const told = retryAfterSeconds === null ? null : within(retryAfterSeconds * 1000)
  if (failed.code === 'PROVIDER_RATE_LIMITED') {
    const carry = { ...patiently, waits: waits + 1 }
    await account.postpone(lease, { delayMs: told ?? backOff(waits + 1), carry })
  } else {
    await account.giveBack(lease, { delayMs: told ?? backOff(job.attempts), reason: failed })
  }
  return false
}

const finish = async (
  env: Env,
  job: TranscriptionJob,
  lease: Lease,
  heard: Extract<Slice, { state: 'done' }>['heard'],
): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const facts = {
    language: heard.language ?? job.request.language ?? 'und',
    durationSeconds: job.carry?.durationSeconds ?? heard.durationSeconds,
  }
  const { text, segments } = toTranscript(heard.segments, { source: '', language: facts.language, duration: 0 })
  const key = transcriptKey(job.id, 'recognize', job.attempts)
  if (!(await account.noteUpload(lease, { key, uploadId: null }))) return false
  const stored = await env.MEDIA.put(key, JSON.stringify({ text, segments }), {
    httpMetadata: { contentType: 'application/json' },
  })
  const transcript = { key, uploadId: null, parts: null, sizeBytes: stored.size }
  return recognized(env, lease, { transcript, facts: { ...facts, segments: segments.length } })
}

const SHORTEST_WAIT_MS = 2_000

const within = (waitMs: number): number => Math.min(LONGEST_WAIT_MS, Math.max(SHORTEST_WAIT_MS, waitMs))

/** Twice as long each time. */
const backOff = (times: number): number => within(SHORTEST_WAIT_MS * 2 ** Math.min(times, 10))

import type { Finished, ImportResult, StartedJob, TranscriptionResult } from '../api-types.ts'
import { HaulApiError, HaulJobError } from '../errors.ts'
import type { Call } from '../http/call.ts'
import { type Connection, pathOf, startRequest } from '../http/connection.ts'
import type { JobOptions, WaitOptions } from '../options.ts'
import { followJob, type JobState, progressReporter, readStatus } from './follow-job.ts'

type Result = ImportResult | TranscriptionResult

export interface JobStart {
  path: '/import' | '/transcribe'
  body: object
}

/** After an abort: for the response of a start that was sent already, and for the cancellation of its job. */
const CLEAN_UP_MS = 10_000

/** Starts a job, and follows it unless `wait` is false. */
export const runJob = async (
  connection: Connection,
  call: Call,
  { path, body }: JobStart,
  { wait = true, idempotencyKey, ...options }: JobOptions & { words?: boolean | undefined },
): Promise<StartedJob | Finished<Result>> => {
  const graceMs = options.cancelOnAbort ? CLEAN_UP_MS : 0
  const request = { ...startRequest(path, body, idempotencyKey), graceMs }
  const started: StartedJob = await connection.json(call, request)
  call.jobId = started.jobId
  return cancelingOnAbort(connection, call, options, async () => {
    call.signal.throwIfAborted()
    return wait ? finished(connection, call, started.jobId, options) : started
  })
}

/** Follows a job that was started earlier. */
export const waitForJob = (
  connection: Connection,
  call: Call,
  jobId: string,
  options: WaitOptions & { words?: boolean | undefined },
): Promise<Finished<Result>> => {
  call.jobId = jobId
  return cancelingOnAbort(connection, call, options, () => finished(connection, call, jobId, options))
}

const cancelingOnAbort = async <Value>(
  connection: Connection,
  { jobId }: Call,
  { cancelOnAbort, signal }: WaitOptions,
  run: () => Promise<Value>,
): Promise<Value> => {
  try {
    return await run()
  } catch (error) {
    if (cancelOnAbort && signal?.aborted) {
      // The call rejects with the reason of the signal, whether or not the job could be canceled.
      await connection.call({ timeoutMs: CLEAN_UP_MS }, cancelRequest(jobId ?? '')).catch(() => {})
    }
    throw error
  }
}

/** It removes nothing of a job that has ended meanwhile. */
export const cancelRequest = (jobId: string) => ({
  method: 'DELETE',
  path: pathOf('jobs', jobId),
  query: { cancelOnly: 1 },
})

const finished = async (
  connection: Connection,
  call: Call,
  jobId: string,
  { words = false, onProgress }: WaitOptions & { words?: boolean | undefined },
): Promise<Finished<Result>> => {
  const job = await followJob(connection, call, jobId, progressReporter(onProgress), !onProgress)
  if (job.status === 'failed') throw new HaulJobError(job)
  const result = resultOf(jobId, job)
  const hasWords = words && 'wordsAvailable' in result && result.wordsAvailable
  return hasWords ? resultOf(jobId, await readStatus(connection, call, jobId, { words: 1 })) : result
}

/** A transcript that was removed leaves a result without text, and a removed import leaves none. */
const resultOf = (jobId: string, { result }: JobState): Finished<Result> => {
  if (result && ('mediaUrl' in result || 'text' in result)) return { ...result, jobId } as Finished<Result>
  throw new HaulApiError(410, { error: 'The result was removed.', code: 'MEDIA_EXPIRED', requestId: null })
}

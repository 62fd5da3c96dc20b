import type {
  Finished,
  ImportResult,
  Job,
  JobFilter,
  JobInList,
  StartedJob,
  TranscriptionResult,
} from '../api-types.ts'
import { HaulApiError, HaulJobError } from '../errors.ts'
import { progressReporter } from '../follow.ts'
import { type Call, withinCall } from '../http/call.ts'
import { type Connection, entriesOf, Group, pathOf, startRequest } from '../http/connection.ts'
import type { CallOptions, JobOptions, ListOptions, WaitOptions } from '../options.ts'
import { followJob, type JobState, progressOfJob, readStatus } from './follow-job.ts'

export class Jobs extends Group {
  get(jobId: string, options: CallOptions = {}): Promise<Job> {
    return this.connection.call(options, { path: pathOf('jobs', jobId) })
  }

  /**
   * Jobs, newest first: all, or those that match each of the filters.
   *
   * ```ts
   * for await (const { jobId, code } of haul.jobs.list({ status: 'failed', limit: 10 })) console.log(jobId, code)
   * for await (const { jobId } of haul.jobs.list({ metadata: { show: 'news' }, q: 'interview' })) console.log(jobId)
   * ```
   */
  list(options: JobFilter & ListOptions = {}): AsyncIterableIterator<JobInList> {
    return entriesOf(this.connection, '/jobs', 'jobs', options)
  }

  /** Cancels a job that is queued or running, and resolves with the job. One that has ended stays as it is. */
  cancel(jobId: string, options: CallOptions = {}): Promise<Job> {
    return this.connection.call(options, cancelRequest(jobId))
  }

  /** Removes the media or the transcript of a finished job. A running one is canceled. */
  remove(jobId: string, options: CallOptions = {}): Promise<Job> {
    return this.connection.call(options, { method: 'DELETE', path: pathOf('jobs', jobId) })
  }

  /** Resolves with the result of a job when it has completed, and rejects with a `HaulJobError` if it fails. */
  wait(jobId: `imp_${string}`, options?: WaitOptions): Promise<Finished<ImportResult>>
  wait(jobId: `trn_${string}`, options?: WaitOptions): Promise<Finished<TranscriptionResult>>
  wait(jobId: string, options?: WaitOptions): Promise<Finished<ImportResult | TranscriptionResult>>
  wait(jobId: string, options: WaitOptions = {}): Promise<Finished<ImportResult | TranscriptionResult>> {
    return withinCall(options, (call) => {
      call.jobId = jobId
      return cancelingOnAbort(this.connection, call, options, () => finished(this.connection, call, options))
    })
  }
}

type Result = ImportResult | TranscriptionResult

interface JobStart {
  path: '/import' | '/transcribe'
  body: object
}

/** After an abort: the time for the response to a start that was already sent, and for the cancellation of its job. */
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
    return wait ? finished(connection, call, options) : started
  })
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

/** A job that has ended meanwhile keeps its result. */
const cancelRequest = (jobId: string) => ({
  method: 'DELETE',
  path: pathOf('jobs', jobId),
  query: { cancelOnly: 1 },
})

const finished = async (
  connection: Connection,
  call: Call,
  { words = false, onProgress }: WaitOptions & { words?: boolean | undefined },
): Promise<Finished<Result>> => {
  const { jobId = '' } = call
  const report = progressReporter(onProgress, progressOfJob)
  const job = await followJob(connection, call, jobId, report, !onProgress)
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

import type { Finished, ImportResult, Job, JobFilter, JobInList, TranscriptionResult } from '../api-types.ts'
import { withinCall } from '../http/call.ts'
import { Group, pathOf } from '../http/connection.ts'
import { entriesOf } from '../http/pages.ts'
import type { CallOptions, ListOptions, WaitOptions } from '../options.ts'
import { cancelRequest, waitForJob } from './run-job.ts'

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
    return withinCall(options, (call) => waitForJob(this.connection, call, jobId, options))
  }
}

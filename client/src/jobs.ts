import type { Finished, ImportResult, Job, JobFilter, JobInList, TranscriptionResult } from './api-types.ts'
import type { CallOptions, ListOptions, WaitOptions } from './options.ts'

export class Jobs {
  get(_jobId: string, _options?: CallOptions): Promise<Job> {
    throw new Error('not implemented')
  }

  /**
   * Jobs, newest first.
   *
   * ```ts
   * for await (const { jobId, code } of haul.jobs.list({ status: 'failed', limit: 10 })) console.log(jobId, code)
   * ```
   */
  list(_options?: JobFilter & ListOptions): AsyncIterableIterator<JobInList> {
    throw new Error('not implemented')
  }

  /** Cancels a running job, or removes the media or transcript of a finished one. */
  cancel(_jobId: string, _options?: CallOptions): Promise<Job> {
    throw new Error('not implemented')
  }

  /** Resolves with the result of a job when it has completed, and rejects with a `HaulJobError` if it fails. */
  wait(_jobId: `imp_${string}`, _options?: WaitOptions): Promise<Finished<ImportResult>>
  wait(_jobId: `trn_${string}`, _options?: WaitOptions): Promise<Finished<TranscriptionResult>>
  wait(_jobId: string, _options?: WaitOptions): Promise<Finished<ImportResult | TranscriptionResult>>
  wait(_jobId: string, _options?: WaitOptions): Promise<Finished<ImportResult | TranscriptionResult>> {
    throw new Error('not implemented')
  }
}

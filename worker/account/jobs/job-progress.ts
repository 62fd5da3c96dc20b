import type { Progress } from '../../../domain/protocol/protocol.ts'

/**
 * The progress of jobs, and a number that grows with each change of a job. Both are kept in memory and lost when the
 * object is evicted. Versions start at the time of construction, so they do not repeat after an eviction.
 */
export class JobProgress {
  readonly #progress = new Map<string, Progress>()
  readonly #versions = new Map<string, number>()
  readonly #firstVersion: number

  constructor(now: number) {
    this.#firstVersion = now
  }

  of(jobId: string): Progress | null {
    return this.#progress.get(jobId) ?? null
  }

  versionOf(jobId: string): number {
    return this.#versions.get(jobId) ?? this.#firstVersion
  }

  progressed(jobId: string, progress: Progress): void {
    this.#progress.set(jobId, progress)
    this.changed(jobId)
  }

  /** The step or the job has ended, so its progress is outdated. */
  stepEnded(jobId: string): void {
    this.#progress.delete(jobId)
    this.changed(jobId)
  }

  changed(jobId: string): void {
    this.#versions.set(jobId, this.versionOf(jobId) + 1)
  }
}

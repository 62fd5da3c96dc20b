import type { Progress } from '../../../domain/protocol/protocol.ts'
import type { JobRow } from './job-rows.ts'

/**
 * The progress of jobs, and a number that grows with each change that callers can see. Both are kept in memory and lost
 * when the object is evicted. Versions start at the time of construction, so they do not repeat after an eviction.
 */
export class JobProgress {
  readonly #reports = new Map<string, { lease: string | null; progress: Progress }>()
  readonly #versions = new Map<string, number>()
  readonly #firstVersion: number
  readonly #isOpen: (jobId: string) => boolean

  constructor(now: number, isOpen: (jobId: string) => boolean) {
    this.#firstVersion = now
    this.#isOpen = isOpen
  }

  /** The progress of the attempt that has the lease. */
  of({ id, lease }: Pick<JobRow, 'id' | 'lease'>): Progress | null {
    const report = this.#reports.get(id)
    return report && report.lease === lease ? report.progress : null
  }

  /** A closed job is forgotten, so it has a version that no open job has: its last follower may have seen the first one. */
  versionOf(jobId: string): number {
    return this.#versions.get(jobId) ?? (this.#isOpen(jobId) ? this.#firstVersion : this.#firstVersion - 1)
  }

  reported({ id, lease }: Pick<JobRow, 'id' | 'lease'>, progress: Progress): void {
    this.#reports.set(id, { lease, progress })
    this.changed(id)
  }

  changed(jobId: string): void {
    this.#versions.set(jobId, this.versionOf(jobId) + 1)
  }

  forget(jobId: string): void {
    this.#reports.delete(jobId)
    this.#versions.delete(jobId)
  }
}

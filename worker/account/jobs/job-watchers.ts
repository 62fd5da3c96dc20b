import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { isTerminal, type JobKind } from '../../../domain/jobs/job.ts'
import type { Progress } from '../../../domain/protocol/protocol.ts'
import type { JobSnapshot } from '../calls.ts'
import { findJob, withoutJobLease } from './job-rows.ts'

/**
 * The progress of jobs and the requests that wait for their changes. Both are kept in memory and lost when the
 * object is evicted. Versions start at the time of construction, so they do not repeat after an eviction.
 */
export class JobWatchers {
  readonly #progress = new Map<string, Progress>()
  readonly #versions = new Map<string, number>()
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #firstVersion: number

  constructor(now: number) {
    this.#firstVersion = now
  }

  progressOf(jobId: string): Progress | null {
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
    const waiting = this.#waiting.get(jobId)
    this.#waiting.delete(jobId)
    for (const wake of waiting ?? []) wake()
  }

  /** Resolves at the next change of the job, or after `waitMs`. */
  waitForChange(jobId: string, waitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#waiting.get(jobId)?.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, waitMs)
      const waiting = this.#waiting.get(jobId) ?? new Set()
      this.#waiting.set(jobId, waiting.add(wake))
    })
  }
}

/** `kind` null accepts both kinds. */
export const jobSnapshot = (
  { sql, watchers }: { sql: SqlStorage; watchers: JobWatchers },
  jobId: string,
  kind: JobKind | null,
): Result<JobSnapshot> => {
  const found = findJob(sql, jobId)
  if (!found || (kind !== null && found.kind !== kind)) return refused('JOB_NOT_FOUND')
  const job = { ...withoutJobLease(found), progress: watchers.progressOf(jobId) }
  return accepted({ job, version: watchers.versionOf(jobId) })
}

export const hasChanged = ({ job, version }: JobSnapshot, seen: number | null): boolean =>
  isTerminal(job.state) || (seen !== null && version > seen)

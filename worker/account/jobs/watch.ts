import type { Progress } from '../../domain/jobs/job.ts'

/**
 * What is worth knowing about a job for as long as the object is awake, and no longer: its progress, and
 * who waits for news of it. Versions start at the time of waking, so they never repeat after a sleep.
 */
export class Watch {
  readonly #progress = new Map<string, Progress>()
  readonly #versions = new Map<string, number>()
  readonly #waiting = new Map<string, Set<() => void>>()
  readonly #wokeAt: number

  constructor(now: number) {
    this.#wokeAt = now
  }

  progressOf(jobId: string): Progress | null {
    return this.#progress.get(jobId) ?? null
  }

  versionOf(jobId: string): number {
    return this.#versions.get(jobId) ?? this.#wokeAt
  }

  moved(jobId: string, progress: Progress | null): void {
    if (progress) this.#progress.set(jobId, progress)
    this.changed(jobId)
  }

  ended(jobId: string): void {
    this.#progress.delete(jobId)
    this.changed(jobId)
  }

  changed(jobId: string): void {
    this.#versions.set(jobId, this.versionOf(jobId) + 1)
    const waiting = this.#waiting.get(jobId)
    this.#waiting.delete(jobId)
    for (const wake of waiting ?? []) wake()
  }

  /** Until the next change of the job, or until the time is up. */
  news(jobId: string, waitMs: number): Promise<void> {
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

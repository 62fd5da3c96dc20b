import type { Progress } from '../../../domain/protocol/protocol.ts'
import { RecentValues } from '../../../domain/recent-values.ts'
import type { JobRow } from './job-rows.ts'

type Leased = Pick<JobRow, 'id' | 'lease'>

/** More than are open at once. */
const KEPT = 10_000

/** In memory. A version grows with each change that callers see. It starts at the current time, so none repeats. */
export class JobProgress {
  readonly #reports = new RecentValues<string, { lease: string | null; progress: Progress }>(KEPT)
  readonly #versions = new RecentValues<string, number>(KEPT)
  readonly #firstVersion: number
  #changed = new Set<string>()

  constructor(now: number) {
    this.#firstVersion = now
  }

  of({ id, lease }: Leased): Progress | null {
    const report = this.#reports.get(id)
    return report && report.lease === lease ? report.progress : null
  }

  /** Of a job or a batch. */
  versionOf(id: string): number {
    return this.#versions.get(id) ?? this.#firstVersion
  }

  reported({ id, lease }: Leased, progress: Progress): void {
    this.#reports.set(id, { lease, progress })
    this.changed(id)
  }

  changed(id: string): void {
    this.#versions.set(id, this.versionOf(id) + 1)
    this.#changed.add(id)
  }

  /** The jobs and batches that have changed since this was called before. */
  takeChanged(): Set<string> {
    const changed = this.#changed
    this.#changed = new Set()
    return changed
  }
}

import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { HistoryReport } from './one-process.ts'
import type { Options } from './options.ts'

const PROGRESS_MS = 30_000
/** A history makes much garbage, most of which dies young. The rest is collected after hundreds of histories. */
const EXEC_ARGV = ['--single-threaded-gc', '--max-semi-space-size=64', '--initial-old-space-size=1024']

/** Histories in several processes. Each takes the next seed when it has finished one. */
export class Processes {
  readonly #options: Options
  readonly #children = new Set<ChildProcess>()
  #next: number
  #left: number
  #failed: string | null = null

  constructor(options: Options) {
    this.#options = options
    this.#next = options.from
    this.#left = options.count ?? Number.POSITIVE_INFINITY
  }

  /** Resolves with the seed of the first history that broke an invariant, or null. */
  async run(onHistory: (report: HistoryReport) => void, onProgress: () => void = () => {}): Promise<string | null> {
    const { cores, forMs } = this.#options
    const stop = () => {
      this.#left = 0
    }
    const timer = forMs === null ? undefined : setTimeout(stop, forMs)
    const progress = setInterval(onProgress, PROGRESS_MS)
    try {
      await Promise.all(Array.from({ length: cores }, () => this.#runChild(onHistory)))
    } finally {
      clearTimeout(timer)
      clearInterval(progress)
    }
    return this.#failed
  }

  #runChild(onHistory: (report: HistoryReport) => void): Promise<void> {
    const { acts, faults, mutant } = this.#options
    const settings = JSON.stringify({ acts, faults, mutant })
    const child = fork(join(import.meta.dirname, 'one-process.ts'), [settings], { execArgv: EXEC_ARGV })
    this.#children.add(child)
    return new Promise((resolve, reject) => {
      const giveSeed = () => {
        if (this.#left <= 0) {
          child.disconnect()
          return
        }
        this.#left -= 1
        child.send(`${this.#next}`)
        this.#next += 1
      }
      child.on('message', (report: HistoryReport) => {
        onHistory(report)
        if (report.violations.length > 0) {
          this.#failed ??= report.seed
          this.#left = 0
        }
        giveSeed()
      })
      child.on('exit', (code, signal) => {
        this.#children.delete(child)
        if (code === 0) resolve()
        else reject(new Error(`a process of histories ended with ${code ?? signal}`))
      })
      child.on('error', reject)
      giveSeed()
    })
  }
}

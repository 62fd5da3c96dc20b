import { type Backoff, backoffMs } from '../retry.ts'
import { SECOND_MS } from '../time.ts'
import type { Capacity, Engine, Engines } from './engines.ts'
import type { FleetEngines } from './fleet-index.ts'
import {
  ELSEWHERE_BACKOFF,
  FAILED_BACKOFF,
  FULL_BACKOFF,
  IDLE_MS,
  MAX_STARTS_PER_SECOND,
  SLOW_START_MS,
} from './fleet-limits.ts'
import type { Line } from './line.ts'
import { works } from './place.ts'

export interface StartsOptions extends FleetEngines {
  areElsewhere?: boolean
  expected: Capacity
}

/** As many engines start as the line needs. One without steps for IDLE_MS stops, unless it stays warm. */
export class Starts {
  readonly #names: readonly string[]
  readonly #warm: ReadonlySet<string>
  readonly #engines: Engines
  readonly #line: Line
  readonly #failedBackoff: Backoff
  /** What an engine probably has: what the last one said. */
  #usual: Capacity
  /** Of single engines, by name. null: the platform had no instance for any engine. */
  readonly #failures = new Map<string | null, { count: number; retryAt: number }>()
  readonly #maxStarts: number
  #startedAt: number[] = []

  constructor({ names, warm, expected, areElsewhere }: StartsOptions, engines: Engines, line: Line) {
    this.#names = names
    this.#warm = new Set(names.slice(0, warm))
    this.#engines = engines
    this.#line = line
    this.#usual = expected
    this.#failedBackoff = areElsewhere ? ELSEWHERE_BACKOFF : FAILED_BACKOFF
    this.#maxStarts = areElsewhere ? names.length : MAX_STARTS_PER_SECOND
  }

  mayFit(diskBytes: number): boolean {
    if (diskBytes <= this.#usual.diskBytes) return true
    return [...this.#engines.values()].some(
      (engine) => engine.status === 'running' && engine.capacity.diskBytes >= diskBytes,
    )
  }

  answered({ name, status, capacity }: Engine, now: number): void {
    if (status === 'unfit') {
      this.failed(name, 'failed', now)
    } else {
      this.#usual = capacity
      this.#failures.delete(name)
    }
  }

  /** The platform had an instance. */
  started(): void {
    this.#failures.delete(null)
  }

  gone({ name, status }: Engine, now: number): void {
    if (status !== 'stopping') this.failed(name, 'failed', now)
  }

  failed(name: string, reason: 'full' | 'failed', now: number): void {
    const [of, backoff] = reason === 'full' ? [null, FULL_BACKOFF] : [name, this.#failedBackoff]
    const before = this.#failures.get(of)
    // Engines that were started together fail together, and count once.
    if (before && before.retryAt > now) return
    const count = (before?.count ?? 0) + 1
    this.#failures.set(of, { count, retryAt: now + backoffMs(count, backoff) })
  }

  scale(now: number): { start: string[]; stop: string[] } {
    const stop = [...this.#engines.values()].filter((engine) => this.#mayStop(engine, now))
    for (const engine of stop) engine.status = 'stopping'
    this.#startedAt = this.#startedAt.filter((at) => now - at < SECOND_MS)
    const start = this.#wanted(now).slice(0, this.#maxStarts - this.#startedAt.length)
    this.#startedAt.push(...start.map(() => now))
    for (const name of start) this.#engines.add(name, 'starting', this.#usual, now)
    return { start, stop: stop.map(({ name }) => name) }
  }

  /** Of the engines that are off: the warm ones, which come first, and as many others as the line needs. */
  #wanted(now: number): string[] {
    const off = this.#names.filter((name) => !this.#engines.get(name) && this.#mayStart(name, now))
    if (off.length === 0) return []
    const isStarting = ({ status, idleSince }: Engine) => status === 'starting' && now - idleSince < SLOW_START_MS
    const missing = this.#needed() - [...this.#engines.values()].filter(isStarting).length
    return off.filter((name, index) => this.#warm.has(name) || index < missing)
  }

  /** So many empty engines could run what waits. */
  #needed(): number {
    const { places, diskBytes } = this.#line.needs()
    const byPlaces = works.map((work) => places[work] / Math.max(1, this.#usual.places[work]))
    return Math.ceil(Math.max(...byPlaces, diskBytes / Math.max(1, this.#usual.diskBytes)))
  }

  #mayStart(name: string, now: number): boolean {
    return [null, name].every((of) => now >= (this.#failures.get(of)?.retryAt ?? 0))
  }

  #mayStop({ name, status, places, idleSince, kept }: Engine, now: number): boolean {
    if (places.size > 0) return false
    if (status === 'unfit') return true
    return status === 'running' && !kept && !this.#warm.has(name) && now - idleSince >= IDLE_MS
  }
}

import type { EngineState, ExtractorState, Work } from '../protocol/protocol.ts'
import { ENGINES_FOR_ONE_KEPT } from './fleet-limits.ts'
import { type Place, type Waiting, works } from './place.ts'

/**
 * `paused`: it gets no step for a while. `draining`: it is shutting down. `unfit`: it cannot isolate steps. `stopping`: it
 * was idle. An engine that is not listed is off.
 */
export type EngineStatus = 'starting' | 'running' | 'paused' | 'draining' | 'unfit' | 'stopping'

/** What an engine has for all its steps together. */
export type Capacity = Pick<EngineState, 'places' | 'diskBytes'>

export interface Engine {
  name: string
  status: EngineStatus
  capacity: Capacity
  places: Map<string, Place>
  taken: Record<Work, number>
  diskTaken: number
  /** Since when it has no step, or since when it starts. */
  idleSince: number
  /** When a report of one of its steps reached the Worker last. */
  heardAt: number
  /** When it accepted a step last. */
  acceptedAt: number
  /** A large step waits until this engine has enough disk space for it. */
  kept: Kept | null
  /** As it has said last. null: it has not. */
  extractor: ExtractorState | null
}

interface Kept {
  step: Waiting
  since: number
}

/** Under how many steps an engine is in the index, and how many places it adds to the fleet. */
interface Indexed {
  isRunning: boolean
  load: number
  places: Record<Work, number>
}

/**
 * The engines that are not off, and which of them a step gets: the one with the most steps that has a free place of its
 * kind and enough disk, so that others become idle and can be stopped. To find it is O(1) where disk space is no
 * matter, else O(engines). Changes of status, capacity and places go through `change`, which keeps the index.
 */
export class Engines {
  readonly #engines = new Map<string, Engine>()
  readonly #indexed = new Map<Engine, Indexed>()
  /** Running engines with a free place, by the number of their steps. */
  readonly #free: Record<Work, Set<Engine>[]> = { network: [], cpu: [] }
  readonly #freeCount: Record<Work, number> = { network: 0, cpu: 0 }
  readonly #places: Record<Work, number> = { network: 0, cpu: 0 }
  readonly #kept = new Map<Waiting, Engine>()
  #running = 0

  get(name: string): Engine | undefined {
    return this.#engines.get(name)
  }

  values(): Iterable<Engine> {
    return this.#engines.values()
  }

  add(name: string, status: EngineStatus, capacity: Capacity, now: number): Engine {
    const taken = { network: 0, cpu: 0 }
    const engine: Engine = {
      name,
      status,
      capacity,
      places: new Map(),
      taken,
      diskTaken: 0,
      idleSince: now,
      heardAt: 0,
      acceptedAt: 0,
      kept: null,
      extractor: null,
    }
    this.#engines.set(name, engine)
    this.change(engine, () => {})
    return engine
  }

  delete(engine: Engine): void {
    this.change(engine, () => {
      engine.status = 'stopping'
      engine.places.clear()
    })
    this.#indexed.delete(engine)
    this.#engines.delete(engine.name)
  }

  change(engine: Engine, act: () => void): void {
    this.#removeFromIndex(engine)
    act()
    if (engine.status !== 'running' && engine.kept) this.release(engine.kept.step)
    this.#addToIndex(engine)
  }

  put(engine: Engine, place: Place): void {
    this.change(engine, () => {
      engine.places.set(place.id, place)
      engine.taken[place.work]++
      engine.diskTaken += place.diskBytes
    })
  }

  remove(engine: Engine, place: Place, now: number): void {
    this.change(engine, () => {
      if (!engine.places.delete(place.id)) return
      engine.taken[place.work]--
      engine.diskTaken -= place.diskBytes
      if (engine.places.size === 0) engine.idleSince = now
    })
  }

  hasFree(work: Work): boolean {
    return this.#freeCount[work] > 0
  }

  /** All places of running engines, and those that are taken on others. */
  places(work: Work): number {
    return this.#places[work]
  }

  find(step: Waiting): Engine | null {
    const byLoad = this.#free[step.work]
    for (let load = byLoad.length - 1; load >= 0; load--) {
      for (const engine of byLoad[load] ?? []) if (fits(engine, step)) return engine
    }
    return null
  }

  /** Keeps the running engine with the most free disk for a step, unless enough engines are kept for others. */
  keepFor(step: Waiting, now: number): void {
    if (this.#kept.has(step) || this.#kept.size >= Math.max(1, Math.floor(this.#running / ENGINES_FOR_ONE_KEPT))) return
    const [engine] = [...this.values()]
      .filter(({ status, capacity, kept }) => status === 'running' && !kept && capacity.diskBytes >= step.diskBytes)
      .sort((a, b) => freeDisk(b) - freeDisk(a))
    if (!engine) return
    engine.kept = { step, since: now }
    this.#kept.set(step, engine)
  }

  release(step: Waiting): void {
    const engine = this.#kept.get(step)
    if (engine) engine.kept = null
    this.#kept.delete(step)
  }

  #removeFromIndex(engine: Engine): void {
    const indexed = this.#indexed.get(engine)
    if (!indexed) return
    if (indexed.isRunning) this.#running--
    for (const work of works) {
      this.#places[work] -= indexed.places[work]
      if (this.#free[work][indexed.load]?.delete(engine)) this.#freeCount[work]--
    }
  }

  #addToIndex(engine: Engine): void {
    const { status, capacity, taken, places } = engine
    const isRunning = status === 'running'
    const load = places.size
    const counted = { network: 0, cpu: 0 }
    if (isRunning) this.#running++
    for (const work of works) {
      counted[work] = isRunning ? capacity.places[work] : taken[work]
      this.#places[work] += counted[work]
      if (!isRunning || taken[work] >= capacity.places[work]) continue
      const engines = this.#free[work][load] ?? new Set()
      this.#free[work][load] = engines.add(engine)
      this.#freeCount[work]++
    }
    this.#indexed.set(engine, { isRunning, load, places: counted })
  }
}

const freeDisk = ({ capacity, diskTaken }: Engine): number => capacity.diskBytes - diskTaken

const fits = (engine: Engine, step: Waiting): boolean => {
  if (engine.kept && engine.kept.step !== step && !leavesRoom(engine, engine.kept, step)) return false
  return step.diskBytes === 0 || freeDisk(engine) >= step.diskBytes
}

/**
 * Whether the engine has a place and disk space for the step beside the large one. Steps that ran already when the
 * engine was kept do not count: when they have ended, the large step fits.
 */
const leavesRoom = ({ capacity, places }: Engine, { step: large, since }: Kept, step: Waiting): boolean => {
  let [diskBytes, taken] = [large.diskBytes + step.diskBytes, 1]
  for (const place of places.values()) {
    if (place.grantedAt < since) continue
    diskBytes += place.diskBytes
    if (place.work === large.work) taken++
  }
  return diskBytes <= capacity.diskBytes && (step.work !== large.work || taken < capacity.places[large.work])
}

import type { EngineState, ExtractorState, Work } from '../protocol/protocol.ts'
import { ENGINES_FOR_ONE_KEPT } from './fleet-limits.ts'
import type { Waiting } from './line.ts'
import type { Place } from './place.ts'

/**
 * `paused`: no step for a while. `unfit`: it cannot isolate steps. `stopping`: it was idle. Others are off.
 */
export type EngineStatus = 'starting' | 'running' | 'paused' | 'draining' | 'unfit' | 'stopping'

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
  heardAt: number
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

/** The engines that are not off. They are some hundred at most, so each question looks at all of them. */
export class Engines {
  readonly #engines = new Map<string, Engine>()

  get(name: string): Engine | undefined {
    return this.#engines.get(name)
  }

  values(): Iterable<Engine> {
    return this.#engines.values()
  }

  add(name: string, status: EngineStatus, capacity: Capacity, now: number): Engine {
    const engine: Engine = {
      name,
      status,
      capacity,
      places: new Map(),
      taken: { network: 0, cpu: 0 },
      diskTaken: 0,
      idleSince: now,
      heardAt: 0,
      acceptedAt: 0,
      kept: null,
      extractor: null,
    }
    this.#engines.set(name, engine)
    return engine
  }

  delete({ name }: Engine): void {
    this.#engines.delete(name)
  }

  /** All places of running engines, and those that are taken on others. */
  places(work: Work): number {
    let places = 0
    for (const { status, capacity, taken } of this.values()) {
      places += status === 'running' ? capacity.places[work] : taken[work]
    }
    return places
  }

  /** The one with the most steps comes first, so that others become idle and can be stopped. */
  withFree(work: Work): Engine[] {
    const free = this.#running().filter(({ capacity, taken }) => taken[work] < capacity.places[work])
    return free.sort((a, b) => b.places.size - a.places.size)
  }

  kept(): Set<Waiting> {
    return new Set(this.#running().flatMap(({ kept }) => kept?.step ?? []))
  }

  /** Keeps the running engine with the most free disk for a step. False: enough engines are kept for others. */
  keepFor(step: Waiting, now: number): boolean {
    this.release(step)
    const running = this.#running()
    const others = running.filter(({ kept }) => !kept)
    if (running.length - others.length >= Math.max(1, Math.floor(running.length / ENGINES_FOR_ONE_KEPT))) return false
    const [engine] = others
      .filter(({ capacity }) => capacity.diskBytes >= step.diskBytes)
      .sort((a, b) => freeDisk(b) - freeDisk(a))
    if (engine) engine.kept = { step, since: now }
    return engine !== undefined
  }

  release(step: Waiting): void {
    for (const engine of this.values()) if (engine.kept?.step === step) engine.kept = null
  }

  #running(): Engine[] {
    return [...this.values()].filter(({ status }) => status === 'running')
  }
}

export const putPlace = (engine: Engine, place: Place): void => {
  engine.places.set(place.id, place)
  engine.taken[place.work]++
  engine.diskTaken += place.diskBytes
}

export const removePlace = (engine: Engine, place: Place, now: number): void => {
  if (!engine.places.delete(place.id)) return
  engine.taken[place.work]--
  engine.diskTaken -= place.diskBytes
  if (engine.places.size === 0) engine.idleSince = now
}

export const freeDisk = ({ capacity, diskTaken }: Engine): number => capacity.diskBytes - diskTaken

export const hasDiskFor = (engine: Engine, step: Waiting): boolean => {
  if (engine.kept && engine.kept.step !== step && !leavesRoom(engine, engine.kept, step)) return false
  return step.diskBytes === 0 || freeDisk(engine) >= step.diskBytes
}

/** Steps that ran already when the engine was kept do not count: when they have ended, the large step fits. */
const leavesRoom = ({ capacity, places }: Engine, { step: large, since }: Kept, step: Waiting): boolean => {
  let [diskBytes, taken] = [large.diskBytes + step.diskBytes, 1]
  for (const place of places.values()) {
    if (place.grantedAt < since) continue
    diskBytes += place.diskBytes
    if (place.work === large.work) taken++
  }
  return diskBytes <= capacity.diskBytes && (step.work !== large.work || taken < capacity.places[large.work])
}

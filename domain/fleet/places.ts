import type { EngineState } from '../protocol/protocol.ts'
import { type Engine, type Engines, putPlace, removePlace } from './engines.ts'
import { LIST_PLACE_MS, PROBE_PLACE_MS, REMEMBER_FREED_MS } from './fleet-limits.ts'
import type { Line } from './line.ts'
import { keyOf, type Place, type StepKey, workOfStep } from './place.ts'

type Listed = EngineState['running'][number]

/** `ended`: the step's outcome is known. `lost`: the account was told to give the step back. */
type Freed = 'ended' | 'lost'

export class Places {
  readonly #engines: Engines
  readonly #line: Line
  readonly #places = new Map<string, Place>()
  readonly #placeOfStep = new Map<string, Place>()
  /** Places that were freed in the last minute, the oldest first: states of engines can still list them. */
  readonly #freed = new Map<string, { freed: Freed; at: number }>()

  constructor(engines: Engines, line: Line) {
    this.#engines = engines
    this.#line = line
  }

  get size(): number {
    return this.#places.size
  }

  get(id: string): Place | undefined {
    return this.#places.get(id)
  }

  ofStep(step: StepKey): Place | undefined {
    return this.#placeOfStep.get(keyOf(step))
  }

  take(engine: Engine, place: Place): void {
    this.#places.set(place.id, place)
    putPlace(engine, place)
    this.#line.countPlace(place, 1)
  }

  /** It is the one at which the step runs now. */
  assign(place: Place): void {
    this.#placeOfStep.set(keyOf(place), place)
  }

  unassign(place: Place): void {
    if (this.ofStep(place) === place) this.#placeOfStep.delete(keyOf(place))
  }

  /** Also of a place that is not known any more, which a state may still list. */
  free(id: string, freed: Freed, now: number): Place | null {
    for (const [old, { at }] of this.#freed) {
      if (now - at <= REMEMBER_FREED_MS) break
      this.#freed.delete(old)
    }
    this.#freed.set(id, { freed, at: now })
    const place = this.#places.get(id)
    if (!place) return null
    this.#places.delete(id)
    this.unassign(place)
    const engine = this.#engines.get(place.engine)
    if (engine) removePlace(engine, place, now)
    this.#line.countPlace(place, -1)
    return place
  }

  /** Returns a place that was not known, unless its step was given back: what still runs only takes a place then. */
  confirm(engine: Engine, listed: Listed, now: number): Place | null {
    const { placeId: id, diskBytes, ...about } = listed
    const known = engine.places.get(id)
    if (known) {
      known.startedAt ??= now
      engine.diskTaken += diskBytes - known.diskBytes
      known.diskBytes = diskBytes
      return null
    }
    const freed = this.#freed.get(id)?.freed
    if (freed === 'ended' || this.#places.has(id)) return null
    const request = { ...about, work: workOfStep(listed.step), rank: 'job', diskBytes } as const
    const place = { ...request, since: now, id, engine: engine.name, grantedAt: now, startedAt: now }
    this.take(engine, place)
    return freed === undefined ? place : null
  }

  loseUnlisted(engine: Engine, running: readonly Listed[], at: { now: number; askedAt: number }): Place[] {
    const listed = new Set(running.map(({ placeId }) => placeId))
    const lost = [...engine.places.values()].filter((place) => !listed.has(place.id) && isLost(place, at))
    for (const { id } of lost) this.free(id, 'lost', at.now)
    return lost
  }
}

/** Whether a step that its engine does not list no longer runs. States do not list probes. */
const isLost = ({ rank, step, grantedAt, startedAt }: Place, { now, askedAt }: { now: number; askedAt: number }) => {
  if (rank === 'probe') return now - grantedAt > (step === 'list' ? LIST_PLACE_MS : PROBE_PLACE_MS)
  return startedAt !== null && startedAt <= askedAt
}

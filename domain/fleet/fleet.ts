import type { EngineState, Work } from '../protocol/protocol.ts'
import { type Capacity, type Engine, Engines } from './engines.ts'
import {
  CONFIRM_MS,
  KEEP_DISK_AFTER_MS,
  LIST_PLACE_MS,
  MAX_PROBES_OF_ACCOUNT,
  MAX_PROBES_WAITING,
  MAX_PROBES_WAITING_OF_ACCOUNT,
  MISSING_MS,
  PROBE_PLACE_MS,
} from './fleet-limits.ts'
import { type EngineView, engineView, type FleetMetrics, metricsOf } from './fleet-metrics.ts'
import { FreedPlaces } from './freed-places.ts'
import { type Account, Line } from './line.ts'
import { keyOf, type Place, type PlaceRequest, type Rank, type Waiting, workOfStep, works } from './place.ts'
import { type EngineChanges, Starts } from './starts.ts'

export interface FleetOptions {
  /** The names of the engines that this fleet may start. */
  names: readonly string[]
  /** So many of them, the first ones, stay warm. */
  warm: number
  /** Someone else starts and stops the engines. */
  areElsewhere?: boolean
  /** What an engine has, until one has said it. */
  expected: Capacity
  /** For places. */
  newId: () => string
}

/**
 * `isNew` is false if the step had the place before: then the message came twice, and a refused claim says nothing about
 * the place. `full`: too many probes wait. `never`: no engine has so much disk space.
 */
export type Answer = { place: Place; isNew: boolean } | 'wait' | 'full' | 'never'

/**
 * Which step runs on which engine. The fleet knows engines by their states and steps by requests. It does no I/O:
 * time is passed in, and its caller asks engines, starts and stops them, and sends what `dispatch` returns.
 *
 *   request ─▶ line ─dispatch─▶ place ─▶ free
 *                ▲                 └─▶ engineState, engineGone: the account gives the step back
 *                └──────── request ◀──────┘
 *
 * After each call that frees something (`free`, `engineState`, `engineGone`, `withdraw`) the caller calls `dispatch`,
 * and `scale` when its result may have changed: after the same calls, and each second for what depends on time.
 *
 * An engine that refuses an order is asked for its state at once, or its place would be granted again. One that does
 * not answer is gone, and so is one that was stopped.
 *
 * A step in line keeps its position when it is requested again, and a step with a place gets the same place. A new
 * fleet is rebuilt by `engineState` from the steps that engines list, and by `request` from the accounts' resends.
 */
export class Fleet {
  readonly #options: FleetOptions
  readonly #line = new Line()
  readonly #engines = new Engines()
  readonly #starts: Starts
  readonly #places = new Map<string, Place>()
  readonly #placeOfStep = new Map<string, Place>()
  readonly #freed = new FreedPlaces()
  /** What the next call of `dispatch` returns. */
  readonly #granted = new Set<Place>()
  /** The same of `takeTooLarge`. */
  #tooLarge: PlaceRequest[] = []
  /** What was expected, or the least that an engine has said. */
  #leastDiskBytes: number

  constructor(options: FleetOptions) {
    this.#options = options
    this.#leastDiskBytes = options.expected.diskBytes
    this.#starts = new Starts(options, this.#engines, this.#line)
  }

  request(request: PlaceRequest, now: number): Answer {
    const known = this.#placeOfStep.get(keyOf(request))
    if (known) return { place: known, isNew: this.#granted.delete(known) }
    const inLine = this.#line.get(request)
    if (!this.#starts.mayFit(request.diskBytes)) {
      if (inLine) this.#leave(inLine)
      return 'never'
    }
    if (!inLine && request.rank === 'probe' && !this.#hasRoomForProbe(request.accountId)) return 'full'
    if (!inLine) this.#line.add(request, now)
    // What a step needs can have changed since: a container gave it back because it needs more disk space.
    if (inLine && inLine.diskBytes !== request.diskBytes) {
      this.#engines.release(inLine)
      this.#line.resize(inLine, request.diskBytes)
    }
    this.#place(now)
    const place = this.#placeOfStep.get(keyOf(request))
    if (!place) return 'wait'
    this.#granted.delete(place)
    return { place, isNew: true }
  }

  /** The job was canceled, or the probe had no place in time. */
  withdraw(step: Pick<PlaceRequest, 'jobId' | 'step'>): boolean {
    const waiting = this.#line.get(step)
    if (waiting) this.#leave(waiting)
    return waiting !== undefined
  }

  /** Places for steps whose turn has come since the last call. */
  dispatch(now: number): Place[] {
    this.#place(now)
    const granted = [...this.#granted]
    this.#granted.clear()
    return granted
  }

  /**
   * Steps that were in the line and that no engine has the disk space for, as an engine has said since the last call.
   * Their accounts do not know it: when their messages come again, `request` answers `never`.
   */
  takeTooLarge(): PlaceRequest[] {
    const tooLarge = this.#tooLarge
    this.#tooLarge = []
    return tooLarge
  }

  place(id: string): Place | undefined {
    return this.#places.get(id)
  }

  placeOf(step: Pick<PlaceRequest, 'jobId' | 'step'>): Place | undefined {
    return this.#placeOfStep.get(keyOf(step))
  }

  /** Steps run or wait. */
  get isBusy(): boolean {
    return this.#places.size > 0 || works.some((work) => this.#line.count(work) > 0)
  }

  free(placeId: string, now: number): Place | null {
    const place = this.#places.get(placeId)
    this.#freed.add(placeId, 'ended', now)
    if (place) this.#drop(place, now)
    return place ?? null
  }

  /**
   * What an engine answered. Returns the places it lost: its account must give the step back, which changes nothing if
   * the step has ended.
   */
  engineState(name: string, state: EngineState, now: number): Place[] {
    const { places, diskBytes } = state
    const capacity = { places, diskBytes }
    const engine = this.#engines.get(name) ?? this.#engines.add(name, 'starting', capacity, now)
    const status = state.status === 'ok' ? 'running' : state.status
    if (engine.status === 'starting') this.#starts.started()
    this.#engines.change(engine, () => {
      if (engine.status === 'starting') engine.idleSince = now
      // An idle engine that was told to stop still answers for a moment.
      if (engine.status !== 'stopping') engine.status = status
      engine.capacity = capacity
    })
    this.#starts.answered(engine, now)
    if (diskBytes < this.#leastDiskBytes) this.#findTooLarge(diskBytes)
    for (const listed of state.running) this.#confirm(engine, listed, now)
    const startedAt = now - (state.uptimeMs ?? now)
    const lost = [...engine.places.values()].filter((place) => isLost(place, now, startedAt))
    this.#lose(lost, now)
    return lost
  }

  /** It does not answer, or has stopped. Returns its places: their accounts must give the steps back. */
  engineGone(name: string, now: number): Place[] {
    const engine = this.#engines.get(name)
    if (!engine) return []
    const lost = [...engine.places.values()]
    this.#lose(lost, now)
    this.#starts.gone(engine, now)
    this.#engines.delete(engine)
    return lost
  }

  startFailed(name: string, reason: 'full' | 'failed', now: number): void {
    const engine = this.#engines.get(name)
    if (engine?.status !== 'starting') return
    this.#starts.failed(name, reason, now)
    this.#engines.delete(engine)
  }

  /** Engines to start and to stop now. They count as starting and stopping from then on. */
  scale(now: number): EngineChanges {
    return this.#starts.scale(now)
  }

  /** The engines that are not off: those whose state the caller asks for. */
  engines(): Pick<Engine, 'name' | 'status'>[] {
    return [...this.#engines.values()].map(({ name, status }) => ({ name, status }))
  }

  /** O(waiting), for GET /admin/metrics. */
  metrics(now: number): FleetMetrics {
    return metricsOf(this.#engines.values(), this.#line.values(), now)
  }

  engineViews(): EngineView[] {
    return [...this.#engines.values()].map(engineView)
  }

  /** O(1) without free places, else O(log waiting) for each place granted. */
  #place(now: number): void {
    for (const work of works) {
      while (this.#engines.hasFree(work) && this.#line.count(work) > 0) {
        const step = this.#line.next(work, {
          mayRun: (account, rank) => this.#mayRun(account, work, rank),
          fits: (waiting) => this.#engines.find(waiting) !== null,
          isStuck: (waiting) => {
            if (now - waiting.since >= KEEP_DISK_AFTER_MS) this.#engines.keepFor(waiting, now)
          },
        })
        const engine = step && this.#engines.find(step)
        if (!engine) break
        this.#leave(step)
        const { since: _since, order: _order, ...request } = step
        const place = { ...request, id: this.#options.newId(), engine: engine.name, grantedAt: now, listedAt: null }
        this.#take(engine, place)
        this.#placeOfStep.set(keyOf(place), place)
        this.#granted.add(place)
      }
    }
  }

  /** An account never has all places of one kind, so that others need not wait until it ends something. */
  #mayRun({ places, probePlaces }: Account, work: Work, rank: Rank): boolean {
    if (places[work] >= Math.max(1, this.#engines.places(work) - 1)) return false
    return rank !== 'probe' || probePlaces < MAX_PROBES_OF_ACCOUNT
  }

  #hasRoomForProbe(accountId: string): boolean {
    if (this.#line.probesWaiting >= MAX_PROBES_WAITING) return false
    return this.#line.probesWaitingOf(accountId) < MAX_PROBES_WAITING_OF_ACCOUNT
  }

  #confirm(engine: Engine, listed: EngineState['running'][number], now: number): void {
    const { placeId: id, accountId, jobId, step, diskBytes } = listed
    if (id === undefined || accountId === undefined) return
    const known = engine.places.get(id)
    if (known) {
      known.listedAt = now
      engine.diskTaken += diskBytes - known.diskBytes
      known.diskBytes = diskBytes
      return
    }
    const freed = this.#freed.get(id)
    if (freed === 'ended' || this.#places.has(id)) return
    // The fleet was restarted. Or the engine had not answered for a while: then the step was given back, and what
    // still runs only takes a place until it stops.
    const request = { accountId, jobId, step, work: workOfStep(step), rank: 'job' as const, diskBytes }
    const place = { ...request, id, engine: engine.name, grantedAt: now, listedAt: now }
    this.#take(engine, place)
    if (freed === undefined && !this.#line.get(listed)) this.#placeOfStep.set(keyOf(place), place)
  }

  #take(engine: Engine, place: Place): void {
    this.#places.set(place.id, place)
    this.#engines.put(engine, place)
    this.#line.countPlace(place, 1)
  }

  #lose(places: readonly Place[], now: number): void {
    for (const place of places) {
      this.#freed.add(place.id, 'lost', now)
      this.#drop(place, now)
    }
  }

  #drop(place: Place, now: number): void {
    this.#places.delete(place.id)
    if (this.#placeOfStep.get(keyOf(place)) === place) this.#placeOfStep.delete(keyOf(place))
    this.#granted.delete(place)
    const engine = this.#engines.get(place.engine)
    if (engine) this.#engines.remove(engine, place, now)
    this.#line.countPlace(place, -1)
  }

  /** O(waiting), but only when an engine has less than all others before. */
  #findTooLarge(leastDiskBytes: number): void {
    this.#leastDiskBytes = leastDiskBytes
    const tooLarge = [...this.#line.values()].filter((waiting) => !this.#starts.mayFit(waiting.diskBytes))
    for (const waiting of tooLarge) this.#leave(waiting)
    this.#tooLarge.push(...tooLarge)
  }

  #leave(waiting: Waiting): void {
    this.#line.remove(waiting)
    this.#engines.release(waiting)
  }
}

/** `startedAt`: an engine that was restarted before it was missed does not list what it had, and never will. */
const isLost = ({ rank, step, grantedAt, listedAt }: Place, now: number, startedAt: number): boolean => {
  if (grantedAt < startedAt && listedAt !== now) return true
  if (rank === 'probe') return now - grantedAt > (step === 'list' ? LIST_PLACE_MS : PROBE_PLACE_MS)
  return listedAt === null ? now - grantedAt > CONFIRM_MS : now - listedAt > MISSING_MS
}

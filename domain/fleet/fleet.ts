import type { EngineState, Work } from '../protocol/protocol.ts'
import { type Engine, Engines } from './engines.ts'
import {
  KEEP_DISK_AFTER_MS,
  LIST_PLACE_MS,
  MAX_PROBES_OF_ACCOUNT,
  MAX_PROBES_WAITING,
  MAX_PROBES_WAITING_OF_ACCOUNT,
  PROBE_PLACE_MS,
} from './fleet-limits.ts'
import { type EngineView, engineView, type FleetMetrics, metricsOf } from './fleet-metrics.ts'
import { type Account, Line } from './line.ts'
import {
  attemptOf,
  FreedPlaces,
  keyOf,
  type Place,
  type PlaceRequest,
  type Rank,
  type StepKey,
  type Waiting,
  type WaitingRequest,
  workOfStep,
  works,
} from './place.ts'
import { type EngineChanges, Starts, type StartsOptions } from './starts.ts'

export interface FleetOptions extends StartsOptions {
  /** Makes the id of a place. */
  newId: () => string
}

/** `known`: it waits or has a place. `full`: too many probes wait. `never`: no engine has so much disk space. */
export type Answer = 'known' | 'full' | 'never'

/** An engine's answer. `paused`: it is well, but gets no step. */
export type SeenState = Omit<EngineState, 'status'> & { status: EngineState['status'] | 'paused' }

/** A place whose step an engine no longer runs. `hasEngineDied`: its process ended, and had not said that it would. */
export interface LostPlace {
  place: Place
  hasEngineDied: boolean
}

/**
 * Which step runs on which engine. The fleet owns a step from its request to its end: it alone decides when and where
 * the step starts. It knows engines by their states. It does no I/O: time is passed in, and its caller asks engines,
 * starts and stops them, and starts the steps that `dispatch` returns.
 *
 *   request ─▶ line ─dispatch─▶ place ─started─▶ free
 *               ▲                 │        └─▶ engineState, engineGone: lost, its account requests the step again
 *               └──── again ◀─────┘
 *
 * After each call that frees something (`free`, `engineState`, `engineGone`, `withdraw`, `again`) the caller calls
 * `dispatch`, and `scale` when its result may have changed: after the same calls, and each second for what depends on
 * time.
 *
 * An engine that refuses an order is asked for its state at once, or its place would be granted again. One that does
 * not answer is gone, and so is one that was stopped.
 *
 * A step that is requested again keeps its position or its place. If the request is newer than the place, the account
 * has ended the attempt there: `abandon` leaves the place to it until its engine lists it no longer. A new fleet is
 * rebuilt from the rows of the steps that wait, by `request`, and from the steps that engines list, by `engineState`.
 */
export class Fleet {
  readonly #options: FleetOptions
  readonly #line = new Line()
  readonly #engines = new Engines()
  readonly #starts: Starts
  readonly #places = new Map<string, Place>()
  readonly #placeOfStep = new Map<string, Place>()
  readonly #freed = new FreedPlaces()
  /** Steps that could not start, and when they stand in the line again. */
  readonly #resting = new Map<string, { step: WaitingRequest; until: number }>()
  /** What the next call of `dispatch` returns. */
  readonly #granted = new Set<Place>()
  /** What the next call of `takeTooLarge` returns. */
  #tooLarge: WaitingRequest[] = []
  /** What was expected, or the least that an engine has said. */
  #leastDiskBytes: number

  constructor(options: FleetOptions) {
    this.#options = options
    this.#leastDiskBytes = options.expected.diskBytes
    this.#starts = new Starts(options, this.#engines, this.#line)
  }

  /** `dispatch` says when its turn has come. */
  request(request: PlaceRequest, now: number): Answer {
    const key = keyOf(request)
    if (this.#placeOfStep.has(key)) return 'known'
    const known = this.#line.get(request) ?? this.#resting.get(key)?.step
    // A message that was sent before the step's last lease, and came late.
    if (known && request.leases < known.leases) return 'known'
    if (!this.#starts.mayFit(request.diskBytes)) {
      this.withdraw(request)
      return 'never'
    }
    if (!known && request.rank === 'probe' && !this.#hasRoomForProbe(request.accountId)) return 'full'
    const hadTurn = this.#resting.delete(key)
    const waiting = this.#line.get(request)
    if (!waiting) this.#line.add(request, known?.since ?? now, hadTurn)
    // What a step needs can have changed since: a container gave it back because it needs more disk space.
    else if (waiting.diskBytes !== request.diskBytes || waiting.leases !== request.leases) {
      this.#engines.release(waiting)
      this.#line.change(waiting, request)
    }
    return 'known'
  }

  /** The job was canceled, or the probe had no place in time. */
  withdraw(step: StepKey): boolean {
    const waiting = this.#line.get(step)
    if (waiting) this.#leave(waiting)
    return this.#resting.delete(keyOf(step)) || waiting !== undefined
  }

  /** Places for steps whose turn has come since the last call. */
  dispatch(now: number): Place[] {
    this.#wake(now)
    this.#place(now)
    const granted = [...this.#granted]
    this.#granted.clear()
    return granted
  }

  /** The engine of the place has accepted the step. False: the place was lost or freed meanwhile. */
  started(placeId: string, now: number): boolean {
    const place = this.#places.get(placeId)
    const engine = place && this.#engines.get(place.engine)
    if (!engine) return false
    place.startedAt ??= now
    engine.acceptedAt = now
    return true
  }

  /**
   * The step could not start at this place. It stands in the line again, at its position, after `restMs`. `leases`: how
   * many the job has had since. Nothing happens if the step is known otherwise, from a newer message.
   */
  again(place: Place, { restMs, leases }: { restMs: number; leases: number }, now: number): void {
    const held = this.#places.get(place.id)
    this.#freed.add(place.id, 'lost', now)
    if (held) this.#drop(held, now)
    const { accountId, jobId, step, work, rank, diskBytes, since } = place
    this.rest({ accountId, jobId, step, work, rank, diskBytes, since, leases }, restMs, now)
  }

  /** A step stands in the line after `restMs`, unless it is known. */
  rest(step: WaitingRequest, restMs: number, now: number): void {
    const key = keyOf(step)
    if (this.#placeOfStep.has(key) || this.#line.get(step) || this.#resting.has(key)) return
    this.#resting.set(key, { step, until: now + restMs })
  }

  /**
   * Steps that were in the line and that no engine has the disk space for, as an engine has said since the last call.
   */
  takeTooLarge(): WaitingRequest[] {
    const tooLarge = this.#tooLarge
    this.#tooLarge = []
    return tooLarge
  }

  place(id: string): Place | undefined {
    return this.#places.get(id)
  }

  placeOf(step: StepKey): Place | undefined {
    return this.#placeOfStep.get(keyOf(step))
  }

  /** The step as it waits. undefined: it does not. */
  waiting(step: StepKey): WaitingRequest | undefined {
    return this.#line.get(step) ?? this.#resting.get(keyOf(step))?.step
  }

  /** Steps run or wait. */
  get isBusy(): boolean {
    return this.#places.size > 0 || this.#resting.size > 0 || works.some((work) => this.#line.count(work) > 0)
  }

  free(placeId: string, now: number): Place | null {
    const place = this.#places.get(placeId)
    this.#freed.add(placeId, 'ended', now)
    if (place) this.#drop(place, now)
    return place ?? null
  }

  /**
   * The account has ended the attempt at this place, whose engine may still run it. Another place can be requested for
   * the step. True: nothing has been heard from the engine since the attempt started.
   */
  abandon(place: Place): boolean {
    if (this.#placeOfStep.get(keyOf(place)) === place) this.#placeOfStep.delete(keyOf(place))
    const heardAt = this.#engines.get(place.engine)?.heardAt ?? 0
    return place.startedAt !== null && heardAt <= place.startedAt
  }

  /** Whether anything says that the engine was alive after this time, although its state did not arrive. */
  isAliveSince(name: string, at: number): boolean {
    const engine = this.#engines.get(name)
    return engine !== undefined && Math.max(engine.acceptedAt, engine.heardAt) > at
  }

  /** A report of a step on this engine has reached the Worker. */
  heardFrom(name: string, now: number): void {
    const engine = this.#engines.get(name)
    if (engine) engine.heardAt = now
  }

  /**
   * What an engine answered to a request of `askedAt`. Returns the places that it no longer has: accounts must give
   * their steps back, which changes nothing if a step has ended.
   */
  engineState(name: string, state: SeenState, now: number, askedAt = now): LostPlace[] {
    const { places, diskBytes } = state
    const capacity = { places, diskBytes }
    const engine = this.#engines.get(name) ?? this.#engines.add(name, 'starting', capacity, now)
    const status = state.status === 'ok' ? 'running' : state.status
    const wasDraining = engine.status === 'draining'
    if (engine.status === 'starting') this.#starts.started()
    this.#engines.change(engine, () => {
      if (engine.status === 'starting') engine.idleSince = now
      // An idle engine that was told to stop still answers for a moment.
      if (engine.status !== 'stopping') engine.status = status
      engine.capacity = capacity
    })
    engine.extractor = state.extractor ?? null
    this.#starts.answered(engine, now)
    if (diskBytes < this.#leastDiskBytes) this.#findTooLarge(diskBytes)
    for (const listed of state.running) this.#confirm(engine, listed, now)
    const listed = new Set(state.running.map(({ placeId }) => placeId))
    const processSince = now - (state.uptimeMs ?? now)
    const lost = [...engine.places.values()].filter((place) => !listed.has(place.id) && isLost(place, askedAt, now))
    this.#lose(lost, now)
    return lost.map((place) => ({ place, hasEngineDied: !wasDraining && (place.startedAt ?? now) < processSince }))
  }

  /**
   * It does not answer, or has stopped. Returns its places: their accounts must give the steps back. `hasExited`: its
   * process has ended by itself. Otherwise it is silent, or was told to stop, and its steps are not the reason.
   */
  engineGone(name: string, now: number, { hasExited = true } = {}): LostPlace[] {
    const engine = this.#engines.get(name)
    if (!engine) return []
    const hasEngineDied = hasExited && engine.status !== 'draining'
    const lost = [...engine.places.values()]
    this.#lose(lost, now)
    this.#starts.gone(engine, now)
    this.#engines.delete(engine)
    // Whether a step has started that no state has listed yet, its start will say.
    return lost.flatMap((place) => (place.startedAt === null ? [] : { place, hasEngineDied }))
  }

  /** The engine gets no step before its next state. */
  pause(name: string): void {
    const engine = this.#engines.get(name)
    if (engine?.status === 'running') this.#engines.change(engine, () => (engine.status = 'paused'))
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
    const resting = [...this.#resting.values()].map(({ step }) => step)
    return metricsOf(this.#engines.values(), [...this.#line.values(), ...resting], now)
  }

  engineViews(): EngineView[] {
    return [...this.#engines.values()].map(engineView)
  }

  /** O(resting), which is few: the steps of one engine, or those that wait for a deploy. */
  #wake(now: number): void {
    for (const { step, until } of [...this.#resting.values()]) {
      if (until <= now && this.request(step, now) === 'never') this.#tooLarge.push(step)
    }
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
        const { order: _order, ...request } = step
        const place = { ...request, id: this.#options.newId(), engine: engine.name, grantedAt: now, startedAt: null }
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
      known.startedAt ??= now
      engine.diskTaken += diskBytes - known.diskBytes
      known.diskBytes = diskBytes
      return
    }
    const freed = this.#freed.get(id)
    if (freed === 'ended' || this.#places.has(id)) return
    // The fleet was restarted. Or the engine had not answered for a while: then the step was given back, and what
    // still runs only takes a place until it stops.
    const leases = listed.attempt - 1
    const request = { accountId, jobId, step, work: workOfStep(step), rank: 'job' as const, diskBytes, leases }
    const place = { ...request, since: now, id, engine: engine.name, grantedAt: now, startedAt: now }
    this.#take(engine, place)
    if (freed !== undefined || this.#placeOfStep.has(keyOf(place))) return
    // The step waits for a later lease than this one, or its row was left when the fleet was evicted during its start.
    const waiting = this.waiting(place)
    if (waiting && waiting.leases >= attemptOf(place)) return
    this.withdraw(place)
    this.#placeOfStep.set(keyOf(place), place)
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

/** Whether an engine that does not list the step runs it no longer. States do not list probes. */
const isLost = ({ rank, step, grantedAt, startedAt }: Place, askedAt: number, now: number): boolean => {
  if (rank === 'probe') return now - grantedAt > (step === 'list' ? LIST_PLACE_MS : PROBE_PLACE_MS)
  return startedAt !== null && startedAt <= askedAt
}

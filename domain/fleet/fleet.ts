import type { EngineState } from '../protocol/protocol.ts'
import { type Engine, Engines } from './engines.ts'
import { countWaiting, engineView, type FleetReport } from './fleet-report.ts'
import { Line, type Waiting } from './line.ts'
import { type Place, type PlaceRequest, type StepKey, type WaitingRequest, works } from './place.ts'
import { Places } from './places.ts'
import { Starts, type StartsOptions } from './starts.ts'
import { nextTurn, type Turn } from './turn.ts'

export interface FleetOptions extends StartsOptions {
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
  readonly #newId: () => string
  readonly #line = new Line()
  readonly #engines = new Engines()
  readonly #places = new Places(this.#engines, this.#line)
  readonly #starts: Starts
  #tooLarge: WaitingRequest[] = []
  /** What was expected, or the least that an engine has said. */
  #leastDiskBytes: number

  constructor(options: FleetOptions) {
    this.#newId = options.newId
    this.#leastDiskBytes = options.expected.diskBytes
    this.#starts = new Starts(options, this.#engines, this.#line)
  }

  /** `dispatch` says when its turn has come. */
  request(request: PlaceRequest, now: number): Answer {
    if (this.#places.ofStep(request)) return 'known'
    const waiting = this.#line.get(request)
    // A message that was sent before the step's last lease, and came late.
    if (waiting && request.attempt < waiting.attempt) return 'known'
    if (!this.#starts.mayFit(request.diskBytes)) {
      this.withdraw(request)
      return 'never'
    }
    if (!waiting) {
      if (request.rank === 'probe' && !this.#line.hasRoomForProbe(request.accountId)) return 'full'
      this.#line.add(request, now)
      return 'known'
    }
    this.#line.wake(waiting)
    // What a step needs can have changed since: a container gave it back because it needs more disk space.
    if (waiting.diskBytes !== request.diskBytes) this.#engines.release(waiting)
    waiting.diskBytes = request.diskBytes
    waiting.attempt = request.attempt
    return 'known'
  }

  withdraw(step: StepKey): boolean {
    const waiting = this.#line.get(step)
    if (waiting) this.#leave(waiting)
    return waiting !== undefined
  }

  dispatch(now: number): Place[] {
    for (const resting of this.#line.resting()) {
      if ((resting.restsUntil ?? 0) > now) continue
      if (this.#starts.mayFit(resting.diskBytes)) this.#line.wake(resting)
      else this.#refuse(resting)
    }
    const granted: Place[] = []
    for (const work of works) {
      for (let turn = nextTurn(this.#line, this.#engines, work, now); turn; ) {
        granted.push(this.#grant(turn, now))
        turn = nextTurn(this.#line, this.#engines, work, now)
      }
    }
    return granted
  }

  /** False: the place was lost or freed meanwhile. */
  started(placeId: string, now: number): boolean {
    const place = this.#places.get(placeId)
    const engine = place && this.#engines.get(place.engine)
    if (!engine) return false
    place.startedAt ??= now
    engine.acceptedAt = now
    return true
  }

  /** The step could not start at this place, and waits again at its position, unless a newer message has come. */
  again(place: Place, { restMs, attempt }: { restMs: number; attempt: number }, now: number): void {
    this.#places.free(place.id, 'lost', now)
    this.rest({ ...place, attempt }, restMs, now)
  }

  /** A step stands in the line after `restMs`, unless it is known. */
  rest(step: WaitingRequest, restMs: number, now: number): void {
    if (this.#places.ofStep(step) || this.#line.get(step)) return
    this.#line.add(step, step.since, now + restMs)
  }

  /** Steps that were in the line and that no engine has the disk space for, as an engine has said since the last call. */
  takeTooLarge(): WaitingRequest[] {
    const tooLarge = this.#tooLarge
    this.#tooLarge = []
    return tooLarge
  }

  place(id: string): Place | undefined {
    return this.#places.get(id)
  }

  placeOf(step: StepKey): Place | undefined {
    return this.#places.ofStep(step)
  }

  waiting(step: StepKey): WaitingRequest | undefined {
    return this.#line.get(step)
  }

  get isBusy(): boolean {
    return this.#places.size + this.#line.size > 0
  }

  free(placeId: string, now: number): Place | null {
    return this.#places.free(placeId, 'ended', now)
  }

  /** The account has ended the attempt, which may still run. True: the engine was not heard since it started. */
  abandon(place: Place): boolean {
    this.#places.unassign(place)
    const heardAt = this.#engines.get(place.engine)?.heardAt ?? 0
    return place.startedAt !== null && heardAt <= place.startedAt
  }

  /** Whether anything says that the engine was alive after this time, although its state did not arrive. */
  isAliveSince(name: string, at: number): boolean {
    const engine = this.#engines.get(name)
    return engine !== undefined && Math.max(engine.acceptedAt, engine.heardAt) > at
  }

  heardFrom(name: string, now: number): void {
    const engine = this.#engines.get(name)
    if (!engine) return
    engine.heardAt = now
    if (engine.status === 'paused') engine.status = 'running'
  }

  /** What an engine answered to a request of `askedAt`. Returns the places that it no longer has. */
  engineState(name: string, state: SeenState, now: number, askedAt = now): LostPlace[] {
    const { places, diskBytes } = state
    const capacity = { places, diskBytes }
    const engine = this.#engines.get(name) ?? this.#engines.add(name, 'starting', capacity, now)
    const wasDraining = engine.status === 'draining'
    if (engine.status === 'starting') {
      engine.idleSince = now
      this.#starts.started()
    }
    // An idle engine that was told to stop still answers for a moment.
    if (engine.status !== 'stopping') engine.status = state.status === 'ok' ? 'running' : state.status
    engine.capacity = capacity
    engine.extractor = state.extractor
    this.#starts.answered(engine, now)
    if (diskBytes < this.#leastDiskBytes) this.#findTooLarge(diskBytes)
    for (const listed of state.running) {
      const found = this.#places.confirm(engine, listed, now)
      if (found) this.#adopt(found)
    }
    const processSince = now - state.uptimeMs
    const lost = this.#places.loseUnlisted(engine, state.running, { now, askedAt })
    return lost.map((place) => ({ place, hasEngineDied: !wasDraining && (place.startedAt ?? now) < processSince }))
  }

  /** Returns its places. `hasExited`: its process has ended by itself, so its steps may be why. */
  engineGone(name: string, now: number, { hasExited = true } = {}): LostPlace[] {
    const engine = this.#engines.get(name)
    if (!engine) return []
    const hasEngineDied = hasExited && engine.status !== 'draining'
    const lost = [...engine.places.values()]
    for (const { id } of lost) this.#places.free(id, 'lost', now)
    this.#starts.gone(engine, now)
    this.#engines.delete(engine)
    // Whether a step has started that no state has listed yet, its start will say.
    return lost.flatMap((place) => (place.startedAt === null ? [] : { place, hasEngineDied }))
  }

  pause(name: string): void {
    const engine = this.#engines.get(name)
    if (engine?.status === 'running') engine.status = 'paused'
  }

  startFailed(name: string, reason: 'full' | 'failed', now: number): void {
    const engine = this.#engines.get(name)
    if (engine?.status !== 'starting') return
    this.#starts.failed(name, reason, now)
    this.#engines.delete(engine)
  }

  /** Engines to start and to stop now. They count as starting and stopping from then on. */
  scale(now: number): ReturnType<Starts['scale']> {
    return this.#starts.scale(now)
  }

  engines(): Pick<Engine, 'name' | 'status'>[] {
    return [...this.#engines.values()]
  }

  report(now: number): Omit<FleetReport, 'starts'> {
    return {
      engines: [...this.#engines.values()].map(engineView),
      waiting: countWaiting(this.#line.values(), now),
    }
  }

  #grant({ step, engine }: Turn, now: number): Place {
    this.#leave(step)
    const { account: _, order: _order, restsUntil: _rests, ...request } = step
    const place = { ...request, id: this.#newId(), engine: engine.name, grantedAt: now, startedAt: null }
    this.#places.take(engine, place)
    this.#places.assign(place)
    return place
  }

  /** An engine runs a step, and it was not known that it runs there. */
  #adopt(place: Place): void {
    if (this.#places.ofStep(place)) return
    // The step waits for a later lease than this one, or its row was left when the fleet was evicted during its start.
    const waiting = this.#line.get(place)
    if (waiting && waiting.attempt > place.attempt) return
    this.withdraw(place)
    this.#places.assign(place)
  }

  #findTooLarge(leastDiskBytes: number): void {
    this.#leastDiskBytes = leastDiskBytes
    for (const waiting of this.#line.values()) {
      if (waiting.restsUntil === null && !this.#starts.mayFit(waiting.diskBytes)) this.#refuse(waiting)
    }
  }

  #refuse(waiting: Waiting): void {
    this.#leave(waiting)
    this.#tooLarge.push(waiting)
  }

  #leave(waiting: Waiting): void {
    this.#line.remove(waiting)
    this.#engines.release(waiting)
  }
}

import { DurableObject } from 'cloudflare:workers'
import { Fleet, type LostPlace } from '../../domain/fleet/fleet.ts'
import type { EngineView, FleetReport } from '../../domain/fleet/fleet-metrics.ts'
import { attemptOf, keyOf, type Place, type PlaceRequest, type WaitingRequest } from '../../domain/fleet/place.ts'
import { type ContainerStep, containerSteps } from '../../domain/jobs/step-resources.ts'
import type { EngineState } from '../../domain/protocol/protocol.ts'
import { type FleetExtractors, isExtractorVersion, type KnownSites } from '../../domain/sites.ts'
import type { Engine } from '../engine/client.ts'
import { CONTAINERS, ELSEWHERE, EngineWatch, REFUSED, SILENT, type Watcher } from './engine-watch.ts'
import type { FleetPlan } from './fleet-of.ts'
import { FleetRows } from './rows.ts'
import { SiteLists } from './site-lists.ts'

/** A place of a probe on an engine. */
export type GrantedPlace = Pick<Place, 'id' | 'engine'>

export type StepRequest = PlaceRequest & { step: ContainerStep }

/**
 * How the start of a step ended. `not needed`: its job has ended, or is at another step or lease. `busy`, `unreachable`:
 * the engine did not take it. `later`: it waits for a deploy. `fault`: an object could not be reached.
 */
export type Started = 'started' | 'not needed' | 'busy' | 'unreachable' | 'later' | 'fault'

/** What a fleet reaches outside of its object. index.ts provides it. */
export interface FleetTargets {
  engine(name: string): Engine
  /** Claims the step from its account, under the place's id as its lease, and sends its order to the engine. */
  start(place: Place & { step: ContainerStep }): Promise<Started>
  /** The attempt at this place has ended without a report. */
  giveBack(place: Place, attempt: { isUsed: boolean }): Promise<unknown>
  /** The step is in the line. */
  waits(step: PlaceRequest): Promise<unknown>
  /** No engine has the disk space for the step. */
  refuse(step: PlaceRequest): Promise<unknown>
}

/** Between two rounds while steps run or wait. */
const ROUND_MS = 2_000
/** Timers end with the object. If it is evicted while steps run or wait, the alarm resumes the rounds. */
const BUSY_ALARM_MS = 10_000
/** Stops engines that have been idle for too long, and keeps the warm ones from being stopped by the platform. */
const IDLE_ALARM_MS = 20_000
/** After an account could not be reached. */
const FAULT_REST_MS = 5_000
/** A step rests so long if its engine has an older image, or could report to nobody. A deploy takes up to 15 minutes. */
const LATER_MS = 30_000
/** Until an engine has said what it has. */
const EXPECTED_PLACES = { network: 8, cpu: 1 }

/**
 * One object for a part of the engines and of the accounts. A queue message brings a step here once. From then on the
 * fleet owns its waiting and its start: it claims the step from its account and gives the order to an engine when a place
 * is free. It starts and stops engines, and notices when one is gone. `domain/fleet` decides; this class stores the line
 * and calls accounts and engines.
 *
 * After an eviction the line is read from SQLite and the places come from the engines' states. If all of it is lost, the
 * accounts send their steps again.
 */
export abstract class FleetBase extends DurableObject<Env> {
  readonly #fleet: Fleet
  readonly #watch: EngineWatch
  readonly #rows: FleetRows
  readonly #siteLists: SiteLists
  /** What engines have said, also those that have stopped: the next one has the same image. */
  readonly #tellsSpeakers = new Map<string, boolean>()
  readonly #plan: FleetPlan
  readonly #targets: FleetTargets
  /** `GET /metadata` requests and listings that wait for a place. */
  readonly #probes = new Map<string, (place: Place | null) => void>()
  /** Starts that are under way, by step. */
  readonly #starting = new Map<string, Promise<void>>()
  #loading: Promise<void> | null = null
  #timer: ReturnType<typeof setTimeout> | null = null
  #alarmAt = 0

  constructor(ctx: DurableObjectState, env: Env, plan: FleetPlan, targets: FleetTargets) {
    super(ctx, env)
    this.#plan = plan
    this.#targets = targets
    this.#rows = new FleetRows(ctx.storage.sql)
    this.#siteLists = new SiteLists(this.#rows, targets.engine)
    const expected = { places: EXPECTED_PLACES, diskBytes: plan.expectedDiskBytes }
    this.#fleet = new Fleet({ ...plan, expected, newId: () => crypto.randomUUID() })
    const watcher: Watcher = {
      engine: targets.engine,
      onAnswer: (name, state, lost) => this.#onAnswer(name, state, lost),
      // What someone else starts says nothing about the platform.
      onStarted: (durationMs) => plan.areElsewhere || this.#rows.addStart(durationMs),
    }
    this.#watch = new EngineWatch(this.#fleet, watcher, plan.areElsewhere ? ELSEWHERE : CONTAINERS)
  }

  /**
   * Resolves when the step has started, or when its row is stored. Then its message is not needed any more. A step that
   * was brought before keeps its position, or its place. `leases` says whether the account has ended the attempt there:
   * then the step gets another place, and the engine that was not heard gets none for a while.
   */
  async add(step: StepRequest): Promise<void> {
    await this.#load()
    const place = this.#fleet.placeOf(step)
    // Before a new place is given, so that it is not one of an engine that cannot report.
    if (place && attemptOf(place) <= step.leases) await this.#abandon(place)
    const now = Date.now()
    if (this.#fleet.request(step, now) === 'never') return this.#refuse({ ...step, since: now })
    this.#act()
    const waiting = this.#fleet.waiting(step)
    if (waiting) {
      this.#rows.keep(waiting)
      const told = this.#targets.waits(waiting)
      this.ctx.waitUntil(
        told.catch((cause) => console.warn('an account was not told of a wait', step.jobId, `${cause}`)),
      )
    }
    await this.#starting.get(keyOf(step))
  }

  /** null: there was no place in time, or too many wait. */
  async placeForProbe(
    accountId: string,
    timeoutMs: number,
    step: 'probe' | 'list' = 'probe',
  ): Promise<GrantedPlace | null> {
    await this.#load()
    const probe = { jobId: crypto.randomUUID(), step }
    const needs = { work: 'network', rank: 'probe', diskBytes: 0, leases: 0 } as const
    if (this.#fleet.request({ accountId, ...probe, ...needs }, Date.now()) !== 'known') return null
    const granting = Promise.withResolvers<Place | null>()
    this.#probes.set(probe.jobId, granting.resolve)
    const timer = setTimeout(granting.resolve, timeoutMs, null)
    this.#act()
    const place = await granting.promise
    clearTimeout(timer)
    this.#probes.delete(probe.jobId)
    if (!place) this.#fleet.withdraw(probe)
    return place && { id: place.id, engine: place.engine }
  }

  /** The outcome of the step at this place has arrived, or its probe has been answered. */
  async ended(placeId: string): Promise<void> {
    await this.#load()
    const place = this.#free(placeId)
    // The answer to a probe does not say that reports arrive.
    if (place && place.rank !== 'probe') {
      this.#fleet.heardFrom(place.engine, Date.now())
      this.#watch.heard(place.engine)
    }
    this.#act()
  }

  /** The job has ended: its step leaves the line, or its engine. */
  async cancel({ jobId, attempt }: { jobId: string; attempt: number }): Promise<void> {
    await this.#load()
    for (const step of containerSteps) {
      if (this.#fleet.withdraw({ jobId, step })) this.#rows.remove({ jobId, step })
      const place = this.#fleet.placeOf({ jobId, step })
      if (!place) continue
      this.ctx.waitUntil(this.#stop(place, attempt))
      this.#free(place.id)
    }
    this.#act()
  }

  /** For operators. */
  async metrics(): Promise<FleetReport> {
    await this.#load()
    return { ...this.#fleet.metrics(Date.now()), starts: this.#rows.starts() }
  }

  /** For operators. */
  async engines(): Promise<Pick<FleetReport, 'waiting'> & { engines: EngineView[] }> {
    await this.#load()
    const { waiting } = this.#fleet.metrics(Date.now())
    return { engines: this.#fleet.engineViews(), waiting }
  }

  /** For visitors without a key: from the rows, so that nobody asks or starts an engine by it. */
  extractors(): FleetExtractors {
    return this.#rows.extractors()
  }

  /** As `extractors`. null: the version is not among its lists. */
  sites(version: string): KnownSites | null {
    return this.#rows.sites(version)
  }

  /** Whether an engine can find out who speaks. null: none has said it since this object was loaded. */
  tellsSpeakers(): boolean | null {
    const said = [...this.#tellsSpeakers.values()]
    return said.length === 0 ? null : said.includes(true)
  }

  /** For the cron. A fleet without work does not see otherwise that an engine has renewed its yt-dlp. */
  async wake(): Promise<void> {
    await this.#load()
    await this.#watch.askAll()
    this.#act()
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = 0
    await this.#load()
    await this.#watch.askAll()
    this.#act()
  }

  #load(): Promise<void> {
    this.#loading ??= this.#rebuild().catch((cause) => {
      this.#loading = null
      throw cause
    })
    return this.#loading
  }

  async #rebuild(): Promise<void> {
    for (const step of this.#rows.waiting()) this.#fleet.request(step, step.since)
    const names = new Set([...this.#rows.startedEngines(), ...this.#plan.names.slice(0, this.#plan.warm)])
    await Promise.all([...names].map((name) => this.#watch.ask(name)))
    this.#act()
  }

  #onAnswer(name: string, state: EngineState | null, lost: LostPlace[]): void {
    if (state) this.#noteAbilities(name, state)
    else this.#rows.engineStopped(name)
    for (const step of state?.running ?? []) {
      // The row of another attempt stays.
      if (this.#fleet.placeOf(step)?.id === step.placeId) this.#rows.remove(step)
    }
    for (const { place, hasEngineDied } of lost) this.#giveBack(place, hasEngineDied)
    this.#act()
  }

  #noteAbilities(name: string, { extractor, speakers }: EngineState): void {
    const now = Date.now()
    if (speakers !== undefined) this.#tellsSpeakers.set(name, speakers)
    const version = extractor?.version != null && isExtractorVersion(extractor.version) ? extractor.version : null
    this.#rows.engineStarted(name, version, now)
    if (version !== null) this.ctx.waitUntil(this.#siteLists.complete(name, version, now))
  }

  /** The step may be why its engine has died, and uses an attempt. If only its reports are missing, it uses none. */
  #giveBack(place: Place, isUsed: boolean): void {
    if (place.rank === 'probe') return
    const given = this.#targets.giveBack(place, { isUsed })
    this.ctx.waitUntil(given.catch((cause) => console.error('the step was not given back', place.jobId, cause)))
  }

  /** If the engine still runs what its account has ended, and nothing else was heard from it, its reports do not arrive. */
  async #abandon(place: Place): Promise<void> {
    const isUnheard = this.#fleet.abandon(place)
    const wasRunning = await this.#stop(place, attemptOf(place))
    if (!isUnheard || !wasRunning) return
    console.warn('the reports of an engine do not arrive', place.engine, place.jobId)
    await this.#watch.pause(place.engine, SILENT)
    this.#act()
  }

  /** Whether it was running. An engine that does not answer learns it from the answer to the step's next report. */
  async #stop({ engine, jobId }: Place, attempt: number): Promise<boolean> {
    try {
      return await this.#targets.engine(engine).stopStep({ jobId, attempt })
    } catch (cause) {
      console.warn('the step was not stopped', jobId, `${cause}`)
      return false
    }
  }

  async #refuse(step: WaitingRequest): Promise<void> {
    try {
      await this.#targets.refuse(step)
      this.#rows.remove(step)
    } catch (cause) {
      console.error('the step was not refused', step.jobId, cause)
      this.#rows.keep(step)
      this.#fleet.rest(step, FAULT_REST_MS, Date.now())
      this.#arm()
    }
  }

  #free(placeId: string): Place | null {
    const place = this.#fleet.free(placeId, Date.now())
    if (place) this.#rows.remove(place)
    return place
  }

  /** Does what the fleet decides now. */
  #act(): void {
    const now = Date.now()
    for (const place of this.#fleet.dispatch(now)) this.#use(place)
    for (const step of this.#fleet.takeTooLarge()) this.ctx.waitUntil(this.#refuse(step))
    const { start, stop } = this.#fleet.scale(now)
    for (const name of start) this.ctx.waitUntil(this.#watch.start(name))
    for (const name of stop) this.ctx.waitUntil(this.#watch.stop(name))
    this.#arm()
  }

  #use(place: Place): void {
    if (place.rank === 'probe') {
      const waiting = this.#probes.get(place.jobId)
      if (waiting) waiting(place)
      else this.#free(place.id)
      return
    }
    const key = keyOf(place)
    const starting = this.#start(place).finally(() => {
      if (this.#starting.get(key) === starting) this.#starting.delete(key)
    })
    this.#starting.set(key, starting)
    this.ctx.waitUntil(starting)
  }

  async #start(place: Place): Promise<void> {
    const result = await this.#targets.start(place as Place & { step: ContainerStep })
    const now = Date.now()
    // A state of the engine can have listed the step although the answer to its order was lost.
    const isListed = this.#fleet.place(place.id)?.startedAt != null
    if (result === 'started' || isListed) {
      // Its engine counted as gone meanwhile, and has accepted the step.
      if (!this.#fleet.started(place.id, now)) this.#giveBack(place, false)
      if (!this.#fleet.waiting(place)) this.#rows.remove(place)
    } else if (result === 'not needed') {
      this.#fleet.free(place.id, now)
      if (!this.#fleet.waiting(place)) this.#rows.remove(place)
    } else {
      const leases = result === 'fault' ? place.leases : attemptOf(place)
      this.#fleet.again(place, { restMs: restOf[result], leases }, now)
      const waiting = this.#fleet.waiting(place)
      if (waiting) this.#rows.keep(waiting)
      if (result === 'busy' || result === 'unreachable') await this.#watch.pause(place.engine, REFUSED)
    }
    this.#act()
  }

  /** While nothing runs or waits there is no timer, so that the object sleeps. The alarm looks after idle engines. */
  #arm(): void {
    const isBusy = this.#fleet.isBusy || this.#watch.hasPauses
    if (isBusy) this.#timer ??= setTimeout(() => this.#round(), ROUND_MS)
    if (isBusy) this.#setAlarm(BUSY_ALARM_MS)
    else if (!this.#plan.areElsewhere && this.#fleet.engines().length > 0) this.#setAlarm(IDLE_ALARM_MS)
  }

  #round(): void {
    this.#timer = null
    // Neither what is due now nor the next round waits for an engine that is slow to answer.
    this.#act()
    this.ctx.waitUntil(this.#watch.askAll().then(() => this.#act()))
  }

  #setAlarm(delayMs: number): void {
    const now = Date.now()
    if (this.#alarmAt > now && this.#alarmAt <= now + delayMs) return
    this.#alarmAt = now + delayMs
    void this.ctx.storage.setAlarm(this.#alarmAt)
  }
}

const restOf: Record<Exclude<Started, 'started' | 'not needed'>, number> = {
  busy: 0,
  unreachable: 0,
  later: LATER_MS,
  fault: FAULT_REST_MS,
}

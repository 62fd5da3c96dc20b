import { DurableObject } from 'cloudflare:workers'
import { Fleet, type LostPlace } from '../../domain/fleet/fleet.ts'
import type { FleetReport } from '../../domain/fleet/fleet-report.ts'
import type { Place, PlaceRequest, WaitingRequest } from '../../domain/fleet/place.ts'
import { type ContainerStep, containerSteps } from '../../domain/jobs/step-resources.ts'
import type { EngineState } from '../../domain/protocol/protocol.ts'
import type { FleetExtractors, KnownSites } from '../../domain/sites.ts'
import { EngineAbilities } from './engine-abilities.ts'
import { CONTAINERS, ELSEWHERE, EngineWatch, REFUSED, SILENT, type Watcher } from './engine-watch.ts'
import type { FleetPlan, FleetTargets, ModelsOfEngines, Started } from './fleet-of.ts'
import { Rounds } from './rounds.ts'
import { FleetRows } from './rows.ts'

export type StepRequest = PlaceRequest & { step: ContainerStep }

/** After an account could not be reached. */
const FAULT_REST_MS = 5_000
/** A step rests so long if its engine has an older image, or could report to nobody. A deploy takes up to 15 minutes. */
const LATER_MS = 30_000
/** Until an engine has said what it has. */
const EXPECTED_PLACES = { network: 8, cpu: 1 }

/**
 * One object for a part of the engines and of the accounts. From the message of a step on, the fleet owns its waiting
 * and its start. `domain/fleet` decides; this class stores the line and calls accounts and engines. After an eviction
 * the line is read from SQLite and the places come from the engines' states. If all of it is lost, the accounts send
 * their steps again.
 */
export abstract class FleetBase extends DurableObject<Env> {
  readonly #fleet: Fleet
  readonly #watch: EngineWatch
  readonly #rows: FleetRows
  readonly #abilities: EngineAbilities
  readonly #rounds: Rounds
  readonly #plan: FleetPlan
  readonly #targets: FleetTargets
  /** `GET /metadata` requests and listings that wait for a place. */
  readonly #probes = new Map<string, (place: Place | null) => void>()
  #loading: Promise<void> | null = null

  constructor(ctx: DurableObjectState, env: Env, plan: FleetPlan, targets: FleetTargets) {
    super(ctx, env)
    this.#plan = plan
    this.#targets = targets
    this.#rows = new FleetRows(ctx.storage.sql)
    this.#abilities = new EngineAbilities(this.#rows, targets.engine)
    this.#rounds = new Rounds(ctx.storage, () => {
      // Neither what is due now nor the next round waits for an engine that is slow to answer.
      this.#act()
      ctx.waitUntil(this.wake())
    })
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
   * Resolves when the step has a place or a row, so that the messages behind it need not wait for its start. If this
   * object ends before that, the account sends the step again. If the account has ended the attempt at its place, the
   * step gets another, and the engine that was not heard gets none for a while.
   */
  async add(step: StepRequest): Promise<void> {
    await this.#load()
    const place = this.#fleet.placeOf(step)
    // Before a new place is given, so that it is not one of an engine that cannot report.
    if (place && place.attempt < step.attempt) await this.#abandon(place)
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
  }

  /** null: there was no place in time, or too many wait. */
  async placeForProbe(accountId: string, timeoutMs: number, step: 'probe' | 'list' = 'probe'): Promise<Place | null> {
    await this.#load()
    const probe = { jobId: crypto.randomUUID(), step }
    const needs = { work: 'network', rank: 'probe', diskBytes: 0, attempt: 1 } as const
    if (this.#fleet.request({ accountId, ...probe, ...needs }, Date.now()) !== 'known') return null
    const granting = Promise.withResolvers<Place | null>()
    this.#probes.set(probe.jobId, granting.resolve)
    const timer = setTimeout(granting.resolve, timeoutMs, null)
    this.#act()
    const place = await granting.promise
    clearTimeout(timer)
    this.#probes.delete(probe.jobId)
    if (!place) this.#fleet.withdraw(probe)
    return place
  }

  async ended(placeId: string): Promise<void> {
    await this.#load()
    const place = this.#free(placeId)
    // The answer to a probe does not say that reports arrive.
    if (place && place.rank !== 'probe') this.#watch.heard(place.engine)
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

  async report(): Promise<FleetReport> {
    await this.#load()
    return { ...this.#fleet.report(Date.now()), starts: this.#rows.starts() }
  }

  /** For visitors without a key: from the rows, so that nobody asks or starts an engine by it. */
  extractors(): FleetExtractors {
    return this.#rows.extractors()
  }

  sites(version: string): KnownSites | null {
    return this.#rows.sites(version)
  }

  /** Workers of the release before this one call it. */
  tellsSpeakers(): boolean | null {
    return this.#abilities.tellsSpeakers
  }

  models(): ModelsOfEngines {
    const { models, tellsSpeakers } = this.#abilities
    return { models, tellsSpeakers }
  }

  /** For the cron. A fleet without work does not see otherwise that an engine has renewed its yt-dlp. */
  async wake(): Promise<void> {
    await this.#load()
    await this.#watch.askAll()
    this.#act()
  }

  override async alarm(): Promise<void> {
    this.#rounds.alarmed()
    await this.wake()
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
    if (state) this.ctx.waitUntil(this.#abilities.note(name, state, Date.now()))
    else this.#rows.engineStopped(name)
    for (const step of state?.running ?? []) {
      // The row of another attempt stays.
      if (this.#fleet.placeOf(step)?.id === step.placeId) this.#rows.remove(step)
    }
    for (const { place, hasEngineDied } of lost) this.#giveBack(place, hasEngineDied)
    this.#act()
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
    const wasRunning = await this.#stop(place, place.attempt)
    if (!isUnheard || !wasRunning) return
    console.warn('the reports of an engine do not arrive', place.engine, place.jobId)
    await this.#watch.pause(place.engine, SILENT)
    this.#act()
  }

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
    this.ctx.waitUntil(this.#start(place))
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
      const attempt = result === 'fault' ? place.attempt : place.attempt + 1
      this.#fleet.again(place, { restMs: restOf[result], attempt }, now)
      const waiting = this.#fleet.waiting(place)
      if (waiting) this.#rows.keep(waiting)
      if (result === 'busy' || result === 'unreachable') await this.#watch.pause(place.engine, REFUSED)
    }
    this.#act()
  }

  #arm(): void {
    if (this.#fleet.isBusy || this.#watch.hasPauses) this.#rounds.whileBusy()
    else if (!this.#plan.areElsewhere && this.#fleet.engines().length > 0) this.#rounds.whileIdle()
  }
}

const restOf: Record<Exclude<Started, 'started' | 'not needed'>, number> = {
  busy: 0,
  unreachable: 0,
  later: LATER_MS,
  fault: FAULT_REST_MS,
}

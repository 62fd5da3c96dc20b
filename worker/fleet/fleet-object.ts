import { DurableObject } from 'cloudflare:workers'
import { Fleet } from '../../domain/fleet/fleet.ts'
import type { EngineView, FleetReport } from '../../domain/fleet/fleet-metrics.ts'
import type { Place, PlaceRequest } from '../../domain/fleet/place.ts'
import { type ContainerStep, containerSteps } from '../../domain/jobs/step-resources.ts'
import type { EngineState } from '../../domain/protocol/protocol.ts'
import type { StepMessage } from '../account/queue-messages.ts'
import type { Engine } from '../engine/client.ts'
import { EngineWatch } from './engine-watch.ts'
import type { FleetPlan } from './fleet-of.ts'
import { FleetRows } from './rows.ts'

/** A place of a step on an engine. Its id is the lease of the step. */
export type GrantedPlace = Pick<Place, 'id' | 'engine'>

export type StepRequest = PlaceRequest & { step: ContainerStep }

/** What a fleet reaches outside of its object. index.ts provides it. */
export interface FleetTargets {
  engine(name: string): Engine
  sendSteps(messages: StepMessage[]): Promise<void>
  /** The account sends the step again, unless it has ended. */
  giveBack(place: { accountId: string; jobId: string; lease: string }): Promise<unknown>
}

/** Between two rounds while steps run or wait. */
const ROUND_MS = 2_000
/** Timers end with the object. If it is evicted while steps run or wait, the alarm resumes the rounds. */
const BUSY_ALARM_MS = 10_000
/** Keeps idle engines from being stopped by the platform, and stops those that have been idle for too long. */
const IDLE_ALARM_MS = 20_000
/** Until an engine has said what it has. */
const EXPECTED_PLACES = { network: 8, cpu: 1 }

/**
 * One object for a part of the engines and of the accounts. It gives steps their places, starts and stops engines, and
 * notices when one is gone. `domain/fleet` decides; this class stores the line and calls the engines.
 *
 * The fleet holds no truth. After an eviction the line is read from SQLite and the places come from the engines'
 * states. If all of it is lost, the accounts send their steps again.
 */
export abstract class FleetBase extends DurableObject<Env> {
  readonly #fleet: Fleet
  readonly #watch: EngineWatch
  readonly #rows: FleetRows
  readonly #plan: FleetPlan
  readonly #targets: FleetTargets
  /** `GET /metadata` requests and listings that wait for a place. */
  readonly #probes = new Map<string, (place: Place | null) => void>()
  #loading: Promise<void> | null = null
  #timer: ReturnType<typeof setTimeout> | null = null
  #alarmAt = 0

  constructor(ctx: DurableObjectState, env: Env, plan: FleetPlan, targets: FleetTargets) {
    super(ctx, env)
    this.#plan = plan
    this.#targets = targets
    this.#rows = new FleetRows(ctx.storage.sql)
    const expected = { places: EXPECTED_PLACES, diskBytes: plan.expectedDiskBytes }
    this.#fleet = new Fleet({ ...plan, expected, newId: () => crypto.randomUUID() })
    this.#watch = new EngineWatch(this.#fleet, {
      engine: targets.engine,
      onAnswer: (name, state, lost) => this.#onAnswer(name, state, lost),
      // What someone else starts says nothing about the platform.
      onStarted: (durationMs) => plan.areElsewhere || this.#rows.addStart(durationMs),
    })
  }

  /** `wait`: the fleet sends the step's message when its turn has come. `never`: no engine has so much disk space. */
  async request(request: StepRequest): Promise<GrantedPlace | 'wait' | 'never'> {
    await this.#load()
    const now = Date.now()
    const answer = this.#fleet.request(request, now)
    if (answer === 'wait') this.#rows.keep({ ...request, since: now })
    if (answer === 'never' || answer === 'full') this.#rows.remove(request)
    this.#act()
    if (typeof answer === 'string') return answer === 'full' ? 'wait' : answer
    return granted(answer.place)
  }

  /** null: there was no place in time, or too many wait. */
  async placeForProbe(
    accountId: string,
    timeoutMs: number,
    step: 'probe' | 'list' = 'probe',
  ): Promise<GrantedPlace | null> {
    await this.#load()
    const probe = { jobId: crypto.randomUUID(), step }
    const needs = { work: 'network', rank: 'probe', diskBytes: 0 } as const
    const answer = this.#fleet.request({ accountId, ...probe, ...needs }, Date.now())
    if (answer === 'full' || answer === 'never') return null
    if (answer !== 'wait') {
      this.#act()
      return granted(answer.place)
    }
    const place = await new Promise<Place | null>((resolve) => {
      this.#probes.set(probe.jobId, resolve)
      setTimeout(resolve, timeoutMs, null)
      this.#act()
    })
    this.#probes.delete(probe.jobId)
    if (!place) this.#fleet.withdraw(probe)
    return place && granted(place)
  }

  /** The step has ended. */
  async free(placeId: string): Promise<void> {
    await this.#load()
    this.#free(placeId)
    this.#act()
  }

  /** The step needs no work, unless it runs: then this was the second message with its place. */
  async freeUnused(placeId: string): Promise<void> {
    await this.#load()
    if (this.#fleet.place(placeId)?.listedAt === null) this.#free(placeId)
    this.#act()
  }

  /** The engine has refused a step, or could not be reached. */
  async engineFailed({ id, engine }: GrantedPlace): Promise<void> {
    await this.#load()
    this.#free(id)
    await this.#watch.pause(engine)
  }

  /** The job has ended: its step leaves the line, or its engine. */
  async cancel({ jobId, attempt }: { jobId: string; attempt: number }): Promise<void> {
    await this.#load()
    for (const step of containerSteps) {
      if (this.#fleet.withdraw({ jobId, step })) this.#rows.remove({ jobId, step })
      const place = this.#fleet.placeOf({ jobId, step })
      if (!place) continue
      await this.#targets.engine(place.engine).stopStep({ jobId, attempt })
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

  override async alarm(): Promise<void> {
    this.#alarmAt = 0
    await this.#load()
    await this.#watch.askAll()
    this.#act()
  }

  #load(): Promise<void> {
    this.#loading ??= this.#rebuild()
    return this.#loading
  }

  async #rebuild(): Promise<void> {
    for (const step of this.#rows.waiting()) this.#fleet.request(step, step.since)
    const names = new Set([...this.#rows.startedEngines(), ...this.#plan.names.slice(0, this.#plan.warm)])
    await Promise.all([...names].map((name) => this.#watch.ask(name)))
    this.#act()
  }

  #onAnswer(name: string, state: EngineState | null, lost: Place[]): void {
    if (state) this.#rows.engineStarted(name)
    else this.#rows.engineStopped(name)
    for (const step of state?.running ?? []) this.#rows.remove(step)
    for (const place of lost) this.#lose(place)
    this.#sendSteps(this.#fleet.takeTooLarge().map(messageOf))
    this.#act()
  }

  /** The message with the place may have been lost before the account knew of it. Then the step stays in the line. */
  #lose(place: Place): void {
    const { accountId, jobId, id: lease, rank } = place
    if (rank === 'probe') return
    const again = this.#rows.has(place) ? this.#fleet.request(place, Date.now()) : null
    if (again && typeof again === 'object') this.#send([again.place])
    const given = this.#targets.giveBack({ accountId, jobId, lease })
    this.ctx.waitUntil(given.catch((cause) => console.error('the step was not given back', jobId, cause)))
  }

  #free(placeId: string): void {
    const place = this.#fleet.free(placeId, Date.now())
    if (place) this.#rows.remove(place)
  }

  /** Does what the fleet decides now. */
  #act(): void {
    const now = Date.now()
    this.#send(this.#fleet.dispatch(now))
    const { start, stop } = this.#fleet.scale(now)
    for (const name of start) this.ctx.waitUntil(this.#watch.start(name))
    for (const name of stop) this.ctx.waitUntil(this.#watch.stop(name))
    this.#arm()
  }

  #send(places: Place[]): void {
    const messages: StepMessage[] = []
    for (const place of places) {
      const { jobId, id, engine, rank } = place
      if (rank !== 'probe') {
        messages.push({ ...messageOf(place), place: { id, engine } })
      } else if (this.#probes.has(jobId)) this.#probes.get(jobId)?.(place)
      else this.#free(id)
    }
    // The rows of these steps stay until an engine lists them. Without a message, the place is lost and they wait again.
    this.#sendSteps(messages)
  }

  #sendSteps(messages: StepMessage[]): void {
    if (messages.length === 0) return
    const sent = this.#targets.sendSteps(messages)
    this.ctx.waitUntil(sent.catch((cause) => console.error('the steps were not sent', messages.length, cause)))
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
    // The next round does not wait for an engine that is slow to answer.
    this.#arm()
    this.ctx.waitUntil(this.#watch.askAll().then(() => this.#act()))
  }

  #setAlarm(delayMs: number): void {
    const now = Date.now()
    if (this.#alarmAt > now && this.#alarmAt <= now + delayMs) return
    this.#alarmAt = now + delayMs
    void this.ctx.storage.setAlarm(this.#alarmAt)
  }
}

const messageOf = ({ accountId, jobId, step, diskBytes }: PlaceRequest): StepMessage => ({
  v: 1,
  accountId,
  jobId,
  step: step as ContainerStep,
  diskBytes,
})

const granted = ({ id, engine }: Place): GrantedPlace => ({ id, engine })

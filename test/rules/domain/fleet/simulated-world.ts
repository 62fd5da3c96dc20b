import { Fleet, type LostPlace } from '../../../../domain/fleet/fleet.ts'
import { enginesOfFleet, fleetIndexOf } from '../../../../domain/fleet/fleet-index.ts'
import { Heap } from '../../../../domain/fleet/heap.ts'
import type { Place, PlaceRequest } from '../../../../domain/fleet/place.ts'
import type { Work } from '../../../../domain/protocol/protocol.ts'
import { randomFrom } from '../../../support/random-numbers.ts'
import { SimulatedEngine } from './simulated-engine.ts'
import { capacity } from './small-fleet.ts'

export interface SimulatedStep extends PlaceRequest {
  durationMs: number
}

/** Steps run one after the other. */
export interface SimulatedJob {
  at: number
  steps: SimulatedStep[]
}

export interface StepRecord {
  accountId: string
  jobId: string
  work: Work
  requestedAt: number
  placedAt: number | null
  endedAt: number | null
  /** Queue messages from the account. */
  messages: number
  /** How often it ran on an engine that ended before it, or was sent to one that did not take it. */
  lost: number
}

export interface WorldOptions {
  seed: number
  jobs: readonly SimulatedJob[]
  maxEngines: number
  minEngines?: number
  fleets?: number
  /** When an engine dies or begins to drain, one of those that run. */
  deaths?: readonly number[]
  drains?: readonly number[]
  /** When the fleet objects lose their memory. Their table of what waits stays. */
  restarts?: readonly number[]
}

/** Of the engines that are up. */
export interface Usage {
  at: number
  places: number
  running: number
}

/** A queue delivers a message after so many milliseconds, and a callback takes as long. */
const MESSAGE_MS = 100
const LEASE_MS = 60_000
const STATE_EVERY_MS = 2_000
const SCALE_EVERY_MS = 1_000
/** Less than the 14 minutes of a container, so that some steps are given back. */
const DRAIN_MS = 30_000
/** One start in so many fails. */
const FAILED_STARTS = 20

/**
 * Accounts, queues, fleets and engines as discrete events: what the fleet object does with `Fleet`, without I/O.
 */
export class World {
  readonly records = new Map<string, StepRecord>()
  readonly engines = new Map<string, SimulatedEngine>()
  /** One a second, until all engines have stopped. */
  readonly usage: Usage[] = []
  readonly #events = new Heap<{ at: number; order: number; act: () => void }>((a, b) =>
    a.at === b.at ? a.order < b.order : a.at < b.at,
  )
  readonly #options: WorldOptions
  readonly #random: () => number
  readonly #steps = new Map<string, { job: SimulatedJob; step: SimulatedStep }>()
  /** The table of each fleet object. */
  readonly #inLine = new Map<string, { step: SimulatedStep; since: number }>()
  #fleets: Fleet[]
  #order = 0
  #placeIds = 0
  #openJobs = 0
  now = 0
  /** Orders that a running engine refused because it has no place or no disk space. */
  overbooked = 0

  constructor(options: WorldOptions) {
    const { seed, jobs, deaths = [], drains = [], restarts = [] } = options
    this.#options = options
    this.#random = randomFrom(seed)
    this.#fleets = this.#newFleets()
    this.#openJobs = jobs.length
    for (const job of jobs) this.#at(job.at, () => this.#send(job, 0))
    for (const at of deaths) this.#at(at, () => this.#oneOf('running')?.die())
    for (const at of drains) this.#at(at, () => this.#drain())
    for (const at of restarts) this.#at(at, () => this.#restart())
    this.#at(0, () => this.#scaleAgain())
  }

  /** Until all jobs and engines have ended, or until a time. */
  run(until = Number.POSITIVE_INFINITY): void {
    for (let next = this.#events.top; next && next.at <= until; next = this.#events.top) {
      this.#events.delete(next)
      this.now = next.at
      next.act()
    }
  }

  #at(at: number, act: () => void): void {
    this.#events.add({ at, order: ++this.#order, act })
  }

  #after(delayMs: number, act: () => void): void {
    this.#at(this.now + delayMs, act)
  }

  #newFleets(): Fleet[] {
    const { fleets = 1, minEngines = 0, maxEngines } = this.#options
    const newId = () => `place-${++this.#placeIds}`
    return Array.from({ length: fleets }, (_, index) => {
      const engines = enginesOfFleet(index, { fleets, minEngines, maxEngines })
      return new Fleet({ ...engines, expected: capacity, newId })
    })
  }

  /** New fleets read their tables, and ask all engines. */
  #restart(): void {
    this.#fleets = this.#newFleets()
    for (const { step, since } of this.#inLine.values()) this.#fleetOfAccount(step.accountId).request(step, since)
    for (const engine of this.engines.values()) {
      if (engine.status !== 'dead') this.#fleetOfEngine(engine.name).engineState(engine.name, engine.state, this.now)
    }
    for (const fleet of this.#fleets) this.#dispatch(fleet)
  }

  #fleetOfAccount(accountId: string): Fleet {
    return this.#fleets[fleetIndexOf(accountId, this.#fleets.length)] as Fleet
  }

  #fleetOfEngine(name: string): Fleet {
    return this.#fleets[Number(name.slice('engine-'.length)) % this.#fleets.length] as Fleet
  }

  /** The account sends the message of a job's step. */
  #send(job: SimulatedJob, index: number): void {
    const step = job.steps[index]
    if (!step) {
      this.#openJobs--
      return
    }
    const { accountId, jobId, work } = step
    const key = `${jobId} ${step.step}`
    this.#steps.set(key, { job, step })
    const record = {
      accountId,
      jobId,
      work,
      requestedAt: this.now,
      placedAt: null,
      endedAt: null,
      messages: 0,
      lost: 0,
    }
    this.records.set(key, record)
    this.#sendAgain(step)
  }

  #sendAgain(step: SimulatedStep): void {
    const record = this.#recordOf(step)
    record.messages++
    this.#after(MESSAGE_MS, () => {
      const fleet = this.#fleetOfAccount(step.accountId)
      const answer = fleet.request(step, this.now)
      if (answer !== 'known') throw new Error(`${step.jobId}: ${answer}`)
      this.#dispatch(fleet)
      if (fleet.waiting(step)) this.#inLine.set(`${step.jobId} ${step.step}`, { step, since: this.now })
    })
  }

  #recordOf({ jobId, step }: Pick<PlaceRequest, 'jobId' | 'step'>): StepRecord {
    return this.records.get(`${jobId} ${step}`) as StepRecord
  }

  /** A fleet that has lost its memory starts nothing more. Its account sends a claimed step again after its lease. */
  #startFrom(fleet: Fleet, place: Place): void {
    if (this.#fleetOfAccount(place.accountId) === fleet) {
      this.#start(place)
      return
    }
    const { step } = this.#steps.get(`${place.jobId} ${place.step}`) as { step: SimulatedStep }
    this.#recordOf(place).lost++
    if (!this.#inLine.has(`${place.jobId} ${place.step}`)) this.#after(LEASE_MS, () => this.#sendAgain(step))
  }

  /** The fleet has claimed the step, and its order arrives at the engine. */
  #start(place: Place): void {
    const { job, step } = this.#steps.get(`${place.jobId} ${place.step}`) as { job: SimulatedJob; step: SimulatedStep }
    const record = this.#recordOf(place)
    record.placedAt ??= this.now
    const engine = this.engines.get(place.engine)
    const fleet = this.#fleetOfAccount(place.accountId)
    if (!engine || engine.status === 'dead') {
      this.#refused(fleet, place)
      this.#gone(fleet, place.engine)
    } else if (engine.begin(place)) {
      if (!fleet.started(place.id, this.now)) throw new Error(`${place.jobId}: its place was lost during its start`)
      this.#inLine.delete(`${place.jobId} ${place.step}`)
      this.#after(step.durationMs, () => engine.end(place) && this.#end(place, job, step))
    } else {
      if (engine.status === 'running') this.overbooked++
      this.#refused(fleet, place)
      this.#loseAll(fleet, fleet.engineState(engine.name, engine.state, this.now))
    }
  }

  #refused(fleet: Fleet, place: Place): void {
    this.#recordOf(place).lost++
    fleet.again(place, { restMs: 0, leases: place.leases }, this.now)
  }

  #end(place: Place, job: SimulatedJob, step: SimulatedStep): void {
    this.#recordOf(place).endedAt = this.now
    this.#send(job, job.steps.indexOf(step) + 1)
    this.#after(MESSAGE_MS, () => {
      const fleet = this.#fleetOfAccount(place.accountId)
      fleet.free(place.id, this.now)
      this.#dispatch(fleet)
    })
  }

  #dispatch(fleet: Fleet): void {
    for (const place of fleet.dispatch(this.now)) this.#after(MESSAGE_MS, () => this.#startFrom(fleet, place))
  }

  #gone(fleet: Fleet, engine: string): void {
    this.engines.delete(engine)
    this.#loseAll(fleet, fleet.engineGone(engine, this.now))
  }

  /** Accounts send the steps again. */
  #loseAll(fleet: Fleet, lost: readonly LostPlace[]): void {
    for (const { place } of lost) {
      const step = this.#steps.get(`${place.jobId} ${place.step}`)?.step
      if (!step || this.#recordOf(step).endedAt !== null) continue
      this.#recordOf(step).lost++
      this.#sendAgain(step)
    }
    this.#dispatch(fleet)
  }

  #scaleAgain(): void {
    const engines = [...this.engines.values()]
    const places = engines.length * (capacity.places.network + capacity.places.cpu)
    this.usage.push({ at: this.now, places, running: engines.reduce((sum, { running }) => sum + running.size, 0) })
    for (const fleet of this.#fleets) {
      const { start, stop } = fleet.scale(this.now)
      for (const name of start) this.#launch(name)
      for (const name of stop) this.#after(MESSAGE_MS, () => this.#gone(fleet, name))
      this.#dispatch(fleet)
    }
    if (this.#openJobs > 0 || this.engines.size > 0) this.#after(SCALE_EVERY_MS, () => this.#scaleAgain())
  }

  #launch(name: string): void {
    const startMs = 2_000 + this.#random() * 6_000
    const fails = this.#random() < 1 / FAILED_STARTS
    this.#after(startMs, () => {
      if (fails) return this.#fleetOfEngine(name).startFailed(name, this.#random() < 0.5 ? 'full' : 'failed', this.now)
      const engine = new SimulatedEngine(name, capacity)
      this.engines.set(name, engine)
      this.#askState(engine)
    })
  }

  #askState(engine: SimulatedEngine): void {
    if (this.engines.get(engine.name) !== engine) return
    const fleet = this.#fleetOfEngine(engine.name)
    if (engine.status === 'dead') {
      this.#gone(fleet, engine.name)
    } else {
      this.#loseAll(fleet, fleet.engineState(engine.name, engine.state, this.now))
      this.#after(STATE_EVERY_MS, () => this.#askState(engine))
    }
  }

  #drain(): void {
    const engine = this.#oneOf('running')
    if (!engine) return
    engine.status = 'draining'
    this.#after(DRAIN_MS, () => engine.die())
  }

  #oneOf(status: SimulatedEngine['status']): SimulatedEngine | undefined {
    const engines = [...this.engines.values()].filter((engine) => engine.status === status)
    return engines[Math.floor(this.#random() * engines.length)]
  }
}

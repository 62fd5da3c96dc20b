import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { Place, PlaceRequest } from '../../../domain/fleet/place.ts'
import type { EngineState } from '../../../domain/protocol/protocol.ts'
import type { KnownSites } from '../../../domain/sites.ts'
import type { Engine, StateAnswer } from '../../../worker/engine/engine.ts'
import type { LaunchResult } from '../../../worker/engine/host.ts'
import { FleetBase, type StepRequest } from '../../../worker/fleet/fleet-object.ts'
import type { FleetPlan, FleetTargets, Started } from '../../../worker/fleet/fleet-of.ts'
import { FleetRows } from '../../../worker/fleet/rows.ts'

class TestedFleet extends FleetBase {}

/** An engine whose answers a test chooses. */
export class EngineDouble implements Engine {
  readonly #isContainer: boolean
  isUp = false
  launches = 0
  launchResult: LaunchResult = 'running'
  status: EngineState['status'] = 'ok'
  places = { network: 2, cpu: 1 }
  diskBytes = 10_000_000_000
  running: EngineState['running'] = []
  extractor: EngineState['extractor'] = { version: null, channel: 'pinned', problem: null }
  speakers: EngineState['speakers']
  models: EngineState['models']
  /** null: it does not answer. */
  knownSites: KnownSites | null = null
  /** How often it was asked for them. */
  sitesAsked = 0
  readonly stopped: { jobId: string; attempt: number }[] = []

  constructor(isContainer: boolean) {
    this.#isContainer = isContainer
  }

  async state(): Promise<StateAnswer> {
    const { status, places, diskBytes, running, extractor, speakers, models } = this
    const about = { places, diskBytes, running, extractor, speakers, models }
    if (this.isUp) return { status, uptimeMs: Number.MAX_SAFE_INTEGER, ...about }
    // Only the platform says that nothing runs.
    return this.#isContainer ? 'stopped' : null
  }
  async sites() {
    this.sitesAsked++
    return this.knownSites
  }
  async launch() {
    this.launches++
    this.isUp = this.launchResult === 'running'
    return this.launchResult
  }
  async shutDown() {
    this.isUp = false
  }
  async destroy() {
    this.isUp = false
  }
  async stopStep(step: { jobId: string; attempt: number }) {
    this.stopped.push(step)
    const wasRunning = this.running.some(({ jobId }) => jobId === step.jobId)
    this.end(step.jobId)
    return wasRunning
  }
  /** What the order of a step does. */
  runs(place: Place) {
    const { id: placeId, accountId, jobId, step, diskBytes } = place
    this.running.push({ jobId, step, attempt: place.attempt, accountId, placeId, diskBytes })
  }
  end(jobId: string) {
    this.running = this.running.filter((step) => step.jobId !== jobId)
  }
  start = () => Promise.reject(new Error('the fleet starts no steps'))
  probe = () => Promise.reject(new Error('the fleet probes nothing'))
  inspect = () => Promise.reject(new Error('the fleet inspects nothing'))
  list = () => Promise.reject(new Error('the fleet lists nothing'))
  follow = () => Promise.reject(new Error('the fleet follows nothing'))
}

/** The step of an account's job. */
export const stepOf = (accountId: string, jobId: string, changes: Partial<PlaceRequest> = {}): StepRequest =>
  ({
    ...{ accountId, jobId, step: 'fetch', work: 'network', rank: 'job', diskBytes: 1_000_000, attempt: 1 },
    ...changes,
  }) as StepRequest

/** A fleet object with engines of its own. Its rounds run when a test says so. */
export const openFleet = async (plan: Partial<FleetPlan> = {}) => {
  const fullPlan = {
    ...{ names: ['engine-0', 'engine-1'], warm: 0, areElsewhere: false, expectedDiskBytes: 10_000_000_000 },
    ...plan,
  }
  const engines = new Map(fullPlan.names.map((name) => [name, new EngineDouble(!fullPlan.areElsewhere)]))
  const engine = (name: string): EngineDouble => {
    const found = engines.get(name)
    if (!found) throw new Error(`${name} is not an engine of this fleet`)
    return found
  }
  /** Each place at which a step was to start. */
  const starts: Place[] = []
  const givenBack: { jobId: string; placeId: string; isUsed: boolean }[] = []
  const toldToWait: string[] = []
  const refused: string[] = []
  const targets: FleetTargets = {
    engine,
    start: async (place): Promise<Started> => {
      starts.push(place)
      engine(place.engine).runs(place)
      return 'started'
    },
    giveBack: async ({ jobId, id }, { isUsed }) => void givenBack.push({ jobId, placeId: id, isUsed }),
    waits: async ({ jobId }) => void toldToWait.push(jobId),
    refuse: async ({ jobId }) => void refused.push(jobId),
  }
  const name = `a fleet of a test ${crypto.randomUUID()}`
  // A stub stays broken after its object has ended.
  const inObject = <Result>(act: (ctx: DurableObjectState) => Result | Promise<Result>): Promise<Result> =>
    runInDurableObject(env.FLEET_OBJECTS.getByName(name), (_, ctx) => act(ctx))
  /** When the object wants to be woken. */
  const alarms: number[] = []
  let fleet: FleetBase
  const open = () =>
    inObject((ctx) => {
      ctx.storage.setAlarm = async (at) => void alarms.push(Number(at))
      fleet = new TestedFleet(ctx, env, fullPlan, targets)
    })
  const call = <Result>(act: (fleet: FleetBase) => Promise<Result>): Promise<Result> => inObject(() => act(fleet))
  await open()
  return {
    ...{ engine, starts, givenBack, toldToWait, refused, alarms, targets, call },
    /** For steps that need the network, on all engines. */
    placesTaken: async () => {
      const { engines } = await call((object) => object.report())
      return engines.reduce((sum, { places }) => sum + places.network.taken, 0)
    },
    add: (step: StepRequest) => call((object) => object.add(step)),
    /** Adds a step that must get a place at once. */
    run: async (accountId: string, jobId: string, changes: Partial<PlaceRequest> = {}): Promise<Place> => {
      await call((object) => object.add(stepOf(accountId, jobId, changes)))
      const place = starts.at(-1)
      if (place?.jobId !== jobId) throw new Error(`${jobId} waits`)
      return place
    },
    /** The outcome of the step has arrived. */
    end: ({ id, engine: name, jobId }: Place) => {
      engine(name).end(jobId)
      return call((object) => object.ended(id))
    },
    /** The jobs whose steps were to start, in this order. */
    startedJobs: () => starts.map(({ jobId }) => jobId),
    /** The next starts have these results, and start nothing. */
    startsFail: (...results: Started[]) => {
      const { start } = targets
      targets.start = async (place) => {
        const result = results.shift()
        if (!result) return start(place)
        starts.push(place)
        return result
      }
    },
    /** Asks all engines, as each two seconds. */
    round: () => call((object) => object.alarm()),
    evict: async () => {
      // A pending timer prevents evictDurableObject. This ends the object as a deploy does.
      await inObject((ctx) => ctx.abort('evicted')).catch(() => {})
      await open()
    },
    /** What an eviction leaves. */
    kept: () =>
      inObject(({ storage }) => {
        const rows = new FleetRows(storage.sql)
        return { line: rows.waiting(), startedEngines: rows.startedEngines() }
      }),
  }
}

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import type { PlaceRequest } from '../../../domain/fleet/place.ts'
import type { EngineState } from '../../../domain/protocol/protocol.ts'
import type { StepMessage } from '../../../worker/account/queue-messages.ts'
import type { Engine } from '../../../worker/engine/client.ts'
import {
  FleetBase,
  type FleetTargets,
  type GrantedPlace,
  type StepRequest,
} from '../../../worker/fleet/fleet-object.ts'
import type { FleetPlan } from '../../../worker/fleet/fleet-of.ts'
import { FleetRows } from '../../../worker/fleet/rows.ts'

class TestedFleet extends FleetBase {}

/** An engine whose answers a test chooses. */
export class EngineDouble implements Engine {
  isUp = false
  launches = 0
  launchResult: 'running' | 'full' | 'failed' = 'running'
  status: EngineState['status'] = 'ok'
  places = { network: 2, cpu: 1 }
  diskBytes = 10_000_000_000
  running: EngineState['running'] = []
  readonly stopped: { jobId: string; attempt: number }[] = []

  async state(): Promise<EngineState | null> {
    const { status, places, diskBytes, running } = this
    return this.isUp ? { status, places, diskBytes, running } : null
  }
  async launch() {
    this.launches++
    this.isUp = this.launchResult === 'running'
    return this.launchResult
  }
  async shutDown() {
    this.isUp = false
  }
  async stopStep(step: { jobId: string; attempt: number }) {
    this.stopped.push(step)
    this.end(step.jobId)
  }
  /** What the order of a step does. */
  runs({ accountId, jobId, step, diskBytes }: StepRequest, { id: placeId }: GrantedPlace) {
    this.running.push({ jobId, step, attempt: 1, accountId, placeId, diskBytes })
  }
  end(jobId: string) {
    this.running = this.running.filter((step) => step.jobId !== jobId)
  }
  start = () => Promise.reject(new Error('the fleet starts no steps'))
  probe = () => Promise.reject(new Error('the fleet probes nothing'))
  inspect = () => Promise.reject(new Error('the fleet inspects nothing'))
  list = () => Promise.reject(new Error('the fleet lists nothing'))
}

/** The step of an account's job. */
export const stepOf = (accountId: string, jobId: string, changes: Partial<PlaceRequest> = {}): StepRequest =>
  ({
    ...{ accountId, jobId, step: 'fetch', work: 'network', rank: 'job', diskBytes: 1_000_000 },
    ...changes,
  }) as StepRequest

/** A fleet object with engines of its own. Its rounds run when a test says so. */
export const openFleet = async (plan: Partial<FleetPlan> = {}) => {
  const fullPlan = {
    ...{ names: ['engine-0', 'engine-1'], warm: 0, areElsewhere: false, expectedDiskBytes: 10_000_000_000 },
    ...plan,
  }
  const engines = new Map(fullPlan.names.map((name) => [name, new EngineDouble()]))
  const engine = (name: string): EngineDouble => {
    const found = engines.get(name)
    if (!found) throw new Error(`${name} is not an engine of this fleet`)
    return found
  }
  const sent: StepMessage[] = []
  const givenBack: Parameters<FleetTargets['giveBack']>[0][] = []
  const targets: FleetTargets = {
    engine,
    sendSteps: async (messages) => void sent.push(...messages),
    giveBack: async (place) => void givenBack.push(place),
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
    ...{ engine, sent, givenBack, alarms, targets, call },
    request: (step: StepRequest) => call((object) => object.request(step)),
    free: (placeId: string) => call((object) => object.free(placeId)),
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

/** A place, or an error if the step waits. */
export const placeIn = (answer: GrantedPlace | 'wait' | 'never'): GrantedPlace => {
  if (typeof answer === 'string') throw new Error(`the fleet answered ${answer}`)
  return answer
}

import type { HttpRequest } from '../platform/http-message.ts'
import type { CallFault } from '../platform/wire.ts'
import type { Random } from '../random.ts'
import type { Story } from '../story.ts'
import { PUBLIC_URL, type World, type WorldHooks } from '../world.ts'
import { type FaultClass, type FaultRates, faultClasses, MOST_SKEW_MS } from './fault-classes.ts'

const SECOND = 1_000
const MINUTE = 60 * SECOND

/** What faults are the reason for. */
export interface Blamed {
  /** A fault may have ended this attempt, so it may be used. */
  has(jobId: string, attempt: number): boolean
  /** An order for this engine, or its answer, may have been lost not long ago. */
  isTroubled(engine: string): boolean
}

const TROUBLED_MS = 2 * 60_000

/** Decides which faults happen in a history, and makes them happen. */
export class Faults implements Blamed {
  isOn = true
  readonly counts: Record<FaultClass, number>
  readonly #rates: FaultRates
  readonly #random: Random
  readonly #streams = new Map<FaultClass, Random>()
  readonly #blamed = new Set<string>()
  readonly #endedOn = new Map<string, { jobId: string; attempt: number; at: number }[]>()
  readonly #troubledAt = new Map<string, number>()
  readonly #story: Story
  #world: World | null = null

  constructor(rates: FaultRates, random: Random, story: Story) {
    this.#rates = rates
    this.#random = random
    this.#story = story
    this.counts = Object.fromEntries(faultClasses.map((name) => [name, 0])) as Record<FaultClass, number>
  }

  has(jobId: string, attempt: number): boolean {
    return this.#blamed.has(`${jobId} ${attempt}`)
  }

  isTroubled(engine: string): boolean {
    const at = this.#troubledAt.get(engine)
    return at !== undefined && (this.#world?.clock.now ?? 0) - at <= TROUBLED_MS
  }

  blame(jobId: string, attempt: number): void {
    this.#blamed.add(`${jobId} ${attempt}`)
  }

  /** Whether a fault of this class happens now. */
  happens(name: FaultClass, subject = '', scale = 1): boolean {
    if (!this.isOn || !this.#stream(name).chance(this.#rates[name] * scale)) return false
    this.counts[name] += 1
    this.#story.tell(subject, () => `FAULT ${name}`)
    return true
  }

  between(name: FaultClass, least: number, most: number): number {
    return this.#stream(name).between(least, most)
  }

  hooks(): WorldHooks {
    return {
      objects: {
        onCall: ({ namespace, object, method }) => {
          const isOfIndex = namespace === 'WORDS' && this.happens('index fails', object)
          const fault = isOfIndex ? this.#lost('index fails') : this.#call(`${object} ${method}`)
          // Then the fleet may not know that its order was accepted.
          if (fault && method === 'fetch') this.#trouble(object)
          return fault
        },
        onCommit: (namespace, object) => {
          if (this.happens('killed after a commit', object)) this.#killSoon(namespace, object)
        },
        alarmDelayMs: (_, object) => {
          if (this.happens('alarm dropped', object)) return Number.POSITIVE_INFINITY
          return this.happens('alarm late', object) ? this.between('alarm late', SECOND, 2 * MINUTE) : 0
        },
        skewMs: (_, object) => this.#skewMs(object),
        onSocketMessage: (_, object) => {
          if (this.happens('socket message lost', object)) return 'lost'
          return this.happens('socket breaks', object) ? 'broken' : undefined
        },
        isEviction: () => this.#random.chance(0.5),
      },
      worker: {
        onInvocation: ({ url }, kill) => this.#killInvocation(url.pathname, kill),
        skewMs: (name) => this.#skewMs(name),
      },
      queues: {
        onSend: (queue) => {
          if (this.happens('send refused', queue)) return { lose: 'request' }
          return this.happens('send answer lost', queue) ? { lose: 'response' } : undefined
        },
        onMessage: (queue) => ({
          lose: this.happens('message lost', queue),
          copies: this.happens('message twice', queue) ? 2 : 1,
          delayMs: this.happens('message late', queue) ? this.between('message late', SECOND, MINUTE) : 0,
        }),
        onDelivery: (queue, kill) => this.#killInvocation(queue, kill),
        skewMs: (name) => this.#skewMs(name),
      },
      database: { onQuery: () => this.#storage('database fails', 'database slow') },
      bucket: { onCall: () => this.#storage('bucket fails', 'database slow') },
      internet: { onRequest: (request) => this.#request(request) },
      containers: {
        bootMs: (name) =>
          this.happens('start without an answer', name) ? null : this.#random.between(500, 4 * SECOND),
        onStart: (name) =>
          this.happens('start refused', name)
            ? 'Maximum number of running container instances exceeded. Try again later'
            : undefined,
      },
      onRequest: () => {
        if (this.happens('request lost')) return { lose: 'request' }
        return this.happens('response lost') ? { lose: 'response' } : undefined
      },
    }
  }

  /** Faults that come with time and not with a call. */
  attach(world: World): void {
    this.#world = world
    const before = world.clock.onEvent
    world.clock.onEvent = (event) => {
      before?.(event)
      this.#killObjects(world)
    }
    const minute = () => {
      if (!this.isOn) return
      for (const process of world.containers.processes()) this.#troubleEngine(world, process)
      world.clock.schedule(MINUTE / 4, null, 'trouble', minute)
    }
    world.clock.schedule(MINUTE / 4, null, 'trouble', minute)
  }

  #stream(name: FaultClass): Random {
    const known = this.#streams.get(name)
    if (known) return known
    const stream = this.#random.fork(name)
    this.#streams.set(name, stream)
    return stream
  }

  #call(subject: string): CallFault | undefined {
    if (this.happens('call lost', subject)) return { lose: 'request' }
    if (this.happens('answer lost', subject)) return { lose: 'response' }
    if (this.happens('object overloaded', subject)) return { isOverloaded: true }
    if (!this.happens('call slow', subject)) return undefined
    return this.#slow('call slow', 100, 20 * SECOND)
  }

  #storage(fails: 'database fails' | 'bucket fails', slow: 'database slow'): CallFault | undefined {
    if (this.happens(fails)) return this.#lost(fails)
    return this.happens(slow) ? this.#slow(slow, SECOND, 30 * SECOND) : undefined
  }

  #request({ url }: HttpRequest): CallFault | undefined {
    if (url.origin === PUBLIC_URL) {
      if (this.happens('report lost', url.pathname)) return { lose: 'request' }
      return this.happens('report answer lost', url.pathname) ? { lose: 'response' } : undefined
    }
    if (url.host === 's3.test' && this.happens('storage request fails')) return this.#lost('storage request fails')
    return undefined
  }

  #slow(name: FaultClass, least: number, most: number): CallFault {
    const delayMs = this.between(name, least, most)
    return this.between(name, 0, 1) === 0 ? { requestDelayMs: delayMs } : { responseDelayMs: delayMs }
  }

  #lost(name: FaultClass): CallFault {
    return { lose: this.between(name, 0, 1) === 0 ? 'request' : 'response' }
  }

  #killInvocation(subject: string, kill: () => void): void {
    if (!this.happens('invocation killed', subject)) return
    this.#world?.clock.schedule(this.between('invocation killed', 0, 2 * SECOND), null, 'kill', kill)
  }

  #killSoon(namespace: string, object: string): void {
    this.#world?.clock.schedule(0, null, 'kill', () => this.#kill(namespace, object))
  }

  #kill(namespace: string, object: string): void {
    this.#world?.namespaces[namespace as keyof World['namespaces']].kill(object)
  }

  #killObjects(world: World): void {
    for (const [name, namespace] of killable) {
      if (this.#rates[name] === 0 || !this.happens(name, '', 1 / 1_000)) continue
      const names = world.namespaces[namespace].names()
      const object = names[this.between(name, 0, Math.max(0, names.length - 1))]
      if (object === undefined) continue
      this.#story.tell(object, () => 'is killed')
      if (namespace === 'ENGINES') this.#trouble(object)
      world.namespaces[namespace].kill(object)
    }
  }

  /** The work of an attempt has ended on this engine. Its outcome may be reported for a minute. */
  endedOn(engine: string, jobId: string, attempt: number): void {
    const now = this.#world?.clock.now ?? 0
    const recent = (this.#endedOn.get(engine) ?? []).filter(({ at }) => now - at <= TROUBLED_MS)
    this.#endedOn.set(engine, [...recent, { jobId, attempt, at: now }])
  }

  /** Steps that the engine runs, or has run until a moment ago. */
  #blameEngine(name: string): void {
    for (const { jobId, attempt } of this.#endedOn.get(name) ?? []) this.blame(jobId, attempt)
    for (const process of this.#world?.containers.processes() ?? []) {
      if (process.name !== name) continue
      for (const { jobId, attempt } of process.pool.steps) this.blame(jobId, attempt)
    }
  }

  #trouble(engine: string): void {
    this.#troubledAt.set(engine, this.#world?.clock.now ?? 0)
  }

  #skewMs(subject: string): number {
    if (!this.happens('clock wrong', subject)) return 0
    const most = this.between('clock wrong', 0, 9) === 0 ? MOST_SKEW_MS : SECOND / 2
    return this.between('clock wrong', -most, most)
  }

  /** Each quarter of a minute. */
  #troubleEngine({ clock }: World, process: ReturnType<World['containers']['processes']>[number]): void {
    const { name } = process
    const later = (fault: FaultClass, most: number, act: () => void) =>
      clock.schedule(this.between(fault, SECOND, most), null, 'trouble ends', act)
    if (this.happens('engine dies', name, 1 / 4)) {
      this.#blameEngine(name)
      process.kill()
    }
    if (this.happens('engine hangs', name, 1 / 4)) {
      this.#trouble(name)
      process.hang()
      later('engine hangs', 90 * SECOND, () => process.wake())
    }
    if (this.happens('engine cut off', name, 1 / 4)) {
      process.isCutOff = true
      later('engine cut off', 5 * MINUTE, () => {
        process.isCutOff = false
      })
    }
    if (this.happens('engine drains', name, 1 / 4)) {
      process.drain()
      // A machine that is taken away may lose its network before its programs end.
      if (this.between('engine drains', 0, 2) === 0) process.isCutOff = true
    }
    if (this.happens('engine outdated', name, 1 / 4)) {
      process.isOutdated = true
      later('engine outdated', 3 * MINUTE, () => {
        process.isOutdated = false
      })
    }
  }
}

const killable = [
  ['account killed', 'ACCOUNTS'],
  ['fleet killed', 'FLEET_OBJECTS'],
  ['engine object killed', 'ENGINES'],
  ['metrics killed', 'METRICS'],
  ['work killed', 'WORK_OBJECTS'],
  ['words killed', 'WORDS'],
] as const satisfies [FaultClass, keyof World['namespaces']][]

import type { Clock, ClockEvent, Owner } from '../clock.ts'
import { copyOf } from './copy.ts'
import { type HttpRequest, type HttpResponse, requestOf, responseOf, toRequest, toResponse } from './http-message.ts'
import { ObjectStorage, storageOf } from './object-storage.ts'
import { receivedSignal, unlessAborted } from './signals.ts'
import type { MessageFault, SocketEnd } from './sockets.ts'
import type { CallFault, Wire } from './wire.ts'

/** A call of an object, as hooks see it. */
export interface ObjectCall {
  namespace: string
  object: string
  method: string
  args: readonly unknown[]
  caller: Owner | null
}

export interface ObjectHooks {
  onCall?(call: ObjectCall): CallFault | undefined
  /** After each outermost transaction. A kill here leaves what was committed, and nothing of what comes after. */
  onCommit?(namespace: string, object: string): void
  /** How much later than its time an alarm runs. Infinity: it was dropped. */
  alarmDelayMs?(namespace: string, object: string): number
  /** What a new life of an object is ahead of the platform's clock. */
  skewMs?(namespace: string, object: string): number
  onSocketMessage?(namespace: string, object: string): MessageFault | undefined
  /** Whether the end of an object's life in memory is an eviction, which its sockets outlive. */
  isEviction?(namespace: string, object: string): boolean
  /** Of the product. What monitors read from the storage is not told. */
  onStatement?(namespace: string, text: string, bindings: readonly unknown[]): void
  /** What an alarm or a `waitUntil` threw. */
  onError?(where: string, cause: unknown): void
}

type Instance = Record<string, unknown> & {
  fetch?(request: Request): Response | Promise<Response>
  alarm?(info: { isRetry: boolean; retryCount: number }): void | Promise<void>
}
export type ObjectClass = new (ctx: object, env: never) => object

interface Life {
  owner: Owner
  instance: Instance
  /** Calls that have no answer yet. */
  pending: Set<(cause: Error) => void>
  /** Of `blockConcurrencyWhile`: calls wait for it. */
  blocked: Promise<void> | null
}

/** An object, whether it is in memory or not. */
interface Stored {
  name: string
  storage: ObjectStorage
  container: object | null
  life: Life | null
  alarm: ClockEvent | null
  isAlarmRunning: boolean
  alarmFailures: number
  /** With their tags. */
  sockets: Map<SocketEnd, readonly string[]>
}

export interface NamespaceOptions {
  name: string
  objectClass: ObjectClass
  env: object
  wire: Wire
  hooks: ObjectHooks
  /** `ctx.container` of an object with this name. */
  container?: (name: string) => object
}

/** https://developers.cloudflare.com/durable-objects/api/alarms/: from 2 s, doubled, up to 6 retries. */
const ALARM_RETRY_MS = 2_000
const ALARM_RETRIES = 6
/** An alarm does not run in the moment in which it is set, even if its time has passed. */
const ALARM_MS = 10

const resetError = () =>
  Object.assign(new Error('Durable Object reset because its code was updated.'), {
    durableObjectReset: true,
    retryable: true,
    remote: true,
  })
const connectionLost = () => Object.assign(new Error('Network connection lost.'), { retryable: true })
const overloadedError = () =>
  Object.assign(new Error('Durable Object is overloaded. Too many requests queued.'), { overloaded: true })

/** A Durable Object namespace over SQLite in memory. */
export class ObjectNamespace {
  readonly #options: NamespaceOptions
  readonly #clock: Clock
  readonly #objects = new Map<string, Stored>()

  constructor(options: NamespaceOptions) {
    this.#options = options
    this.#clock = options.wire.clock
  }

  /** The binding. */
  readonly binding = {
    getByName: (name: string) => this.#stub(name),
    idFromName: (name: string) => idOf(name),
    get: ({ name }: { name: string }) => this.#stub(name),
  }

  /** Names of all objects that were ever called. */
  names(): string[] {
    return [...this.#objects.keys()]
  }

  isInMemory(name: string): boolean {
    return Boolean(this.#objects.get(name)?.life)
  }

  /** For monitors, which read only. */
  storage(name: string): ObjectStorage | undefined {
    return this.#objects.get(name)?.storage
  }

  /** Ends the object's life in memory: a crash, a deploy or an eviction. Its storage stays. */
  kill(name: string): void {
    const life = this.#objects.get(name)?.life
    if (life) this.#clock.kill(life.owner)
  }

  close(): void {
    for (const { storage } of this.#objects.values()) storage.sqlDatabase.close()
    this.#objects.clear()
  }

  #object(name: string): Stored {
    const known = this.#objects.get(name)
    if (known) return known
    const { hooks, container, name: namespace } = this.#options
    const storage = new ObjectStorage(
      () => hooks.onCommit?.(namespace, name),
      () => this.#armAlarm(object),
    )
    const object: Stored = {
      ...{ name, storage, container: container?.(name) ?? null },
      ...{ life: null, alarm: null, isAlarmRunning: false, alarmFailures: 0, sockets: new Map() },
    }
    this.#objects.set(name, object)
    return object
  }

  /** The life that is in memory, or a new one. Throws what the constructor throws. */
  #lifeOf(object: Stored): Life {
    if (object.life) return object.life
    const { name: namespace, objectClass, env, hooks } = this.#options
    const owner = this.#clock.newOwner('object', object.name, hooks.skewMs?.(namespace, object.name))
    const life: Life = { owner, instance: {}, pending: new Set(), blocked: null }
    object.life = life
    owner.onDeath.add(() => {
      if (object.life === life) object.life = null
      for (const fail of life.pending) fail(resetError())
      if (!hooks.isEviction?.(namespace, object.name)) for (const socket of object.sockets.keys()) socket.break()
    })
    try {
      life.instance = this.#clock.as(
        owner,
        () => new objectClass(this.#contextOf(object, life), env as never),
      ) as Instance
    } catch (cause) {
      this.#clock.kill(owner)
      throw cause
    }
    return life
  }

  #contextOf({ name, storage, container, sockets }: Stored, life: Life): object {
    const { hooks, wire, name: namespace } = this.#options
    return {
      acceptWebSocket: (socket: SocketEnd, tags: string[] = []) => {
        sockets.set(socket, tags)
        socket.onClosed = () => sockets.delete(socket)
        socket.acceptHibernating({
          latencyMs: () => wire.latencyMs(),
          onMessage: () => hooks.onSocketMessage?.(namespace, name),
        })
      },
      getWebSockets: (tag?: string) =>
        [...sockets.keys()].filter((socket) => tag === undefined || sockets.get(socket)?.includes(tag)),
      id: idOf(name),
      storage: storageOf(storage, (text, bindings) => hooks.onStatement?.(this.#options.name, text, bindings)),
      ...(container && { container }),
      abort: () => this.#clock.kill(life.owner),
      waitUntil: (promise: Promise<unknown>) => {
        Promise.resolve(promise).catch((cause) => hooks.onError?.(`waitUntil of ${name}`, cause))
      },
      blockConcurrencyWhile: <T>(act: () => Promise<T>): Promise<T> => {
        const acting = act()
        const blocked = acting.then(
          () => {
            if (life.blocked === blocked) life.blocked = null
          },
          () => this.#clock.kill(life.owner),
        )
        life.blocked = blocked
        return acting
      },
    }
  }

  /** Like workerd's, a stub stays broken after its object was reset or the connection was lost. */
  #stub(name: string): object {
    let broken: unknown = null
    const call = <T>(
      method: string,
      args: readonly unknown[],
      signal: AbortSignal | null,
      serve: (life: Life) => T | Promise<T>,
    ): Promise<T> => {
      if (broken) return Promise.reject(broken)
      const { name: namespace, hooks, wire } = this.#options
      const fault = hooks.onCall?.({ namespace, object: name, method, args, caller: this.#clock.owner })
      const called = wire.call(method, fault, connectionLost, () => {
        if (fault?.isOverloaded) throw overloadedError()
        return this.#serve(this.#object(name), serve)
      })
      const answer = signal ? unlessAborted(called, signal) : called
      return answer.catch((cause) => {
        if (isDisconnection(cause)) broken = cause
        throw cause
      })
    }
    const fetchObject = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
      const request = await requestOf(input, init)
      request.signal?.throwIfAborted()
      return toResponse(await call('fetch', [], request.signal, (life) => this.#fetchFrom(life, request)))
    }
    return new Proxy(
      { name, id: idOf(name), fetch: fetchObject },
      {
        get: (target, property) => {
          if (typeof property !== 'string' || property === 'then') return undefined
          if (property in target) return target[property as keyof typeof target]
          return (...args: unknown[]) => {
            const sent = copyOf(args)
            return call(property, sent, null, (life) => callMethod(life.instance, property, sent))
          }
        },
      },
    )
  }

  /** Runs in the object's life, and fails when that life ends. */
  async #serve<T>(object: Stored, serve: (life: Life) => T | Promise<T>): Promise<T> {
    const life = this.#lifeOf(object)
    const { promise, resolve, reject } = Promise.withResolvers<T>()
    life.pending.add(reject)
    const run = () => this.#clock.as(life.owner, async () => serve(life))
    const served = life.blocked ? life.blocked.then(run) : run()
    served.then(
      (value) => {
        life.pending.delete(reject)
        resolve(value)
      },
      (cause) => {
        life.pending.delete(reject)
        reject(remoteError(cause))
      },
    )
    return promise
  }

  async #fetchFrom({ owner, instance }: Life, request: HttpRequest): Promise<HttpResponse> {
    if (!instance.fetch) throw new TypeError('Handler does not export a fetch() function.')
    const { signal, release } = receivedSignal(this.#clock, owner, request.signal)
    try {
      return await responseOf(await instance.fetch(toRequest({ ...request, signal })))
    } finally {
      release()
    }
  }

  #armAlarm(object: Stored): void {
    if (object.alarm) this.#clock.cancel(object.alarm)
    const { name: namespace, hooks } = this.#options
    const at = object.storage.alarmAt ?? 0
    const lateMs = hooks.alarmDelayMs?.(namespace, object.name) ?? 0
    const isDropped = lateMs === Number.POSITIVE_INFINITY
    const delayMs = Math.max(ALARM_MS, at - this.#clock.now) + (isDropped ? 0 : lateMs)
    object.alarmFailures = 0
    object.alarm = this.#clock.schedule(delayMs, null, 'alarm', () => {
      if (!isDropped) return this.#runAlarm(object)
      object.alarm = null
      object.storage.alarmAt = null
    })
  }

  /** One run at a time: a new alarm that is set during a run follows it, and takes the place of a retry. */
  #runAlarm(object: Stored): void {
    object.alarm = null
    if (object.storage.alarmAt === null || object.isAlarmRunning) return
    object.storage.alarmAt = null
    object.isAlarmRunning = true
    const retryCount = object.alarmFailures
    const ran = this.#serve(object, ({ instance }) => instance.alarm?.({ isRetry: retryCount > 0, retryCount }))
    const ended = ran.then(
      () => {
        object.alarmFailures = 0
      },
      (cause) => {
        this.#options.hooks.onError?.(`alarm of ${object.name}`, cause)
        if (object.storage.alarmAt !== null || object.alarmFailures >= ALARM_RETRIES) return
        const delayMs = ALARM_RETRY_MS * 2 ** object.alarmFailures
        object.alarmFailures += 1
        object.storage.alarmAt = this.#clock.now + delayMs
        object.alarm = this.#clock.schedule(delayMs, null, 'alarm', () => this.#runAlarm(object))
      },
    )
    ended.then(() => {
      object.isAlarmRunning = false
      // It was due before this run ended.
      if (object.storage.alarmAt !== null && !object.alarm) this.#armAlarm(object)
    })
  }
}

const idOf = (name: string) => ({
  name,
  toString: () => name,
  equals: (other: { name?: string }) => other.name === name,
})

const callMethod = async (instance: Instance, method: string, args: unknown[]): Promise<unknown> => {
  const called = instance[method]
  if (typeof called !== 'function') throw new TypeError(`The RPC receiver does not implement "${method}".`)
  return copyOf(await called.apply(instance, args))
}

/** Errors cross the wire without their class and their cause. Errors of the platform keep what they say. */
const remoteError = (cause: unknown): Error => {
  if (isDisconnection(cause)) return cause as Error
  if (!(cause instanceof Error)) return new Error(`${cause}`)
  const known = { TypeError, RangeError, SyntaxError, ReferenceError, EvalError, URIError }[cause.name] ?? Error
  return Object.assign(new known(cause.message), { remote: true })
}

const isDisconnection = (cause: unknown): boolean =>
  cause instanceof Error && ('durableObjectReset' in cause || 'retryable' in cause || 'overloaded' in cause)

import { AsyncLocalStorage } from 'node:async_hooks'
import { type ClockEvent, EventHeap, type Owner } from './event-heap.ts'

export type { ClockEvent, Owner }

export interface RunOptions {
  /** Virtual time in ms since the epoch. */
  until?: number
  /** Asked before each event. False ends the run. */
  while?: () => boolean
}

/** Every history begins at this time. */
export const BEGINNING = Date.UTC(2026, 10, 2)
/** The loop returns to Node's own loop after so many events, so that a hanging history can be interrupted. */
const TURN_EVENTS = 5_000

/** Runs the microtasks and `nextTick` callbacks that are due, and those that they cause. Needs a stack without microtasks. */
const drain = (process as unknown as { _tickCallback(): void })._tickCallback.bind(process)

/** Virtual time: a heap of events. After each event all of its microtasks run before the next event. */
export class Clock {
  now = BEGINNING
  /** How many events have run. */
  events = 0
  onEvent: ((event: ClockEvent) => void) | null = null
  readonly #owners = new AsyncLocalStorage<Owner | null>()
  readonly #heap = new EventHeap()
  readonly #frozen: ClockEvent[] = []
  #sequence = 0
  #lastOwner = 0

  /** Whose code runs now. null: the platform's. */
  get owner(): Owner | null {
    return this.#owners.getStore() ?? null
  }

  /** The time that this owner's clock shows. */
  get ownNow(): number {
    return this.now + (this.owner?.skewMs ?? 0)
  }

  newOwner(kind: Owner['kind'], name: string, skewMs = 0): Owner {
    return { kind, name, number: ++this.#lastOwner, isDead: false, isFrozen: false, skewMs, onDeath: new Set() }
  }

  as<T>(owner: Owner | null, act: () => T): T {
    return this.#owners.run(owner, act)
  }

  schedule(delayMs: number, owner: Owner | null, label: string, act: () => void): ClockEvent {
    // Clocks show whole milliseconds.
    const at = this.now + Math.max(0, Math.ceil(delayMs))
    const event: ClockEvent = { at, sequence: ++this.#sequence, owner, label, act }
    this.#heap.push(event)
    return event
  }

  cancel(event: ClockEvent): void {
    event.act = null
  }

  kill(owner: Owner): void {
    if (owner.isDead) return
    owner.isDead = true
    for (const act of owner.onDeath) this.as(null, act)
    owner.onDeath.clear()
  }

  freeze(owner: Owner): void {
    owner.isFrozen = true
  }

  /** Events that came while it was frozen run now. */
  thaw(owner: Owner): void {
    owner.isFrozen = false
    const waiting = this.#frozen.splice(0)
    for (const event of waiting) {
      if (event.owner !== owner) this.#frozen.push(event)
      else if (event.act) this.schedule(0, owner, event.label, event.act)
    }
  }

  /** Resolves when no event is left, or the condition says so. The events themselves run without Node's loop in between. */
  run(options: RunOptions = {}): Promise<void> {
    const until = options.until ?? Number.POSITIVE_INFINITY
    const goesOn = options.while ?? (() => true)
    return new Promise((resolve, reject) => {
      const turn = () => {
        try {
          if (this.#runTurn(until, goesOn)) resolve()
          else realImmediate(turn)
        } catch (cause) {
          reject(cause)
        }
      }
      realImmediate(turn)
    })
  }

  /** Runs events until the promise is settled. Throws when no events are left and it is not. */
  async settle<T>(promise: Promise<T>, options: Pick<RunOptions, 'until'> = {}): Promise<T> {
    let isSettled = false
    const settled = () => {
      isSettled = true
    }
    promise.then(settled, settled)
    await this.run({ ...options, while: () => !isSettled })
    if (!isSettled) throw new Error(`nothing settled the promise until ${new Date(this.now).toISOString()}`)
    return promise
  }

  /** True when the run has ended. */
  #runTurn(until: number, goesOn: () => boolean): boolean {
    drain()
    for (let events = 0; events < TURN_EVENTS; ) {
      if (!goesOn()) return true
      const next = this.#heap.peek()
      if (!next || next.at > until) {
        if (Number.isFinite(until) && until > this.now) this.now = until
        return true
      }
      this.#heap.pop()
      if (this.#runEvent(next)) events += 1
    }
    return false
  }

  #runEvent(event: ClockEvent): boolean {
    const { act, owner } = event
    if (!act || owner?.isDead) return false
    this.now = Math.max(this.now, event.at)
    if (owner?.isFrozen) {
      this.#frozen.push(event)
      return false
    }
    event.act = null
    this.events += 1
    this.onEvent?.(event)
    this.#owners.run(owner, act)
    drain()
    return true
  }
}

/** The global is a virtual one while a history runs. */
const realImmediate = setImmediate

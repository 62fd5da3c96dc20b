import { BEGINNING, type Clock, type ClockEvent } from './clock.ts'
import { LightRequest, LightResponse } from './platform/light-http.ts'
import { SocketEnd } from './platform/sockets.ts'
import type { Random } from './random.ts'
import { sleep } from './sleep.ts'
import { createCrypto } from './web-crypto.ts'
import { BytesBlob, FixedLengthStream, readAtLeast } from './workerd-streams.ts'

const RealDate = Date

/** Replaces what a program reads of time and chance. `uninstall` puts everything back. */
export const installGlobals = (
  clock: Clock,
  random: Random,
  fetch: typeof globalThis.fetch,
  onLog: OnLog = () => {},
): { uninstall(): void } => {
  const timers = createTimers(clock)
  const restores = [
    replace(globalThis, 'Date', createDate(clock)),
    replace(globalThis, 'fetch', fetch),
    replace(globalThis, 'Request', LightRequest),
    replace(globalThis, 'Response', LightResponse),
    replace(globalThis, 'WebSocketPair', webSocketPairOf(clock)),
    replace(globalThis, 'setTimeout', timers.setTimeout),
    replace(globalThis, 'setInterval', timers.setInterval),
    replace(globalThis, 'setImmediate', (act: Act, ...args: unknown[]) => timers.setTimeout(act, 0, ...args)),
    replace(globalThis, 'clearTimeout', timers.clear),
    replace(globalThis, 'clearInterval', timers.clear),
    replace(globalThis, 'clearImmediate', timers.clear),
    replace(globalThis, 'scheduler', { wait: timers.wait }),
    replace(globalThis, 'crypto', createCrypto(random.fork('crypto'))),
    replace(globalThis, 'Blob', BytesBlob),
    replace(globalThis, 'console', createConsole(onLog)),
    replace(globalThis, 'FixedLengthStream', FixedLengthStream),
    replace(ReadableStreamBYOBReader.prototype, 'readAtLeast', readAtLeast),
    replace(Math, 'random', random.fork('math').next),
    replace(performance, 'now', () => clock.now - BEGINNING),
    replace(AbortSignal, 'timeout', timers.timeoutSignal),
  ]
  return {
    uninstall: () => {
      for (const restore of restores) restore()
    },
  }
}

const webSocketPairOf = (clock: Clock) =>
  function WebSocketPair() {
    return SocketEnd.pair(clock)
  }

/** What the product logs. */
export type OnLog = (level: LogLevel, given: unknown[]) => void
export type LogLevel = (typeof levels)[number]
const levels = ['debug', 'log', 'info', 'warn', 'error'] as const

const createConsole = (onLog: OnLog): Console => {
  const methods = levels.map((level) => [level, (...given: unknown[]) => onLog(level, given)])
  return { ...console, ...Object.fromEntries(methods) }
}

const replace = (target: object, name: string, value: unknown): (() => void) => {
  const before = Object.getOwnPropertyDescriptor(target, name)
  Object.defineProperty(target, name, {
    value,
    configurable: true,
    writable: true,
    enumerable: before?.enumerable ?? true,
  })
  return () => {
    if (before) Object.defineProperty(target, name, before)
    else Reflect.deleteProperty(target, name)
  }
}

/** Not a subclass, so that a real Date, for example of structuredClone, is an instance of it too. */
const createDate = (clock: Clock): DateConstructor => {
  function VirtualDate(...given: []): Date | string {
    if (!new.target) return new RealDate(clock.ownNow).toString()
    return given.length === 0 ? new RealDate(clock.ownNow) : new RealDate(...given)
  }
  VirtualDate.prototype = RealDate.prototype
  return Object.assign(VirtualDate as unknown as DateConstructor, {
    now: () => clock.ownNow,
    parse: RealDate.parse,
    UTC: RealDate.UTC,
  })
}

type Act = (...args: unknown[]) => void

/** What Node's setTimeout returns, as far as programs use it. */
class Timer {
  event: ClockEvent | null = null

  ref(): this {
    return this
  }

  unref(): this {
    return this
  }

  hasRef(): boolean {
    return true
  }
}

const createTimers = (clock: Clock) => {
  const setVirtualTimeout = (act: Act, ms = 0, ...args: unknown[]): Timer => {
    const timer = new Timer()
    timer.event = clock.schedule(Number(ms) || 0, clock.owner, 'timer', () => act(...args))
    return timer
  }
  const setVirtualInterval = (act: Act, ms = 0, ...args: unknown[]): Timer => {
    const timer = new Timer()
    const { owner } = clock
    const next = () => {
      timer.event = clock.schedule(Math.max(1, Number(ms) || 0), owner, 'interval', () => {
        next()
        act(...args)
      })
    }
    next()
    return timer
  }
  const clear = (timer: Timer | null | undefined): void => {
    if (timer?.event) clock.cancel(timer.event)
  }
  const wait = (ms: number, { signal }: { signal?: AbortSignal } = {}): Promise<void> => sleep(ms, signal)
  const timeout = new DOMException('The operation was aborted due to timeout', 'TimeoutError')
  const timeoutSignal = (ms: number): AbortSignal => {
    const controller = new AbortController()
    setVirtualTimeout(() => controller.abort(timeout), ms)
    return controller.signal
  }
  return { setTimeout: setVirtualTimeout, setInterval: setVirtualInterval, clear, wait, timeoutSignal }
}

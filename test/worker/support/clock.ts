import { runDurableObjectAlarm } from 'cloudflare:test'
import { expect, onTestFinished, vi } from 'vitest'
import { realTime } from '../../../worker/fleet/engine-watch.ts'
import type { AccountObject } from '../../../worker/index.ts'

/**
 * The runtime's clock is real and the machine may be busy, so no test asserts how long something takes. A time that
 * the code computed from its own `now` is compared with the time before and after the call.
 */
export interface Span {
  from: number
  until: number
}

export const timed = async <T>(act: () => Promise<T>): Promise<{ value: T; span: Span }> => {
  const from = Date.now()
  const value = await act()
  return { value, span: { from, until: Date.now() } }
}

/** `time` minus `plusMs` is within the span. */
export const expectWithin = (time: number, { from, until }: Span, plusMs = 0): void => {
  expect(time).toBeGreaterThanOrEqual(from + plusMs)
  expect(time).toBeLessThanOrEqual(until + plusMs)
}

/** The same for whole seconds, rounded up. */
export const expectWithinSeconds = (seconds: number, { from, until }: Span, plusSeconds = 0): void => {
  expect(seconds).toBeGreaterThanOrEqual(Math.floor(from / 1000) + plusSeconds)
  expect(seconds).toBeLessThanOrEqual(Math.ceil(until / 1000) + plusSeconds)
}

/** For effects that follow a response. */
export const eventually = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 100_000 })

const realNow = Date.now
let skippedMs = 0

/** Waits of the product that are not over. They end when the clock is moved past their ends. */
const waits = new Set<{ until: number; isOver: AbortController }>()

/** Moves the clock of the runtime forward, until the end of the test. Less than 0: sets it back. */
export const skip = (ms: number): void => {
  skippedMs += ms
  for (const { until, isOver } of waits) if (until <= realNow() + skippedMs) isOver.abort()
  // Not a spy: it would keep each of thousands of readings.
  if (Date.now !== realNow) return
  Date.now = () => realNow() + skippedMs
  onTestFinished(() => {
    Date.now = realNow
    skippedMs = 0
  })
}

/** Ids of one millisecond have no order. Those that are made from now on come after those that were made before. */
export const nextMillisecond = (): void => skip(1)

type AccountStub = DurableObjectStub<AccountObject>

/** Runs the account's alarm, or what the cron does for an account whose next time is far away and has no alarm. */
export const runAlarm = async (account: AccountStub): Promise<void> => {
  if (!(await runDurableObjectAlarm(account))) await account.wake()
}

/** Time passes, and the account does what is due then. Its own alarm is set for the clock of the machine. */
export const passTime = async (account: AccountStub, ms: number): Promise<void> => {
  skip(ms)
  await runAlarm(account)
}

const schedulers: typeof scheduler & { nativeWait?: typeof scheduler.wait } = scheduler
// Files share a runtime, and each of them runs the setup.
schedulers.nativeWait ??= scheduler.wait.bind(scheduler)
const nativeWait = schedulers.nativeWait

export const followSkips = (): void => {
  scheduler.wait = async (ms, { signal } = {}) => {
    const wait = { until: Date.now() + ms, isOver: new AbortController() }
    waits.add(wait)
    try {
      await nativeWait(ms, { signal: signal ? AbortSignal.any([signal, wait.isOver.signal]) : wait.isOver.signal })
    } catch (cause) {
      if (!wait.isOver.signal.aborted) throw cause
    } finally {
      waits.delete(wait)
    }
  }
  // Not while a fleet waits for its engines. Files share the fleets, and an engine whose answer comes too late is gone.
  realTime.wait = (ms, signal) => nativeWait(ms, signal && { signal })
}

const signals: typeof AbortSignal & { nativeTimeout?: (ms: number) => AbortSignal } = AbortSignal
signals.nativeTimeout ??= AbortSignal.timeout.bind(AbortSignal)
const timeout = signals.nativeTimeout

/** Timeouts of the product are seconds, which a busy machine may need for anything. A test about one shortens it. */
export const lengthenTimeouts = (): void => {
  AbortSignal.timeout = (ms) => timeout(Math.max(ms, 120_000))
}

/** Until the end of the test every AbortSignal.timeout has this length. Returns the requested lengths. */
export const shortenTimeouts = (ms: number): number[] => {
  const requested: number[] = []
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((requestedMs) => {
    requested.push(requestedMs)
    return timeout(ms)
  })
  onTestFinished(() => spy.mockRestore())
  return requested
}

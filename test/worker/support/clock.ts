import { expect, onTestFinished, vi } from 'vitest'

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
export const eventually = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 15_000 })

/** Moves the clock of the runtime forward, until the end of the test. */
export const movableClock = (): { skip(ms: number): void } => {
  const now = Date.now
  let skippedMs = 0
  const spy = vi.spyOn(Date, 'now').mockImplementation(() => now() + skippedMs)
  onTestFinished(() => spy.mockRestore())
  return {
    skip: (ms) => {
      skippedMs += ms
    },
  }
}

const timeout = AbortSignal.timeout.bind(AbortSignal)

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

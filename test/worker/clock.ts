import { expect, onTestFinished, vi } from 'vitest'

/**
 * The runtime's clock is real, and the machine may be busy: no test says how long a thing may take. What the
 * code reckoned from its own `now` is compared with the time before and after; what comes by itself is waited for.
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

/** `time` was taken from the clock within the span, and `plusMs` added to it. */
export const expectWithin = (time: number, { from, until }: Span, plusMs = 0): void => {
  expect(time).toBeGreaterThanOrEqual(from + plusMs)
  expect(time).toBeLessThanOrEqual(until + plusMs)
}

/** The same for whole seconds, which are rounded up. */
export const expectWithinSeconds = (seconds: number, { from, until }: Span, plusSeconds = 0): void => {
  expect(seconds).toBeGreaterThanOrEqual(Math.floor(from / 1000) + plusSeconds)
  expect(seconds).toBeLessThanOrEqual(Math.ceil(until / 1000) + plusSeconds)
}

/** For what follows an answer: long enough for any machine, and over at once where it has happened. */
export const eventually = <T>(check: () => Promise<T>): Promise<T> => vi.waitFor(check, { timeout: 120_000 })

const timeout = AbortSignal.timeout.bind(AbortSignal)

/** Until the end of the test, whatever is given up after a time is given up after this one. Answers what was asked for. */
export const giveUpAfter = (ms: number): number[] => {
  const asked: number[] = []
  const spy = vi.spyOn(AbortSignal, 'timeout').mockImplementation((wanted) => {
    asked.push(wanted)
    return timeout(ms)
  })
  onTestFinished(() => spy.mockRestore())
  return asked
}

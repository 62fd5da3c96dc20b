import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createLeastSpeed, type LeastSpeed, SourceTooSlow } from '../../../container/egress/least-speed.ts'
import { egress, origin } from './open-egress.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** Reads this many bytes at a time, one read after the other, until the request is aborted or the time is over. */
const readSlowly = async (speed: LeastSpeed, bytes: number, everyMs: number, forMs: number) => {
  const signal = speed.signal()
  for (let ms = 0; ms < forMs && !signal.aborted; ms += everyMs) {
    const read = speed.during(new Promise<void>((resolve) => setTimeout(resolve, everyMs)))
    await vi.advanceTimersByTimeAsync(everyMs)
    await read
    speed.received(bytes)
  }
  return signal
}

const reasonOf = (signal: AbortSignal) => (signal.reason as SourceTooSlow | undefined)?.isFinal

test('a byte every nine seconds is retried after a minute, and final after the second minute', async () => {
  const speed = createLeastSpeed()
  const start = performance.now()
  expect(reasonOf(await readSlowly(speed, 1, 9_000, 600_000))).toBe(false)
  expect(reasonOf(await readSlowly(speed, 1, 9_000, 600_000))).toBe(true)
  expect(performance.now() - start).toBeLessThanOrEqual(130_000)
})

test('thirty seconds without a byte are retried, and final the second time', async () => {
  const speed = createLeastSpeed()
  const start = performance.now()
  for (const isFinal of [false, true]) {
    const signal = speed.signal()
    void speed.during(new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())))
    await vi.advanceTimersByTimeAsync(31_000)
    expect(reasonOf(signal)).toBe(isFinal)
  }
  expect(performance.now() - start).toBe(62_000)
})

test('ten kilobytes per second are enough for any time', async () => {
  const speed = createLeastSpeed()
  const signal = await readSlowly(speed, 100_000, 10_000, 3_600_000)
  expect(signal.aborted).toBe(false)
})

test('a good minute allows another retry', async () => {
  const speed = createLeastSpeed()
  expect(reasonOf(await readSlowly(speed, 1, 5_000, 70_000))).toBe(false)
  await readSlowly(speed, 500_000, 5_000, 70_000)
  expect(reasonOf(await readSlowly(speed, 1, 5_000, 130_000))).toBe(false)
})

test('only time that is spent waiting for a source counts', async () => {
  const speed = createLeastSpeed()
  const signal = await readSlowly(speed, 1, 1_000, 20_000)
  await vi.advanceTimersByTimeAsync(3_600_000)
  await readSlowly(speed, 1, 1_000, 20_000)
  expect(signal.aborted).toBe(false)
})

test('many small files over a slow connection are progress', async () => {
  const speed = createLeastSpeed()
  const signal = speed.signal()
  for (let file = 0; file < 300; file++) {
    const read = speed.during(new Promise<void>((resolve) => setTimeout(resolve, 500)))
    await vi.advanceTimersByTimeAsync(500)
    await read
    speed.received(100)
    speed.completed()
  }
  expect(signal.aborted).toBe(false)
})

test('several requests at a time are measured together', async () => {
  const speed = createLeastSpeed()
  const signal = speed.signal()
  const idle = speed.during(new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve())))
  await readSlowly(speed, 100_000, 5_000, 180_000)
  expect(signal.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(60_000)
  await idle
  expect(reasonOf(signal)).toBe(false)
})

test('a body that comes too slowly fails twice: once to be retried, then finally', async () => {
  vi.useRealTimers()
  const port = await origin((_, outgoing) => {
    const timer = setInterval(() => outgoing.write('x'), 20)
    outgoing.once('close', () => clearInterval(timer))
  })
  const out = await egress([`media.example:${port}`], { leastSpeed: { windowMs: 200, idleMs: 150 } })
  for (const isFinal of [false, true]) {
    const body = out.fetch(`http://media.example:${port}/`).then((response) => response.text())
    const error = await body.catch((cause) => cause)
    expect(error).toBeInstanceOf(SourceTooSlow)
    expect(error).toMatchObject({ code: 'SOURCE_UNREACHABLE', isFinal })
  }
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../domain/time.ts'
import {
  earlyMs,
  intervalMs,
  nextPollAt,
  type Polled,
  retryItemAt,
  retryPollAt,
} from '../../../../domain/watches/schedule.ts'

const now = Date.UTC(2026, 10, 22)

const polled = (facts: Partial<Polled> = {}): Polled => ({
  ...{
    id: 'wat_01kbn8ja2b3c4d5e6f7g8h9jkm',
    everyMinutes: 60,
    source: 'feed',
    lastPollAt: now,
    isAsked: false,
    retryAt: null,
  },
  ...facts,
})

test.each<[number, Polled['source'], number]>([
  [15, 'feed', 15],
  [15, null, 15],
  [15, 'page', 60],
  [60, 'page', 60],
  [10_080, 'page', 10_080],
])('every %i minutes, a %s is read every %i', (everyMinutes, source, minutes) => {
  expect(intervalMs({ everyMinutes, source })).toBe(minutes * MINUTE_MS)
})

test.each([
  [15, 3.75],
  [60, 15],
  [240, 15],
])('every %i minutes, a poll comes at most %d minutes early', (everyMinutes, minutes) => {
  expect(earlyMs({ everyMinutes, source: 'feed' })).toBe(minutes * MINUTE_MS)
})

test('a watch that was never polled, or whose caller asks for it, is due', () => {
  expect(nextPollAt(polled({ lastPollAt: null }), now)).toBe(0)
  expect(nextPollAt(polled({ isAsked: true, retryAt: now + HOUR_MS }), now)).toBe(0)
})

test('after a failure it is due when it is to be tried again', () => {
  expect(nextPollAt(polled({ retryAt: now + 5 }), now)).toBe(now + 5)
})

const ids = fc
  .string({ unit: fc.constantFrom(...'0123456789abcdefghjkmnpqrstvwxyz'), minLength: 26, maxLength: 26 })
  .map((body) => `wat_${body}`)
const anyPolled = fc.record({
  ...{
    id: ids,
    everyMinutes: fc.integer({ min: 15, max: 10_080 }),
    source: fc.constantFrom('feed' as const, 'page' as const, null),
  },
  lastPollAt: fc.integer({ min: now - 30 * DAY_MS, max: now }),
})

test('a poll comes within the interval, and not at once after the last one', () => {
  fc.assert(
    fc.property(anyPolled, (facts) => {
      const at = nextPollAt(polled(facts), now)
      const [interval, early] = [intervalMs(facts), earlyMs(facts)]
      expect(at).toBeGreaterThan(facts.lastPollAt + early)
      expect(at).toBeLessThanOrEqual(facts.lastPollAt + early + interval)
    }),
  )
})

test('one that is polled whenever it is due, or a little early, keeps its minute', () => {
  fc.assert(
    fc.property(anyPolled, fc.double({ min: 0, max: 0.99, noNaN: true }), (facts, share) => {
      const first = nextPollAt(polled(facts), now)
      const early = Math.floor(first - share * earlyMs(facts))
      expect(nextPollAt(polled({ ...facts, lastPollAt: early }), early)).toBe(first + intervalMs(facts))
      expect(nextPollAt(polled({ ...facts, lastPollAt: first }), first)).toBe(first + intervalMs(facts))
    }),
  )
})

test('a clock that was set back does not delay a poll', () => {
  const at = nextPollAt(polled({ lastPollAt: now + 30 * DAY_MS }), now)
  expect(at).toBeLessThanOrEqual(now + earlyMs(polled()) + HOUR_MS)
})

test('a hundred watches are spread over their interval', () => {
  const numbers = Array.from({ length: 100 }, (_, index) => index)
  const minutes = numbers.map((number) => {
    const id = `wat_01kbn8ja2b3c4d5e6f${(number * 7_919 + 1_000_003).toString(32).padStart(8, '0')}`
    return Math.floor(nextPollAt(polled({ id }), now) / MINUTE_MS)
  })
  const perMinute = [...Map.groupBy(minutes, (minute) => minute).values()].map(({ length }) => length)
  expect(Math.max(...perMinute)).toBeLessThanOrEqual(10)
  expect(perMinute.length).toBeGreaterThan(35)
})

test.each([
  [1, 60, null, 120],
  [2, 60, null, 240],
  [3, 60, null, 480],
  [4, 60, null, 960],
  [5, 60, null, 1_440],
  [30, 60, null, 1_440],
  [2_000, 15, null, 1_440],
  [1, 15, null, 30],
  [1, 10_080, null, 10_080],
  [1, 60, 100, 120],
  [1, 60, 300, 300],
  [1, 60, 100_000, 1_440],
  [1, 10_080, 100_000, 10_080],
])(
  'after %i failures of a poll every %i minutes, with a Retry-After of %s minutes, the next one is in %i',
  (failures, everyMinutes, retryAfter, minutes) => {
    const facts = { everyMinutes, source: 'feed' as const }
    const after = retryAfter === null ? null : retryAfter * MINUTE_MS
    expect(retryPollAt(facts, failures, after, now) - now).toBe(minutes * MINUTE_MS)
  },
)

test.each([
  [1, 15 * MINUTE_MS],
  [2, HOUR_MS],
  [3, 4 * HOUR_MS],
  [4, 12 * HOUR_MS],
  [5, DAY_MS],
  [6, null],
  [7, null],
])('after %i attempts an item is tried again in %s ms', (attempts, delay) => {
  expect(retryItemAt(attempts, null, now)).toBe(delay === null ? null : now + delay)
})

test.each([
  [1, 0, 15 * MINUTE_MS],
  [5, 0, DAY_MS],
  [6, 2 * DAY_MS, DAY_MS],
  [9, 6 * DAY_MS - 1, DAY_MS],
  [10, 6 * DAY_MS, null],
  [2, 7 * DAY_MS - HOUR_MS, null],
])('after %i attempts an item that was live first %i ms ago is tried again in %s ms', (attempts, ago, delay) => {
  expect(retryItemAt(attempts, now - ago, now)).toBe(delay === null ? null : now + delay)
})

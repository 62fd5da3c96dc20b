import fc from 'fast-check'
import { expect, test } from 'vitest'
import { delaysMs, judge, LONGEST_RETRY_AFTER_MS, retryAfterMs } from '../../../worker/domain/webhooks/schedule.ts'

const answered = (status: number | null, wait: number | null = null) => ({ status, retryAfterMs: wait })
const middle = 0.5

test.each([
  [1, 5],
  [2, 5 * 60],
  [3, 30 * 60],
  [4, 2 * 3_600],
  [5, 5 * 3_600],
  [6, 10 * 3_600],
  [7, 14 * 3_600],
  [8, 20 * 3_600],
  [9, 24 * 3_600],
])('after %i attempts that failed the next one is %i seconds away', (attempts, seconds) => {
  expect(judge(answered(500), attempts, middle)).toEqual({ state: 'pending', delayMs: seconds * 1000 })
})

test('after ten attempts the delivery is given up', () => {
  expect(judge(answered(500), 10, middle)).toEqual({ state: 'failed' })
  expect(judge(answered(null), 10, middle)).toEqual({ state: 'failed' })
})

test.each([200, 201, 202, 204, 299])('a %i delivers', (status) => {
  expect(judge(answered(status), 1, middle)).toEqual({ state: 'delivered' })
})

test.each([199, 300, 301, 302, 307, 308, 400, 401, 404, 408, 429, 500, 502, 503, 504, null])(
  'a %s is tried again',
  (status) => expect(judge(answered(status), 1, middle).state).toBe('pending'),
)

test('a 410 ends the delivery at once, whatever Retry-After says', () => {
  expect(judge(answered(410, 5_000), 1, middle)).toEqual({ state: 'failed' })
})

test('Retry-After puts an attempt off, never forward, and for a day at most', () => {
  expect(judge(answered(429, 60_000), 1, middle)).toEqual({ state: 'pending', delayMs: 60_000 })
  expect(judge(answered(429, 1_000), 1, middle)).toEqual({ state: 'pending', delayMs: 5_000 })
  expect(judge(answered(503, 1e12), 1, middle)).toEqual({ state: 'pending', delayMs: LONGEST_RETRY_AFTER_MS })
})

test('jitter stays within a fifth, and uses all of it', () => {
  const attempts = fc.integer({ min: 1, max: delaysMs.length - 1 })
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(attempts, random, (made, chance) => {
      const verdict = judge(answered(500), made, chance)
      const delay = delaysMs[made] ?? 0
      expect(verdict.state).toBe('pending')
      if (verdict.state !== 'pending') return
      expect(verdict.delayMs).toBeGreaterThanOrEqual(delay * 0.8)
      expect(verdict.delayMs).toBeLessThanOrEqual(delay * 1.2)
    }),
  )
  expect(judge(answered(500), 1, 0)).toMatchObject({ delayMs: 4_000 })
  expect(judge(answered(500), 1, 0.999999)).toMatchObject({ delayMs: 6_000 })
})

const now = Date.UTC(2026, 10, 21, 12, 0, 0)

test.each([
  ['120', 120_000],
  [' 0 ', 0],
  ['Sat, 21 Nov 2026 12:02:00 GMT', 120_000],
  ['Saturday, 21-Nov-26 12:02:00 GMT', 120_000],
  ['Sat, 21 Nov 2026 11:00:00 GMT', 0],
  ['', null],
  ['soon', null],
  ['-5', null],
  ['1.5', null],
  ['2026-11-21T12:02:00Z', null],
  [null, null],
])('Retry-After: %s means %s milliseconds', (header, wait) => expect(retryAfterMs(header, now)).toBe(wait))

test('whatever Retry-After holds, it is a wait that can be kept or nothing', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const wait = retryAfterMs(header, now)
      expect(wait === null || (Number.isFinite(wait) && wait >= 0)).toBe(true)
    }),
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { backoffMs, retryAfterMs } from '../../domain/retry.ts'

test.each([
  [1, 500],
  [2, 1_000],
  [3, 2_000],
  [10, 30_000],
  [1_000, 30_000],
])('after %i attempts the backoff is %i ms', (attempt, waitMs) => {
  expect(backoffMs(attempt, { firstMs: 500, longestMs: 30_000 })).toBe(waitMs)
})

const now = Date.parse('2026-11-21T09:00:00Z')

test.each([
  ['120', 120_000],
  [' 3 ', 3_000],
  ['Sat, 21 Nov 2026 09:01:00 GMT', 60_000],
  ['Sat, 21 Nov 2026 08:00:00 GMT', 0],
  ['Saturday, 21-Nov-26 09:01:00 GMT', 60_000],
  ['2026-11-21T09:01:00Z', null],
  ['1.5', null],
  ['soon', null],
  ['-5', null],
  ['', null],
  [null, null],
])('Retry-After %j is %j ms', (header, waitMs) => {
  expect(retryAfterMs(header, now)).toBe(waitMs)
})

test('any other Retry-After is ignored or a finite delay', () => {
  fc.assert(
    fc.property(fc.string(), (header) => {
      const waitMs = retryAfterMs(header, now)
      expect(waitMs === null || (Number.isFinite(waitMs) && waitMs >= 0)).toBe(true)
    }),
  )
})

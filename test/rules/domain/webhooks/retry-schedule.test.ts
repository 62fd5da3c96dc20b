import fc from 'fast-check'
import { expect, test } from 'vitest'
import { delaysMs, LONGEST_RETRY_AFTER_MS, stateAfterAttempt } from '../../../../domain/webhooks/retry-schedule.ts'

const response = (status: number | null, wait: number | null = null) => ({ status, retryAfterMs: wait })
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
])('after %i failed attempts the next one is in %i seconds', (attempts, seconds) => {
  expect(stateAfterAttempt(response(500), attempts, middle)).toEqual({ state: 'pending', delayMs: seconds * 1000 })
})

test('after ten failed attempts the delivery has failed', () => {
  expect(stateAfterAttempt(response(500), 10, middle)).toEqual({ state: 'failed' })
  expect(stateAfterAttempt(response(null), 10, middle)).toEqual({ state: 'failed' })
})

test.each([200, 201, 202, 204, 299])('a %i is a successful delivery', (status) => {
  expect(stateAfterAttempt(response(status), 1, middle)).toEqual({ state: 'delivered' })
})

test.each([199, 300, 301, 302, 307, 308, 400, 401, 404, 408, 429, 500, 502, 503, 504, null])(
  'a %s is retried',
  (status) => expect(stateAfterAttempt(response(status), 1, middle).state).toBe('pending'),
)

test('a 410 fails the delivery at once, even with a Retry-After', () => {
  expect(stateAfterAttempt(response(410, 5_000), 1, middle)).toEqual({ state: 'failed' })
})

test('Retry-After delays an attempt by up to a day, and never makes it earlier', () => {
  expect(stateAfterAttempt(response(429, 60_000), 1, middle)).toEqual({ state: 'pending', delayMs: 60_000 })
  expect(stateAfterAttempt(response(429, 1_000), 1, middle)).toEqual({ state: 'pending', delayMs: 5_000 })
  expect(stateAfterAttempt(response(503, 1e12), 1, middle)).toEqual({
    state: 'pending',
    delayMs: LONGEST_RETRY_AFTER_MS,
  })
})

test('jitter is up to 20% in both directions', () => {
  const attempts = fc.integer({ min: 1, max: delaysMs.length - 1 })
  const random = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
  fc.assert(
    fc.property(attempts, random, (attemptCount, random) => {
      const progress = stateAfterAttempt(response(500), attemptCount, random)
      const delay = delaysMs[attemptCount] ?? 0
      expect(progress.state).toBe('pending')
      if (progress.state !== 'pending') return
      expect(progress.delayMs).toBeGreaterThanOrEqual(delay * 0.8)
      expect(progress.delayMs).toBeLessThanOrEqual(delay * 1.2)
    }),
  )
  expect(stateAfterAttempt(response(500), 1, 0)).toMatchObject({ delayMs: 4_000 })
  expect(stateAfterAttempt(response(500), 1, 0.999999)).toMatchObject({ delayMs: 6_000 })
})

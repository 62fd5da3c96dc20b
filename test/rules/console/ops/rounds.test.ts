import { expect, test } from 'vitest'
import { delayMs } from '../../../../console/ops/rounds.js'

test.each([
  [0, undefined, 15_000],
  [1, undefined, 30_000],
  [3, undefined, 120_000],
  [20, undefined, 120_000],
  [1, 10, 30_000],
  [1, 90, 90_000],
])('after %d failed rounds and Retry-After: %s the next round is %d ms later', (failedRounds, retryAfter, ms) =>
  expect(delayMs(failedRounds, retryAfter)).toBe(ms),
)

import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  builtinCost,
  CAPTIONS_COST,
  downloadCost,
  providerCost,
  UNKNOWN_SIZE_BYTES,
} from '../../../domain/money/prices.ts'

test.each([
  [0, 0],
  [1, 1],
  [100, 1],
  [101, 2],
  [999_999, 10_000],
  [1_000_000, 10_000],
  [1_000_001, 10_001],
  [15_342_100, 153_421],
  [10_000_000_000, 100_000_000],
])('%i bytes cost %i micro-dollars', (bytes, cost) => expect(downloadCost(bytes)).toBe(cost))

test.each([
  [0, 30_000],
  [1, 30_000],
  [90, 30_000],
  [90.001, 30_001],
  [91, 30_334],
  [120, 40_000],
  [3_600, 1_200_000],
  [3_600.1 + 0.2, 1_200_100],
])('%d seconds by the built-in provider cost %i micro-dollars', (seconds, cost) =>
  expect(builtinCost(seconds)).toBe(cost),
)

test.each([
  [0, 30_000],
  [180, 30_000],
  [180.001, 30_001],
  [240, 40_000],
  [3_600, 600_000],
])('%d seconds by a third-party provider cost %i micro-dollars', (seconds, cost) =>
  expect(providerCost(seconds)).toBe(cost),
)

test('existing captions cost a cent, and so does a download of unknown size', () => {
  expect(CAPTIONS_COST).toBe(10_000)
  expect(downloadCost(UNKNOWN_SIZE_BYTES)).toBe(10_000)
})

test('more bytes never cost less, and rounding adds less than a micro-dollar', () => {
  fc.assert(
    fc.property(fc.nat({ max: 10_000_000_000 }), fc.nat({ max: 1_000 }), (bytes, more) => {
      expect(downloadCost(bytes + more)).toBeGreaterThanOrEqual(downloadCost(bytes))
      expect(downloadCost(bytes) - bytes / 100).toBeGreaterThanOrEqual(0)
      expect(downloadCost(bytes) - bytes / 100).toBeLessThan(1)
    }),
  )
})

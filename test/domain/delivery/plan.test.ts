import fc from 'fast-check'
import { expect, test } from 'vitest'
import { waitMs } from '../../../worker/delivery/s3/patience.ts'
import { lanesFor, MAX_DELIVERY_BYTES, partRanges, partSizeFor } from '../../../worker/delivery/s3/plan.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

test.each([
  [1, 8 * MIB, 4],
  [8 * MIB, 8 * MIB, 4],
  [1 * GIB, 8 * MIB, 4],
  [8 * GIB, 9 * MIB, 3],
  [20 * GIB, 21 * MIB, 1],
  [50 * GIB, 32 * MIB, 1],
  [MAX_DELIVERY_BYTES, 32 * MIB, 1],
])('%i bytes go in parts of %i over %i lanes', (sizeBytes, partSizeBytes, lanes) => {
  expect(partSizeFor(sizeBytes)).toBe(partSizeBytes)
  expect(lanesFor(partSizeBytes)).toBe(lanes)
})

test('for any size: equal parts but the last, all bytes once, at most 10,000 of them, flat memory', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_DELIVERY_BYTES }), (sizeBytes) => {
      const partSizeBytes = partSizeFor(sizeBytes)
      const ranges = partRanges(sizeBytes, partSizeBytes)
      expect(ranges.length).toBeLessThanOrEqual(10_000)
      expect(ranges.slice(0, -1).every(({ lengthBytes }) => lengthBytes === partSizeBytes)).toBe(true)
      expect(ranges.every(({ number, offset }) => offset === (number - 1) * partSizeBytes)).toBe(true)
      expect(ranges.reduce((sum, { lengthBytes }) => sum + lengthBytes, 0)).toBe(sizeBytes)
      expect(lanesFor(partSizeBytes) * partSizeBytes).toBeLessThanOrEqual(32 * MIB)
    }),
    { numRuns: 200 },
  )
})

test.each([
  [1, 0.5, undefined, 500],
  [2, 0.5, undefined, 1000],
  [5, 0.5, undefined, 8000],
  [1, 0, undefined, 250],
  [1, 1, undefined, 750],
  [1, 0.5, 7000, 7000],
  [1, 0.5, 86_400_000, 30_000],
])('after attempt %i with chance %d and a wish of %s ms, the wait is %i ms', (attempt, chance, asked, wait) => {
  expect(waitMs(attempt, chance, asked)).toBe(wait)
})

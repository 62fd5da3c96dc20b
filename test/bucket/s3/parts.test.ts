import fc from 'fast-check'
import { expect, test } from 'vitest'
import { retryDelayMs } from '../../../worker/bucket/s3/copy-state.ts'
import { MAX_COPY_BYTES, parallelUploadsFor, partRanges, partSizeFor } from '../../../worker/bucket/s3/parts.ts'
import { runs } from '../../support/runs.ts'

const MIB = 1024 * 1024
const GIB = 1024 * MIB

test.each([
  [1, 8 * MIB, 4],
  [8 * MIB, 8 * MIB, 4],
  [1 * GIB, 8 * MIB, 4],
  [8 * GIB, 9 * MIB, 3],
  [20 * GIB, 21 * MIB, 1],
  [50 * GIB, 32 * MIB, 1],
  [MAX_COPY_BYTES, 32 * MIB, 1],
])('%i bytes are split into parts of %i bytes, with %i parallel uploads', (sizeBytes, partSizeBytes, uploads) => {
  expect(partSizeFor(sizeBytes)).toBe(partSizeBytes)
  expect(parallelUploadsFor(partSizeBytes)).toBe(uploads)
})

test('for any size: all parts but the last are equal, they cover all bytes, there are at most 10,000, and memory is bounded', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_COPY_BYTES }), (sizeBytes) => {
      const partSizeBytes = partSizeFor(sizeBytes)
      const ranges = partRanges(sizeBytes, partSizeBytes)
      expect(ranges.length).toBeLessThanOrEqual(10_000)
      expect(ranges.slice(0, -1).every(({ lengthBytes }) => lengthBytes === partSizeBytes)).toBe(true)
      expect(ranges.every(({ number, offset }) => offset === (number - 1) * partSizeBytes)).toBe(true)
      expect(ranges.reduce((sum, { lengthBytes }) => sum + lengthBytes, 0)).toBe(sizeBytes)
      expect(parallelUploadsFor(partSizeBytes) * partSizeBytes).toBeLessThanOrEqual(32 * MIB)
    }),
    runs(200),
  )
})

test.each([
  [1, 0.5, null, 500],
  [2, 0.5, null, 1000],
  [5, 0.5, null, 8000],
  [1, 0, null, 250],
  [1, 1, null, 750],
  [1, 0.5, 7000, 7000],
  [1, 0.5, 86_400_000, 30_000],
])(
  'after attempt %i with random %d and a Retry-After of %s ms, the delay is %i ms',
  (attempt, random, retryAfterMs, delayMs) => {
    expect(retryDelayMs(attempt, random, retryAfterMs)).toBe(delayMs)
  },
)

import { expect, test } from 'vitest'
import { announcedDiskBytes, estimatedDiskBytes, largestMediaBytes } from '../../../../domain/jobs/step-resources.ts'
import { ENGINE_DISK_BYTES } from '../../../../domain/limits.ts'

const GB = 1_000_000_000

test.each([
  // The disk of an instance of 20 GB, after the image and a reserve.
  [ENGINE_DISK_BYTES, 15 * GB, 7.5 * GB],
  // One of 8 GB.
  [5.4 * GB, 5.4 * GB, 2.7 * GB],
  [100 * GB, 100 * GB, 50 * GB],
  [7, 7, 3],
])('with %i bytes of disk the largest media has %i bytes, or %i if its streams are copied', (disk, oneFile, copied) => {
  expect(largestMediaBytes(disk, 'oneFile')).toBe(oneFile)
  expect(largestMediaBytes(disk, 'copiedStreams')).toBe(copied)
})

test.each([
  ['fetch', 12 * GB, 12 * GB],
  ['audio', 12 * GB, 12 * GB],
  // Captions are read with a few range requests.
  ['captions', 12 * GB, null],
  ['recognize', 12 * GB, null],
  ['fetch', null, null],
  // Its streams may have to be copied, so the estimate is not lowered.
  ['fetch', 1_000, null],
] as const)('the step %s of media with %s bytes reserves %s', (step, announced, expected) => {
  expect(announcedDiskBytes(step, announced)).toBe(expected)
})

test('an announced size never lowers what a step reserves', () => {
  expect(announcedDiskBytes('fetch', estimatedDiskBytes('fetch'))).toBeNull()
  expect(announcedDiskBytes('fetch', estimatedDiskBytes('fetch') + 1)).toBe(estimatedDiskBytes('fetch') + 1)
})

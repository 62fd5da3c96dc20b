import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { etagsOf, partSizeOf, partsOf } from '../../../../domain/uploads/parts.ts'
import { MAX_UPLOAD_BYTES } from '../../../../domain/uploads/upload.ts'

const MiB = 1024 * 1024

test.each([
  [1, 8, 1],
  [8 * MiB, 8, 1],
  [8 * MiB + 1, 8, 2],
  [150 * 8 * MiB, 8, 150],
  [150 * 8 * MiB + 1, 16, 76],
  [MAX_UPLOAD_BYTES, 64, 150],
])('%i bytes are sent in parts of %i MiB, %i of them', (bytes, mebibytes, count) => {
  expect([partSizeOf(bytes), partsOf(bytes).length]).toEqual([mebibytes * MiB, count])
})

test('parts have equal sizes of at least 5 MiB, but the last, and are the whole file', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: MAX_UPLOAD_BYTES }), (bytes) => {
      const parts = partsOf(bytes)
      const last = parts.at(-1)?.sizeBytes ?? 0
      expect(parts.slice(0, -1).every(({ sizeBytes }) => sizeBytes === partSizeOf(bytes))).toBe(true)
      expect(partSizeOf(bytes)).toBeGreaterThanOrEqual(5 * MiB)
      expect(last).toBeGreaterThan(0)
      expect(last).toBeLessThanOrEqual(partSizeOf(bytes))
      expect(parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)).toBe(bytes)
      expect(parts.map(({ number }) => number)).toEqual(parts.map((_, index) => index + 1))
    }),
  )
})

describe('the parts that a caller names', () => {
  const bytes = 3 * 8 * MiB

  test('may be in any order, with or without the quotes of their ETags', () => {
    const sent = [
      { number: 3, etag: '"c"' },
      { number: 1, etag: 'a' },
      { number: 2, etag: '"b"' },
    ]
    expect(etagsOf(bytes, sent)).toEqual({ etags: ['a', 'b', 'c'] })
  })

  test.each([
    ['none', [], '3 parts are missing.'],
    [
      'one too few',
      [
        { number: 1, etag: 'a' },
        { number: 3, etag: 'c' },
      ],
      'Part 2 is missing.',
    ],
    [
      'one that was refused',
      [1, 2, 3].map((number) => ({ number, etag: number === 1 ? null : 'x' })),
      'Part 1 is missing.',
    ],
    ['an empty ETag', [1, 2, 3].map((number) => ({ number, etag: number === 2 ? '""' : 'x' })), 'Part 2 is missing.'],
    ['one twice', [1, 2, 2].map((number) => ({ number, etag: 'x' })), 'Part 2 is given twice.'],
    ['one too many', [{ number: 4, etag: 'x' }], 'There is no part 4: the parts are 1 to 3.'],
  ])('are refused: %s', (_, sent, problem) => {
    expect(etagsOf(bytes, sent)).toEqual({ problem })
  })
})

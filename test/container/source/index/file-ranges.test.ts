import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  bytesIn,
  type FileRange,
  mergeRanges,
  united,
  without,
} from '../../../../container/source/index/file-ranges.ts'

const kilobyte = 1024
const at = (start: number, bytes: number) => ({ start: start * kilobyte, end: start * kilobyte + bytes })
const plenty = { bytes: 32_000_000, requests: 4_000 }

test.each([
  ['no ranges take no request', [], plenty, []],
  ['ranges less than 32 KiB apart take one request', [at(10, 100), at(0, 100)], plenty, [at(0, 10_340)]],
  ['ranges further apart take two', [at(0, 100), at(100, 100)], plenty, [at(0, 100), at(100, 100)]],
  ['ranges that overlap take one', [at(0, 5_000), at(1, 100), at(2, 4_000)], plenty, [at(0, 6_048)]],
  [
    'when there are too many requests, ranges further apart are merged',
    [at(0, 100), at(100, 100)],
    { ...plenty, requests: 1 },
    [at(0, 102_500)],
  ],
  [
    'when there are too many bytes, near ranges are not merged',
    [at(0, 100), at(10, 100)],
    { ...plenty, bytes: 200 },
    [at(0, 100), at(10, 100)],
  ],
  ['when the bytes do not suffice, nothing is fetched', [at(0, 100), at(10, 100)], { ...plenty, bytes: 199 }, null],
  ['when the requests do not suffice, nothing is fetched', [at(0, 1), at(9_000, 1)], { ...plenty, requests: 1 }, null],
])('%s', (_title, ranges, budget, expected) => {
  expect(mergeRanges(ranges, budget)).toEqual(expected)
})

test('merged ranges are in order, do not touch, cover all ranges and keep to the budget', () => {
  const range = fc.tuple(fc.nat(10_000_000), fc.nat(5_000)).map(([start, bytes]) => ({ start, end: start + bytes + 1 }))
  const budget = fc.record({ bytes: fc.nat(20_000_000), requests: fc.nat(50) })
  fc.assert(
    fc.property(fc.array(range), budget, (ranges, budget) => {
      const merged = mergeRanges(ranges, budget)
      if (merged === null) return
      expect(merged.length).toBeLessThanOrEqual(budget.requests)
      expect(merged.reduce((sum, { start, end }) => sum + end - start, 0)).toBeLessThanOrEqual(budget.bytes)
      for (const [index, { start }] of merged.entries()) expect(start).toBeGreaterThan(merged[index - 1]?.end ?? -1)
      for (const { start, end } of ranges) expect(merged.some((one) => one.start <= start && one.end >= end)).toBe(true)
    }),
  )
})

const bytesOf = (ranges: FileRange[]): Set<number> =>
  new Set(ranges.flatMap(({ start, end }) => Array.from({ length: end - start }, (_, index) => start + index)))

test('united ranges and what they leave out agree with sets of bytes', () => {
  const range = fc.tuple(fc.nat(60), fc.nat(20)).map(([start, bytes]) => ({ start, end: start + bytes }))
  const ranges = fc.array(range, { maxLength: 15 })
  fc.assert(
    fc.property(ranges, ranges, (some, others) => {
      const [one, other] = [united(some), united(others)]
      expect(bytesOf(one)).toEqual(bytesOf(some))
      expect(bytesIn(one)).toBe(bytesOf(some).size)
      for (const [index, { start }] of one.entries()) expect(start).toBeGreaterThan(one[index - 1]?.end ?? -1)
      expect(bytesOf(without(one, other))).toEqual(bytesOf(some).difference(bytesOf(others)))
    }),
  )
})

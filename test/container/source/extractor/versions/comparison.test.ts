import { describe, expect, test } from 'vitest'
import {
  type Counts,
  countEnd,
  failsTwiceAsOften,
} from '../../../../../container/source/extractor/versions/comparison.ts'

const counts = (hosts: Record<string, [ended: number, failed: number]>): Map<string, Counts> =>
  new Map(Object.entries(hosts).map(([host, [ended, failed]]) => [host, { ended, failed }]))

describe('a version fails twice as often as the one before', () => {
  test.each<[string, Record<string, [number, number]>, Record<string, [number, number]>, boolean]>([
    ['when a host that worked fails five times', { a: [20, 0] }, { a: [5, 5] }, true],
    ['and not after four failures, which may be chance', { a: [20, 0] }, { a: [4, 4] }, false],
    ['and not when a host goes on failing', { a: [20, 20] }, { a: [20, 20] }, false],
    ['and not when a host fails half the time, as before', { a: [20, 10] }, { a: [20, 11] }, false],
    ['when failures double over many hosts', { a: [20, 4], b: [20, 4] }, { a: [20, 10], b: [20, 11] }, true],
    ['and not when the new hosts fail', { a: [20, 0] }, { a: [20, 0], b: [20, 20] }, false],
    ['and not when a host was never asked for before', {}, { a: [20, 20] }, false],
    ['even for a host that worked once', { a: [1, 0] }, { a: [6, 6] }, true],
  ])('%s', (_, before, now, expected) => {
    expect(failsTwiceAsOften(counts(before), counts(now))).toBe(expected)
  })
})

test('what no version could have read is not counted as a failure', () => {
  const hosts = new Map<string, Counts>()
  for (const code of ['SOURCE_PRIVATE', 'SOURCE_DRM', 'SOURCE_UNREACHABLE', null] as const) countEnd(hosts, 'a', code)
  for (const code of ['SOURCE_UNSUPPORTED', 'SOURCE_BLOCKED', 'INTERNAL'] as const) countEnd(hosts, 'a', code)
  expect(hosts.get('a')).toEqual({ ended: 7, failed: 3 })
})

test('the hosts that were used longest ago are forgotten', () => {
  const hosts = new Map<string, Counts>()
  for (let host = 0; host < 1_000; host++) countEnd(hosts, `${host}`, null)
  countEnd(hosts, '0', null)
  countEnd(hosts, 'new', null)
  expect(hosts.size).toBe(1_000)
  expect([hosts.has('0'), hosts.has('1')]).toEqual([true, false])
})

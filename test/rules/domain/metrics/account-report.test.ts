import { expect, test } from 'vitest'
import { type CountedEnds, countEnd, hostOf } from '../../../../domain/metrics/account-report.ts'
import {
  endOfJob,
  endOfName,
  knownEnds,
  nameOfEnd,
  noTotals,
  sumOfOutcomes,
  withEnd,
} from '../../../../domain/metrics/job-totals.ts'
import { addReport, noSums, sumOfSums } from '../../../../domain/metrics/sums.ts'

test.each<[CountedEnds, number, CountedEnds | null]>([
  [{ upTo: 0, beyond: [] }, 1, { upTo: 1, beyond: [] }],
  [{ upTo: 4, beyond: [] }, 4, null],
  [{ upTo: 4, beyond: [] }, 6, { upTo: 4, beyond: [6] }],
  [{ upTo: 4, beyond: [6] }, 6, null],
  [{ upTo: 4, beyond: [6, 7] }, 5, { upTo: 7, beyond: [] }],
  [{ upTo: 4, beyond: [6, 9] }, 5, { upTo: 6, beyond: [9] }],
])('of %j, end %i leaves %j', (counted, number, after) => expect(countEnd(counted, number)).toEqual(after))

test('ends from before the first report are not waited for forever', () => {
  let counted: CountedEnds = { upTo: 0, beyond: [] }
  for (let number = 1_000; number < 1_200; number++) counted = countEnd(counted, number) ?? counted
  expect(counted).toEqual({ upTo: 1_199, beyond: [] })
})

test.each([
  ['https://Media.Example:8443/a?b=c#d', 'media.example'],
  ['http://media.example./', 'media.example'],
  ['http://[::1]:80/', '[::1]'],
  ['http://bücher.example/', 'xn--bcher-kva.example'],
  ['not a url', ''],
])('the host of %s is "%s"', (url, host) => expect(hostOf(url)).toBe(host))

const failed = (code: 'TIMED_OUT' | 'CANCELED') => ({ code, message: '', retryable: true })

test.each([
  [{ kind: 'import', state: 'completed', failure: null }, 'import completed '],
  [{ kind: 'transcription', state: 'failed', failure: failed('TIMED_OUT') }, 'transcription failed TIMED_OUT'],
  [{ kind: 'import', state: 'failed', failure: failed('CANCELED') }, 'import canceled CANCELED'],
] as const)('%j is counted as "%s"', (job, name) => {
  expect(nameOfEnd(endOfJob(job))).toBe(name)
  expect(knownEnds).toContainEqual(endOfName(name))
})

const end = { kind: 'import', outcome: 'completed', code: '' } as const
const totals = withEnd(withEnd(noTotals, end, { bytesIn: 5, bytesOut: 2, costMicros: 7 }), end, {
  ...{ bytesIn: 1, bytesOut: 0, costMicros: 1 },
})

test('an end adds to the totals of its account', () => {
  expect(totals).toEqual({
    ...{ version: 0, ends: 2, ended: { 'import completed ': 2 } },
    ...{ bytesIn: 6, bytesOut: 2, chargedMicros: 8 },
  })
})

test('the last report of an account takes the place of the one before', () => {
  const sums = noSums()
  addReport(sums, { totals, heldMicros: 3, schemaVersion: 7 }, 1)
  addReport(sums, { totals, heldMicros: 3, schemaVersion: 7 }, -1)
  expect(sums).toEqual({ ...noSums(), ended: { 'import completed ': 0 }, schemaVersions: { 7: 0 } })
  addReport(sums, { totals, heldMicros: 9, schemaVersion: 8 }, 1)
  expect(sumOfSums([sums, sums])).toEqual({
    ...{ ended: { 'import completed ': 4 }, bytesIn: 12, bytesOut: 4, chargedMicros: 16, heldMicros: 18 },
    ...{ schemaVersions: { 7: 0, 8: 2 }, counters: {} },
  })
})

test('outcomes of one hour and source are one, wherever they were counted', () => {
  const at = (hour: number, count: number, code = '') => ({
    ...end,
    hour,
    source: 'media.example',
    code,
    version: '',
    count,
  })
  expect(sumOfOutcomes([at(1, 2), at(2, 1), at(1, 3), at(1, 1, 'x')])).toEqual([at(2, 1), at(1, 5), at(1, 1, 'x')])
})

import { expect, test } from 'vitest'
import { byVersion, causesOf, countsByHour, hoursOf, ofOutcome, sourcesOf } from '../../../../console/ops/outcomes.js'
import { outcome } from './outcome.ts'

const now = Date.parse('2026-11-22T03:12:05.000Z')

test('the last day is 24 full hours and the current one', () => {
  const hours = hoursOf([], now)
  expect(hours).toHaveLength(25)
  expect([hours[0], hours[24]].map((hour) => new Date(hour ?? 0).toISOString())).toEqual([
    '2026-11-21T03:00:00.000Z',
    '2026-11-22T03:00:00.000Z',
  ])
})

test('with a browser whose clock is slow, the last hour is the latest one that the server names', () => {
  expect(hoursOf([outcome('05:00', 'completed')], now)[24]).toBe(Date.parse('2026-11-22T05:00:00.000Z'))
})

test('jobs of one hour are added up, and hours without jobs are 0', () => {
  const counts = countsByHour(
    [outcome('02:00', 'failed', 2), outcome('02:00', 'failed', 3), outcome('03:00', 'failed', 4)],
    hoursOf([], now),
  )
  expect(counts).toEqual([...Array(23).fill(0), 5, 4])
})

test('jobs before the last day are not counted', () => {
  const early = { ...outcome('03:00', 'completed'), hour: '2026-11-21T02:00:00.000Z' }
  expect(countsByHour([early], hoursOf([], now))).toEqual(Array(25).fill(0))
})

test('failures are grouped by source and code, the most frequent first', () => {
  const failures = ofOutcome(
    [
      outcome('02:00', 'failed', 2, 'vimeo.com', 'TIMED_OUT'),
      outcome('02:00', 'failed', 1, 'vimeo.com', 'SOURCE_BLOCKED'),
      outcome('03:00', 'failed', 4, 'vimeo.com', 'SOURCE_BLOCKED'),
      outcome('03:00', 'failed', 2, 'example.com', 'TIMED_OUT'),
      outcome('03:00', 'completed', 9, 'vimeo.com'),
    ],
    'failed',
  )
  expect(causesOf(failures).map(({ source, code, count }) => [source, code, count])).toEqual([
    ['vimeo.com', 'SOURCE_BLOCKED', 5],
    ['example.com', 'TIMED_OUT', 2],
    ['vimeo.com', 'TIMED_OUT', 2],
  ])
})

test('each source is listed once, in alphabetical order', () => {
  const ofSources = ['b', 'a', 'b'].map((source) => outcome('03:00', 'completed', 1, source))
  expect(sourcesOf(ofSources)).toEqual(['a', 'b'])
})

test('a source that works with one version and fails with another is seen at once', () => {
  const found = byVersion([
    outcome('02:00', 'completed', 9, 'vimeo.com', '', '2026.10.26'),
    outcome('02:00', 'failed', 1, 'vimeo.com', 'TIMED_OUT', '2026.10.26'),
    outcome('03:00', 'failed', 4, 'vimeo.com', 'SOURCE_UNSUPPORTED', '2026.11.1'),
    outcome('03:00', 'failed', 1, 'vimeo.com', 'TIMED_OUT', '2026.11.1'),
    outcome('03:00', 'canceled', 99, 'example.com'),
    outcome('03:00', 'completed', 2, 'example.com'),
  ])
  expect(found.map((each) => Object.values(each))).toEqual([
    ['vimeo.com', '2026.11.1', 0, 5, 'SOURCE_UNSUPPORTED'],
    ['vimeo.com', '2026.10.26', 9, 1, 'TIMED_OUT'],
    ['example.com', '', 2, 0, ''],
  ])
})

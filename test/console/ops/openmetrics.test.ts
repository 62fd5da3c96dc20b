import { expect, test } from 'vitest'
import { boundOf, maxOf, parseMetrics, sumOf } from '../../../console/ops/openmetrics.js'

const text = `# HELP haul_jobs_ended Jobs that ended.
# TYPE haul_jobs_ended counter
haul_jobs_ended_total{kind="import",outcome="completed",code=""} 40
haul_jobs_ended_total{kind="import",outcome="failed",code="SOURCE_BLOCKED"} 3
haul_jobs_ended_total{kind="transcription",outcome="completed",code=""} 2 1790000000.123
# TYPE haul_oldest_step_seconds gauge
haul_oldest_step_seconds{step="fetch"} 4.5
haul_oldest_step_seconds{step="recognize"} 612
haul_held_dollars 1.5e-2
# EOF
`

const metrics = parseMetrics(text)

test.each([
  ['haul_jobs_ended_total', 45],
  ['haul_jobs_ended_total{outcome="completed"}', 42],
  ['haul_jobs_ended_total{outcome="completed",kind="import"}', 40],
  ['haul_held_dollars', 0.015],
  ['haul_jobs_ended_total{outcome="canceled"}', 0],
  ['haul_jobs_ended', 0],
])('the samples of %s add up to %d', (series, sum) => expect(sumOf(metrics, series)).toBe(sum))

test('the largest of the samples', () => expect(maxOf(metrics, 'haul_oldest_step_seconds')).toBe(612))

test('braces, commas, quotes, backslashes and line breaks in the value of a label are part of it', () => {
  expect(parseMetrics(String.raw`a{x="1,}\"\\ \n",y="{"} 5${'\n'}# EOF`)).toEqual([
    { name: 'a', labels: { x: '1,}"\\ \n', y: '{' }, value: 5 },
  ])
})

test('a text without its end is refused, because numbers may be missing', () => {
  expect(() => parseMetrics(text.slice(0, -30))).toThrow('incomplete')
})

test.each(['{a="b"} 1', 'a{b=1} 1', 'a{b="1} 1', 'a one', 'a'])('a line “%s” is refused', (line) => {
  expect(() => parseMetrics(`${line}\n# EOF`)).toThrow(/not a metric|cannot be read/)
})

const histogram = (counts: [string, number][]) =>
  parseMetrics(
    [...counts.map(([le, count]) => `s_bucket{le="${le}"} ${count}`), `s_count ${counts.at(-1)?.[1]}`, '# EOF'].join(
      '\n',
    ),
  )

test.each([
  [
    [
      ['1', 94],
      ['5', 95],
      ['+Inf', 100],
    ],
    5,
  ],
  [
    [
      ['1', 95],
      ['5', 100],
      ['+Inf', 100],
    ],
    1,
  ],
  [
    [
      ['1', 1],
      ['5', 2],
      ['+Inf', 100],
    ],
    Number.POSITIVE_INFINITY,
  ],
  [
    [
      ['1', 0],
      ['5', 0],
      ['+Inf', 0],
    ],
    null,
  ],
] as [[string, number][], number | null][])('of the histogram %j, 19 of 20 values are at most %s', (counts, bound) => {
  expect(boundOf(histogram(counts), 's', 0.95)).toBe(bound)
})

import { expect, test } from 'vitest'
import { boundOf, maxOf, sumOf } from '../../../../console/ops/metrics.js'

const samples = [
  { name: 'haul_jobs_ended_total', labels: { kind: 'import', outcome: 'completed', code: '' }, value: 40 },
  { name: 'haul_jobs_ended_total', labels: { kind: 'import', outcome: 'failed', code: 'SOURCE_BLOCKED' }, value: 3 },
  { name: 'haul_jobs_ended_total', labels: { kind: 'transcription', outcome: 'completed', code: '' }, value: 2 },
  { name: 'haul_oldest_step_seconds', labels: { step: 'fetch' }, value: 4.5 },
  { name: 'haul_oldest_step_seconds', labels: { step: 'recognize' }, value: 612 },
  { name: 'haul_held_dollars', labels: {}, value: 0.015 },
]

test.each([
  ['haul_jobs_ended_total', 45],
  ['haul_jobs_ended_total{outcome="completed"}', 42],
  ['haul_held_dollars', 0.015],
  ['haul_jobs_ended_total{outcome="canceled"}', 0],
  ['haul_jobs_ended', 0],
])('the samples of %s add up to %d', (series, sum) => expect(sumOf(samples, series)).toBe(sum))

test('maxOf returns the largest of the samples', () => expect(maxOf(samples, 'haul_oldest_step_seconds')).toBe(612))

const histogram = (counts: [string, number][]) => [
  ...counts.map(([le, value]) => ({ name: 's_bucket', labels: { le }, value })),
  { name: 's_count', labels: {}, value: counts.at(-1)?.[1] ?? 0 },
]

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

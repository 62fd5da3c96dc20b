import { expect, test } from 'vitest'
import { type EngineView, type FleetReport, noStarts, startBucketOf } from '../../../../domain/fleet/fleet-report.ts'
import { familiesOf } from '../../../../domain/metrics/families.ts'
import type { CountedOutcome } from '../../../../domain/metrics/job-totals.ts'
import { type MetricFamily, openMetrics } from '../../../../domain/metrics/open-metrics.ts'
import { noSums } from '../../../../domain/metrics/sums.ts'

const help = 'What it counts.'

test.each<[string, MetricFamily, string[]]>([
  [
    'a counter',
    { name: 'jobs', type: 'counter', help, samples: [{ value: 7 }] },
    ['# TYPE jobs counter', '# HELP jobs What it counts.', 'jobs_total 7'],
  ],
  [
    'a gauge with a unit',
    { name: 'held_dollars', type: 'gauge', help, samples: [{ value: 0.000001 }] },
    [
      '# TYPE held_dollars gauge',
      '# UNIT held_dollars dollars',
      '# HELP held_dollars What it counts.',
      'held_dollars 0.000001',
    ],
  ],
  [
    'labels, with everything that has to be escaped',
    { name: 'a', type: 'gauge', help: 'a "b" \\ \n', samples: [{ labels: { one: 'x"y\\z\n', two: '' }, value: 1 }] },
    ['# TYPE a gauge', '# HELP a a \\"b\\" \\\\ \\n', 'a{one="x\\"y\\\\z\\n",two=""} 1'],
  ],
  [
    'a histogram, whose buckets include all smaller ones',
    { name: 't', type: 'histogram', help, histogram: { bounds: [0.5, 1], counts: [2, 0, 3], sum: 61.5 } },
    [
      '# TYPE t histogram',
      '# HELP t What it counts.',
      't_bucket{le="0.5"} 2',
      't_bucket{le="1.0"} 2',
      't_bucket{le="+Inf"} 5',
      't_sum 61.5',
      't_count 5',
    ],
  ],
])('%s', (_, family, lines) => {
  expect(openMetrics([family])).toBe(`${[...lines, '# EOF'].join('\n')}\n`)
})

const using = (problem: string | null = null) => ({ version: '2026.11.1', channel: 'stable', problem })

const engine = (
  state: EngineView['state'],
  taken: { network: number; cpu: number },
  changes: Partial<EngineView> = {},
): EngineView => ({
  name: 'engine-0',
  state,
  places: { network: { total: 4, taken: taken.network }, cpu: { total: 1, taken: taken.cpu } },
  disk: { totalBytes: 10, reservedBytes: 0 },
  extractor: using(),
  ...changes,
})

const fleet = (changes: Partial<FleetReport> = {}): FleetReport => ({
  engines: [
    engine('running', { network: 2, cpu: 1 }),
    engine('running', { network: 1, cpu: 0 }),
    engine('starting', { network: 0, cpu: 0 }, { extractor: null }),
    engine('draining', { network: 1, cpu: 0 }, { extractor: null }),
  ],
  waiting: new Map([['fetch', { count: 2, oldestMs: 1_500 }]]),
  starts: noStarts(),
  ...changes,
})

const noon = Date.parse('2026-11-26T12:00:00.000Z')
const outcome = (hour: string, count: number, more: Partial<CountedOutcome> = {}): CountedOutcome => ({
  ...{ hour: Date.parse(hour), source: 'video.example', kind: 'import', outcome: 'completed', code: '' },
  ...{ version: '', count },
  ...more,
})
const outcomes = [
  outcome('2026-11-26T11:00:00.000Z', 2, { version: '2026.11.1' }),
  outcome('2026-11-26T11:00:00.000Z', 1, { version: '2026.11.1', kind: 'transcription' }),
  outcome('2026-11-26T02:00:00.000Z', 4, { version: '2026.10.26', outcome: 'failed', code: 'SOURCE_UNSUPPORTED' }),
  outcome('2026-11-20T00:00:00.000Z', 8),
  outcome('2026-11-26T12:00:00.000Z', 9, { outcome: 'canceled', code: 'CANCELED' }),
]

const written = () => {
  const sums = { ...noSums(), chargedMicros: 1_500_000, heldMicros: 250_000, bytesIn: 10, bytesOut: 20 }
  sums.ended = { 'import completed ': 3, 'import failed A_NEW_CODE': 1 }
  sums.counters = { 'bytes served': 5, 'webhook attempts failed': 2, 'dead letters steps-dead': 1 }
  sums.schemaVersions = { 19: 4 }
  const other = fleet({
    engines: [engine('running', { network: 2, cpu: 0 }, { extractor: using('refused') })],
    starts: { counts: [2, 0, 0, 0, 0, 0, 0, 0, 0, 1], totalMs: 300_500 },
    waiting: new Map([['fetch', { count: 1, oldestMs: 9_000 }]]),
  })
  return openMetrics(familiesOf(sums, [fleet(), other], outcomes, { schemaVersion: 20, now: noon })).split('\n')
}

test.each([
  'haul_jobs_ended_total{kind="import",outcome="completed",code=""} 3',
  'haul_jobs_ended_total{kind="import",outcome="failed",code="A_NEW_CODE"} 1',
  'haul_jobs_ended_total{kind="transcription",outcome="canceled",code="CANCELED"} 0',
  'haul_charged_dollars_total 1.5',
  'haul_held_dollars 0.25',
  'haul_bytes_total{direction="in"} 10',
  'haul_bytes_total{direction="out"} 25',
  'haul_source_jobs{source="video.example",outcome="completed",code="",version="2026.11.1",window="hour"} 3',
  'haul_source_jobs{source="video.example",outcome="failed",code="SOURCE_UNSUPPORTED",version="2026.10.26",window="day"} 4',
  'haul_source_jobs{source="video.example",outcome="completed",code="",version="",window="week"} 8',
  'haul_engine_extractor{version="2026.11.1",channel="stable"} 3',
  'haul_engine_extractor_problems 1',
  'haul_account_schema_version{version="19"} 4',
  'haul_account_schema_version{version="20"} 0',
  'haul_steps_waiting{step="fetch"} 3',
  'haul_steps_waiting{step="recognize"} 0',
  'haul_oldest_step_seconds{step="fetch"} 9',
  'haul_engines{state="running"} 3',
  'haul_engines{state="draining"} 1',
  'haul_engine_places{kind="network"} 12',
  'haul_engine_places_taken{kind="network"} 6',
  'haul_engine_start_seconds_bucket{le="120.0"} 2',
  'haul_engine_start_seconds_sum 300.5',
  'haul_engine_start_seconds_count 3',
  'haul_webhook_attempts_total{outcome="failed"} 2',
  'haul_dead_letters_total{queue="steps-dead"} 1',
])('of two fleets and what was counted: %s', (line) => {
  expect(written()).toContain(line)
})

test('a family is written once, all of its lines together, and no series twice', () => {
  const lines = written()
  const types = lines.filter((line) => line.startsWith('# TYPE'))
  expect(new Set(types).size).toBe(types.length)
  const series = lines.filter((line) => /^[a-z]/.test(line)).map((line) => line.slice(0, line.lastIndexOf(' ')))
  expect(new Set(series).size).toBe(series.length)
  const families = series.map((name) => /^[a-z_]+?(?=(_total|_bucket|_sum|_count)?(\{|$))/.exec(name)?.[0])
  const changes = families.filter((family, index) => family !== families[index - 1])
  expect(changes).toHaveLength(types.length)
})

/** The grammar of OpenMetrics 1.0, which a parser that follows it refuses to leave. */
const grammar =
  /^(# (TYPE|UNIT|HELP) [a-z_]+ .+|[a-z_]+(\{([a-z]+="([^"\\\n]|\\[\\n"])*",?)+\})? -?\d+(\.\d+)?(e[+-]\d+)?)$/

test('every line follows the grammar, and the last one is # EOF', () => {
  const lines = written()
  expect(lines.slice(-2)).toEqual(['# EOF', ''])
  expect(lines.slice(0, -2).filter((line) => !grammar.test(line))).toEqual([])
})

test.each([
  [0, 0],
  [500, 0],
  [501, 1],
  [1_000, 1],
  [45_000, 7],
  [120_000, 8],
  [120_001, 9],
])('a start of %i ms is in bucket %i', (durationMs, bucket) => expect(startBucketOf(durationMs)).toBe(bucket))

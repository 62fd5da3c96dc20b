import { engineStates, type FleetReport, noStarts, START_BOUNDS_SECONDS, waitingOf } from '../fleet/fleet-report.ts'
import { works } from '../fleet/place.ts'
import { micros, toDollars } from '../money/money.ts'
import { DAY_MS, HOUR_MS } from '../time.ts'
import { attemptOutcomes, deadLetterQueues, type EventCounter } from './counted-events.ts'
import { type CountedOutcome, endOfName, KEPT_DAYS, knownEnds, nameOfEnd, startOf } from './job-totals.ts'
import type { MetricFamily, Sample } from './open-metrics.ts'
import type { Sums } from './sums.ts'

/** Known label values are always there, so that alerts can be written. `outcomes`: of a week. */
export const familiesOf = (
  sums: Sums,
  fleets: readonly FleetReport[],
  outcomes: readonly CountedOutcome[],
  { schemaVersion, now }: { schemaVersion: number; now: number },
): MetricFamily[] => [
  ...accountFamilies(sums, schemaVersion),
  ...lineFamilies(fleets),
  ...engineFamilies(fleets),
  ...eventFamilies(sums),
  sourceFamily(outcomes, now),
]

const familyOf =
  (type: 'counter' | 'gauge') =>
  (name: string, help: string, samples: Sample[]): MetricFamily => ({ name, type, help, samples })
const [counter, gauge] = [familyOf('counter'), familyOf('gauge')]

const by = <Name extends string>(label: string, names: readonly Name[], value: (name: Name) => number): Sample[] =>
  names.map((name) => ({ labels: { [label]: name }, value: value(name) }))

const sum = <Each>(all: readonly Each[], value: (each: Each) => number): number =>
  all.reduce((total, each) => total + value(each), 0)

/** Samples with the same labels are one. */
const summed = (samples: readonly Required<Sample>[]): Required<Sample>[] => {
  const sums = new Map<string, Required<Sample>>()
  for (const { labels, value } of samples) {
    const name = JSON.stringify(labels)
    sums.set(name, { labels, value: (sums.get(name)?.value ?? 0) + value })
  }
  return [...sums.values()]
}

const counted = ({ counters }: Sums, name: EventCounter): number => counters[name] ?? 0

const accountFamilies = (sums: Sums, schemaVersion: number): MetricFamily[] => {
  const { ended, chargedMicros, heldMicros, bytesIn, bytesOut, schemaVersions } = sums
  const versions: Record<string, number> = { [schemaVersion]: 0, ...schemaVersions }
  const names = new Set([...knownEnds.map(nameOfEnd), ...Object.keys(ended)])
  return [
    counter(
      'haul_jobs_ended',
      'Jobs that have ended.',
      [...names].map((name) => ({ labels: { ...endOfName(name) }, value: ended[name] ?? 0 })),
    ),
    counter('haul_charged_dollars', 'What accounts were charged.', [{ value: toDollars(micros(chargedMicros)) }]),
    gauge('haul_held_dollars', 'What is held for jobs that have not ended.', [
      { value: toDollars(micros(heldMicros)) },
    ]),
    counter(
      'haul_bytes',
      'In: downloaded from sources by ended jobs. Out: copied into buckets, and served from /media.',
      by('direction', ['in', 'out'], (to) => (to === 'in' ? bytesIn : bytesOut + counted(sums, 'bytes served'))),
    ),
    gauge(
      'haul_account_schema_version',
      'Accounts whose database has this version, as of their last reports.',
      by('version', Object.keys(versions), (version) => versions[version] ?? 0),
    ),
  ]
}

const lineFamilies = (fleets: readonly FleetReport[]): MetricFamily[] => {
  const waiting = waitingOf(fleets)
  return [
    gauge(
      'haul_steps_waiting',
      'Steps that wait for a place on an engine.',
      waiting.map(({ step, count }) => ({ labels: { step }, value: count })),
    ),
    gauge(
      'haul_oldest_step_seconds',
      'How long the step that has waited longest for a place has waited. Items of batches do not count.',
      waiting.map(({ step, oldestSeconds }) => ({ labels: { step }, value: oldestSeconds })),
    ),
  ]
}

const engineFamilies = (fleets: readonly FleetReport[]): MetricFamily[] => {
  const engines = fleets.flatMap((fleet) => fleet.engines)
  const running = engines.filter(({ state }) => state === 'running')
  const extractors = engines.flatMap(({ extractor }) => (extractor?.version ? extractor : []))
  const starts = fleets.map((fleet) => fleet.starts)
  return [
    gauge(
      'haul_engines',
      'Engines that are not off. Draining ones take no further steps.',
      by('state', engineStates, (state) => engines.filter((each) => each.state === state).length),
    ),
    gauge(
      'haul_engine_extractor',
      'Engines by the yt-dlp that they use.',
      summed(extractors.map(({ version, channel }) => ({ labels: { version: `${version}`, channel }, value: 1 }))),
    ),
    gauge(
      'haul_engine_extractor_problems',
      'Engines that do not use the newest yt-dlp of their channel: it was refused, or could not be looked for.',
      [{ value: extractors.filter(({ problem }) => problem !== null).length }],
    ),
    gauge(
      'haul_engine_places',
      'Places of running engines.',
      by('kind', works, (kind) => sum(running, ({ places }) => places[kind].total)),
    ),
    gauge(
      'haul_engine_places_taken',
      'Places that steps have.',
      by('kind', works, (kind) => sum(engines, ({ places }) => places[kind].taken)),
    ),
    {
      name: 'haul_engine_start_seconds',
      type: 'histogram',
      help: 'From the decision to start an engine to its first answer.',
      histogram: {
        bounds: START_BOUNDS_SECONDS,
        counts: noStarts().counts.map((_, bucket) => sum(starts, ({ counts }) => counts[bucket] ?? 0)),
        sum: sum(starts, ({ totalMs }) => totalMs) / 1_000,
      },
    },
  ]
}

const eventFamilies = (sums: Sums): MetricFamily[] => [
  counter(
    'haul_webhook_attempts',
    'Attempts to deliver a webhook. Failed: no attempt is left.',
    by('outcome', attemptOutcomes, (outcome) => counted(sums, `webhook attempts ${outcome}`)),
  ),
  counter(
    'haul_dead_letters',
    'Queue messages that could not be handled.',
    by('queue', deadLetterQueues, (queue) => counted(sums, `dead letters ${queue}`)),
  ),
]

/** What jobs of the busiest sources have come to. Callers can invent names, and each is a series. */
const MAX_SOURCES = 50

/** Each begins with a full hour or day. */
const windows = { hour: HOUR_MS, day: DAY_MS, week: KEPT_DAYS * DAY_MS } as const

const sourceFamily = (outcomes: readonly CountedOutcome[], now: number): MetricFamily => {
  const bySource = summed(outcomes.map(({ source, count }) => ({ labels: { source }, value: count })))
  const busiest = bySource.toSorted((one, other) => other.value - one.value).slice(0, MAX_SOURCES)
  const names = new Set(busiest.map(({ labels }) => labels.source))
  const shown = outcomes.filter(({ source, outcome }) => names.has(source) && outcome !== 'canceled')
  return gauge(
    'haul_source_jobs',
    'Ended jobs of the busiest sources, and the yt-dlp that has read them. Hour: the current one and the one before.',
    Object.entries(windows).flatMap(([window, lengthMs]) => {
      const from = startOf(now, lengthMs === HOUR_MS ? HOUR_MS : DAY_MS) - lengthMs
      const samples = shown
        .filter(({ hour }) => hour >= from)
        .map(({ source, outcome, code, version, count }) => ({
          labels: { source, outcome, code, version, window },
          value: count,
        }))
      return summed(samples)
    }),
  )
}

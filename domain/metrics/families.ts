import {
  engineStates,
  enginesIn,
  extractorsIn,
  type FleetReport,
  START_BOUNDS_SECONDS,
  sumOfStarts,
  type WaitingSteps,
  waitingOf,
} from '../fleet/fleet-metrics.ts'
import { works } from '../fleet/place.ts'
import {
  attemptCounter,
  attemptOutcomes,
  deadLetterCounter,
  deadLetterQueues,
  SERVED_COUNTER,
} from './counted-events.ts'
import { type CountedOutcome, endOfName, knownEnds, nameOfEnd } from './job-totals.ts'
import type { MetricFamily, Sample } from './open-metrics.ts'
import { sourceFamily } from './sources.ts'
import { type Sums, UNKNOWN_VERSION } from './sums.ts'

const MICROS_PER_DOLLAR = 1_000_000

/**
 * Everything that `GET /admin/metrics` says. Known label values are always there, so that alerts can be written.
 * `outcomes`: of a week. `schemaVersion`: that this version gives accounts.
 */
export const familiesOf = (
  sums: Sums,
  fleets: readonly FleetReport[],
  outcomes: readonly CountedOutcome[],
  { schemaVersion, now }: { schemaVersion: number; now: number },
): MetricFamily[] => [
  ...jobFamilies(sums),
  accountFamily(sums, schemaVersion),
  ...lineFamilies(fleets),
  ...engineFamilies(fleets),
  ...eventFamilies(sums),
  sourceFamily(outcomes, now),
]

const jobFamilies = ({ ended, chargedMicros, heldMicros, bytesIn, bytesOut, counters }: Sums): MetricFamily[] => {
  const names = new Set([...knownEnds.map(nameOfEnd), ...Object.keys(ended)])
  const served = counters[SERVED_COUNTER] ?? 0
  return [
    {
      name: 'haul_jobs_ended',
      type: 'counter',
      help: 'Jobs that have ended.',
      samples: [...names].map((name) => ({ labels: { ...endOfName(name) }, value: ended[name] ?? 0 })),
    },
    {
      name: 'haul_charged_dollars',
      type: 'counter',
      unit: 'dollars',
      help: 'What accounts were charged.',
      samples: [{ value: chargedMicros / MICROS_PER_DOLLAR }],
    },
    {
      name: 'haul_held_dollars',
      type: 'gauge',
      unit: 'dollars',
      help: 'What is held for jobs that have not ended.',
      samples: [{ value: heldMicros / MICROS_PER_DOLLAR }],
    },
    {
      name: 'haul_bytes',
      type: 'counter',
      unit: 'bytes',
      help: 'In: downloaded from sources by ended jobs. Out: copied into buckets, and served from /media.',
      samples: [
        { labels: { direction: 'in' }, value: bytesIn },
        { labels: { direction: 'out' }, value: bytesOut + served },
      ],
    },
  ]
}

const accountFamily = ({ schemaVersions }: Sums, schemaVersion: number): MetricFamily => {
  const counts = { [schemaVersion]: 0, [UNKNOWN_VERSION]: 0, ...schemaVersions }
  return {
    name: 'haul_account_schema_version',
    type: 'gauge',
    help: 'Accounts whose database has this version, as of their last reports.',
    samples: Object.entries(counts).map(([version, value]) => ({ labels: { version }, value })),
  }
}

const lineFamilies = (fleets: readonly FleetReport[]): MetricFamily[] => {
  const waiting = waitingOf(fleets)
  const samples = (value: (of: WaitingSteps) => number): Sample[] =>
    waiting.map((of) => ({ labels: { step: of.step }, value: value(of) }))
  return [
    {
      name: 'haul_steps_waiting',
      type: 'gauge',
      help: 'Steps that wait for a place on an engine.',
      samples: samples(({ count }) => count),
    },
    {
      name: 'haul_oldest_step_seconds',
      type: 'gauge',
      unit: 'seconds',
      help: 'How long the step that has waited longest for a place has waited. Items of batches do not count.',
      samples: samples(({ oldestSeconds }) => oldestSeconds),
    },
  ]
}

const engineFamilies = (fleets: readonly FleetReport[]): MetricFamily[] => {
  const extractors = extractorsIn(fleets)
  const starts = sumOfStarts(fleets.map((fleet) => fleet.starts))
  const total = (value: (fleet: FleetReport) => number): number => fleets.reduce((sum, fleet) => sum + value(fleet), 0)
  return [
    {
      name: 'haul_engines',
      type: 'gauge',
      help: 'Engines that are not off. Draining ones take no further steps.',
      samples: engineStates.map((state) => ({ labels: { state }, value: total((fleet) => enginesIn(fleet, state)) })),
    },
    {
      name: 'haul_engine_extractor',
      type: 'gauge',
      help: 'Engines by the yt-dlp that they use.',
      samples: extractors.map(({ version, channel, engines }) => ({ labels: { version, channel }, value: engines })),
    },
    {
      name: 'haul_engine_extractor_problems',
      type: 'gauge',
      help: 'Engines that do not use the newest yt-dlp of their channel: it was refused, or could not be looked for.',
      samples: [{ value: extractors.reduce((sum, { problems }) => sum + problems, 0) }],
    },
    {
      name: 'haul_engine_places',
      type: 'gauge',
      help: 'Places of running engines.',
      samples: works.map((kind) => ({ labels: { kind }, value: total(({ places }) => places[kind]) })),
    },
    {
      name: 'haul_engine_places_taken',
      type: 'gauge',
      help: 'Places that steps have.',
      samples: works.map((kind) => ({ labels: { kind }, value: total(({ placesTaken }) => placesTaken[kind]) })),
    },
    {
      name: 'haul_engine_start_seconds',
      type: 'histogram',
      unit: 'seconds',
      help: 'From the decision to start an engine to its first answer.',
      histogram: { bounds: START_BOUNDS_SECONDS, counts: starts.counts, sum: starts.totalMs / 1_000 },
    },
  ]
}

const eventFamilies = ({ counters }: Sums): MetricFamily[] => [
  {
    name: 'haul_webhook_attempts',
    type: 'counter',
    help: 'Attempts to deliver a webhook. Failed: no attempt is left.',
    samples: attemptOutcomes.map((outcome) => ({
      labels: { outcome },
      value: counters[attemptCounter(outcome)] ?? 0,
    })),
  },
  {
    name: 'haul_dead_letters',
    type: 'counter',
    help: 'Queue messages that could not be handled.',
    samples: deadLetterQueues.map((queue) => ({ labels: { queue }, value: counters[deadLetterCounter(queue)] ?? 0 })),
  },
]

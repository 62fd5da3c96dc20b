import { containerSteps } from '../jobs/step-resources.ts'
import type { ExtractorState, Work } from '../protocol/protocol.ts'
import type { Engine, EngineStatus } from './engines.ts'
import { type WaitingRequest, works } from './place.ts'

export interface FleetMetrics {
  engines: Record<EngineStatus, number>
  /** The places of running engines. */
  places: Record<Work, number>
  placesTaken: Record<Work, number>
  /** `oldestMs`: without items of batches, which wait behind all others. */
  waiting: Map<string, { count: number; oldestMs: number }>
  /** Of engines that have said which yt-dlp they use. Absent from a fleet of an earlier version. */
  extractors?: CountedExtractor[]
}

/** So many engines that are not off use this version of yt-dlp. */
export interface CountedExtractor {
  version: string
  channel: string
  engines: number
  /** Of these, the ones that do not use the newest version of their channel. */
  problems: number
}

export const metricsOf = (engines: Iterable<Engine>, waiting: Iterable<WaitingRequest>, now: number): FleetMetrics => {
  const metrics: FleetMetrics = {
    engines: { starting: 0, running: 0, paused: 0, draining: 0, unfit: 0, stopping: 0 },
    places: { network: 0, cpu: 0 },
    placesTaken: { network: 0, cpu: 0 },
    waiting: new Map(),
  }
  const extractors: CountedExtractor[] = []
  for (const { status, capacity, taken, extractor } of engines) {
    if (extractor?.version) countExtractor(extractors, extractor.version, extractor)
    metrics.engines[status]++
    for (const work of works) {
      if (status === 'running') metrics.places[work] += capacity.places[work]
      metrics.placesTaken[work] += taken[work]
    }
  }
  for (const { step, since, rank } of waiting) {
    const of = metrics.waiting.get(step) ?? { count: 0, oldestMs: 0 }
    const waitedMs = rank === 'batch' ? 0 : now - since
    metrics.waiting.set(step, { count: of.count + 1, oldestMs: Math.max(of.oldestMs, waitedMs) })
  }
  return { ...metrics, extractors }
}

const countExtractor = (counted: CountedExtractor[], version: string, { channel, problem }: ExtractorState): void => {
  const known = counted.find((each) => each.version === version && each.channel === channel)
  const of = known ?? { version, channel, engines: 0, problems: 0 }
  if (!known) counted.push(of)
  of.engines += 1
  of.problems += problem === null ? 0 : 1
}

/** Of all fleets. */
export const extractorsIn = (fleets: readonly Pick<FleetMetrics, 'extractors'>[]): CountedExtractor[] => {
  const all = fleets.flatMap(({ extractors = [] }) => extractors)
  return Map.groupBy(all, ({ version, channel }) => `${channel} ${version}`)
    .values()
    .map((same) => ({
      ...(same[0] as CountedExtractor),
      engines: same.reduce((sum, { engines }) => sum + engines, 0),
      problems: same.reduce((sum, { problems }) => sum + problems, 0),
    }))
    .toArray()
}

/** What a fleet object says of itself. */
export interface FleetReport extends FleetMetrics {
  starts: EngineStarts
}

/** The states that operators see. `draining`: the engine takes no further step. */
export const engineStates = ['starting', 'running', 'draining'] as const
export type EngineStateName = (typeof engineStates)[number]

const stateOfStatus = (status: EngineStatus): EngineStateName =>
  status === 'starting' || status === 'running' ? status : 'draining'

export const enginesIn = ({ engines }: FleetMetrics, state: EngineStateName): number =>
  (Object.keys(engines) as EngineStatus[])
    .filter((status) => stateOfStatus(status) === state)
    .reduce((sum, status) => sum + engines[status], 0)

export interface WaitingSteps {
  step: string
  count: number
  oldestSeconds: number
}

/** Steps that can stand in a line. `probe` is a `GET /metadata`, `list` reads the playlist of a batch. */
const lineSteps = [...containerSteps, 'probe', 'list'] as const

/** What waits in all fleets, for each step that can wait. */
export const waitingOf = (fleets: readonly Pick<FleetMetrics, 'waiting'>[]): WaitingSteps[] =>
  lineSteps.map((step) => {
    const lines = fleets.flatMap(({ waiting }) => waiting.get(step) ?? [])
    const oldestMs = Math.max(0, ...lines.map((line) => line.oldestMs))
    return { step, count: lines.reduce((sum, { count }) => sum + count, 0), oldestSeconds: oldestMs / 1_000 }
  })

/** One engine, for `GET /admin/engines`. */
export const engineView = ({ name, status, capacity, taken, diskTaken, extractor }: Engine): EngineView => ({
  name,
  state: stateOfStatus(status),
  places: {
    network: { total: capacity.places.network, taken: taken.network },
    cpu: { total: capacity.places.cpu, taken: taken.cpu },
  },
  disk: { totalBytes: capacity.diskBytes, reservedBytes: diskTaken },
  extractor,
})

interface PlacesView {
  total: number
  taken: number
}

export interface EngineView {
  name: string
  state: EngineStateName
  places: Record<Work, PlacesView>
  disk: { totalBytes: number; reservedBytes: number }
  /** Absent from a fleet of an earlier version. */
  extractor?: ExtractorState | null
}

/** How long engines took to start: from the decision to the engine's first state. */
export interface EngineStarts {
  /** How many starts are in each bucket of START_BOUNDS_SECONDS, and in none of them. */
  counts: number[]
  totalMs: number
}

export const START_BOUNDS_SECONDS = [0.5, 1, 2, 5, 10, 20, 30, 60, 120] as const

export const noStarts = (): EngineStarts => ({
  counts: Array.from({ length: START_BOUNDS_SECONDS.length + 1 }, () => 0),
  totalMs: 0,
})

export const startBucketOf = (durationMs: number): number => {
  const bucket = START_BOUNDS_SECONDS.findIndex((bound) => durationMs <= bound * 1_000)
  return bucket === -1 ? START_BOUNDS_SECONDS.length : bucket
}

export const sumOfStarts = (all: readonly EngineStarts[]): EngineStarts => {
  const sum = noStarts()
  for (const { counts, totalMs } of all) {
    sum.counts = sum.counts.map((count, bucket) => count + (counts[bucket] ?? 0))
    sum.totalMs += totalMs
  }
  return sum
}

import { containerSteps } from '../jobs/step-resources.ts'
import type { ExtractorState, Work } from '../protocol/protocol.ts'
import type { Engine } from './engines.ts'
import type { WaitingRequest } from './place.ts'

export interface FleetReport {
  engines: EngineView[]
  /** By step. `oldestMs`: without items of batches, which wait behind all others. */
  waiting: Map<string, { count: number; oldestMs: number }>
  starts: EngineStarts
}

/** The states that operators see. `draining`: the engine takes no further step. */
export const engineStates = ['starting', 'running', 'draining'] as const

export interface EngineView {
  name: string
  state: (typeof engineStates)[number]
  places: Record<Work, { total: number; taken: number }>
  disk: { totalBytes: number; reservedBytes: number }
  extractor: ExtractorState | null
}

export const engineView = ({ name, status, capacity, taken, diskTaken, extractor }: Engine): EngineView => ({
  name,
  state: status === 'starting' || status === 'running' ? status : 'draining',
  places: {
    network: { total: capacity.places.network, taken: taken.network },
    cpu: { total: capacity.places.cpu, taken: taken.cpu },
  },
  disk: { totalBytes: capacity.diskBytes, reservedBytes: diskTaken },
  extractor,
})

export const countWaiting = (waiting: Iterable<WaitingRequest>, now: number): FleetReport['waiting'] => {
  const counted: FleetReport['waiting'] = new Map()
  for (const { step, since, rank } of waiting) {
    const { count, oldestMs } = counted.get(step) ?? { count: 0, oldestMs: 0 }
    const waitedMs = rank === 'batch' ? 0 : now - since
    counted.set(step, { count: count + 1, oldestMs: Math.max(oldestMs, waitedMs) })
  }
  return counted
}

export interface WaitingSteps {
  step: string
  count: number
  oldestSeconds: number
}

/** Steps that can stand in a line. `probe` is a `GET /metadata`, `list` reads the playlist of a batch. */
const lineSteps = [...containerSteps, 'probe', 'list'] as const

export const waitingOf = (fleets: readonly Pick<FleetReport, 'waiting'>[]): WaitingSteps[] =>
  lineSteps.map((step) => {
    const lines = fleets.flatMap(({ waiting }) => waiting.get(step) ?? [])
    const oldestMs = Math.max(0, ...lines.map((line) => line.oldestMs))
    return { step, count: lines.reduce((sum, { count }) => sum + count, 0), oldestSeconds: oldestMs / 1_000 }
  })

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

import type { Work } from '../protocol/protocol.ts'
import type { Engine, EngineStatus } from './engines.ts'
import { type Waiting, works } from './place.ts'

export interface FleetMetrics {
  engines: Record<EngineStatus, number>
  /** Of running engines. */
  places: Record<Work, number>
  placesTaken: Record<Work, number>
  waiting: Map<string, { count: number; oldestMs: number }>
}

export const metricsOf = (engines: Iterable<Engine>, waiting: Iterable<Waiting>, now: number): FleetMetrics => {
  const metrics: FleetMetrics = {
    engines: { starting: 0, running: 0, draining: 0, unfit: 0, stopping: 0 },
    places: { network: 0, cpu: 0 },
    placesTaken: { network: 0, cpu: 0 },
    waiting: new Map(),
  }
  for (const { status, capacity, taken } of engines) {
    metrics.engines[status]++
    for (const work of works) {
      if (status === 'running') metrics.places[work] += capacity.places[work]
      metrics.placesTaken[work] += taken[work]
    }
  }
  for (const { step, since } of waiting) {
    const of = metrics.waiting.get(step) ?? { count: 0, oldestMs: 0 }
    metrics.waiting.set(step, { count: of.count + 1, oldestMs: Math.max(of.oldestMs, now - since) })
  }
  return metrics
}

import type { Capacity } from '../../../../domain/fleet/engines.ts'
import type { Place } from '../../../../domain/fleet/place.ts'
import type { EngineState } from '../../../../domain/protocol/protocol.ts'

/** A container in the simulation. It refuses what is more than it has. */
export class SimulatedEngine {
  readonly name: string
  readonly capacity: Capacity
  status: 'running' | 'draining' | 'dead' = 'running'
  readonly running = new Set<Place>()

  constructor(name: string, capacity: Capacity) {
    this.name = name
    this.capacity = capacity
  }

  begin(place: Place): boolean {
    const all = [...this.running, place]
    const taken = all.filter(({ work }) => work === place.work).length
    const diskBytes = all.reduce((sum, each) => sum + each.diskBytes, 0)
    if (this.status !== 'running' || taken > this.capacity.places[place.work]) return false
    if (diskBytes > this.capacity.diskBytes) return false
    this.running.add(place)
    return true
  }

  /** Whether the step was still running. */
  end(place: Place): boolean {
    return this.running.delete(place)
  }

  die(): void {
    this.status = 'dead'
    this.running.clear()
  }

  get state(): EngineState {
    return {
      status: this.status === 'draining' ? 'draining' : 'ok',
      ...this.capacity,
      running: [...this.running].map(({ id, accountId, jobId, step, diskBytes }) => ({
        placeId: id,
        accountId,
        jobId,
        step,
        diskBytes,
        attempt: 1,
      })),
    }
  }
}

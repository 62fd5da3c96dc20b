import type { Capacity } from '../../../domain/fleet/engines.ts'
import type { Place } from '../../../domain/fleet/place.ts'
import type { EngineState } from '../../../domain/protocol/protocol.ts'

/** A container in the simulation. It throws when it is given more than it has. */
export class SimulatedEngine {
  readonly name: string
  readonly capacity: Capacity
  status: 'running' | 'draining' | 'dead' = 'running'
  readonly running = new Set<Place>()

  constructor(name: string, capacity: Capacity) {
    this.name = name
    this.capacity = capacity
  }

  begin(place: Place): void {
    this.running.add(place)
    const taken = [...this.running].filter(({ work }) => work === place.work).length
    if (taken > this.capacity.places[place.work]) throw new Error(`${this.name} has no place for ${place.work}`)
    const diskBytes = [...this.running].reduce((sum, each) => sum + each.diskBytes, 0)
    if (diskBytes > this.capacity.diskBytes) throw new Error(`${this.name} has no ${diskBytes} bytes of disk`)
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

import type { FleetReport } from '../../../domain/fleet/fleet-report.ts'
import { operate } from '../actors/operator.ts'
import type { Invariants } from './seen.ts'

/** No place leaks: at rest nothing waits, no place is taken, and after a while no container runs and no fleet is awake. */
export const fleet = (): Invariants => ({
  atRest: async (seen) => {
    const response = await operate(seen.world, 'GET', '/admin/engines')
    const { data } = (await response.json()) as { data: { engines: EngineView[]; waiting: FleetReport['waiting'] } }
    for (const { name, places } of data.engines) {
      const taken = places.network.taken + places.cpu.taken
      if (taken > 0) seen.broken('no place leaks', name, `${taken} are taken`)
    }
    for (const { step, count } of data.waiting as unknown as { step: string; count: number }[]) {
      if (count > 0) seen.broken('at rest nothing waits for a place', step, `${count} steps`)
    }
  },
  atEnd: ({ world, broken }) => {
    for (const { name, pool } of world.containers.processes()) {
      broken('containers without work are stopped', name, `${pool.running} steps`)
    }
    const fleets = world.namespaces.FLEET_OBJECTS
    for (const name of fleets.names()) {
      const alarmAt = fleets.storage(name)?.alarmAt ?? null
      if (alarmAt !== null) broken('without work the fleet sleeps', name, 'its alarm is set')
    }
  },
})

interface EngineView {
  name: string
  places: { network: { taken: number }; cpu: { taken: number } }
}

import type { Place, PlaceRequest } from '../../domain/fleet/place.ts'
import type { ContainerStep } from '../../domain/jobs/step-resources.ts'
import type { Engine } from '../engine/engine.ts'

/**
 * How the start of a step ended. `not needed`: its job has ended, or is at another step or lease. `busy`, `unreachable`:
 * the engine did not take it. `later`: it waits for a deploy. `fault`: an object could not be reached.
 */
export type Started = 'started' | 'not needed' | 'busy' | 'unreachable' | 'later' | 'fault'

/** What a fleet reaches outside of its object. index.ts provides it. */
export interface FleetTargets {
  engine(name: string): Engine
  /** Claims the step from its account, under the place's id as its lease, and sends its order to the engine. */
  start(place: Place & { step: ContainerStep }): Promise<Started>
  /** The attempt at this place has ended without a report. */
  giveBack(place: Place, attempt: { isUsed: boolean }): Promise<unknown>
  /** The step is in the line. */
  waits(step: PlaceRequest): Promise<unknown>
  /** No engine has the disk space for the step. */
  refuse(step: PlaceRequest): Promise<unknown>
}

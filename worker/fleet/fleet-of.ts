import { type Region, regionOf } from '../../domain/account/regions.ts'
import { enginesOfFleet, type FleetEngines, fleetIndexOf, fleetName, readName } from '../../domain/fleet/fleet-index.ts'
import type { Place, PlaceRequest } from '../../domain/fleet/place.ts'
import type { OfferedModel } from '../../domain/jobs/speech-models.ts'
import type { ContainerStep } from '../../domain/jobs/step-resources.ts'
import { type Engine, placementOf } from '../engine/engine.ts'
import { type Config, configOf, expectedDiskBytes } from '../env.ts'

export const fleetOf = (env: Env, accountId: string) => {
  const { fleets, regions } = settingsOf(configOf(env))
  return named(env, fleetName(fleetIndexOf(accountId, fleets), regionOf(accountId, regions)))
}

/** If this fails, the fleet frees the place itself, after a state of the engine. */
export const endPlace = (env: Env, accountId: string, placeId: string): Promise<void> =>
  fleetOf(env, accountId)
    .ended(placeId)
    .catch((cause) => console.warn('a place was not freed', placeId, `${cause}`))

export interface ModelsOfEngines {
  /** null: none has said them yet. */
  models: OfferedModel[] | null
  tellsSpeakers: boolean | null
}

export const allFleets = (env: Env) => {
  const { fleets, regions } = settingsOf(configOf(env))
  const served: (Region | null)[] = regions.length > 0 ? regions : [null]
  return served.flatMap((region) => Array.from({ length: fleets }, (_, index) => named(env, fleetName(index, region))))
}

const named = (env: Env, name: string) => env.FLEET_OBJECTS.getByName(name, placementOf(name))

export interface FleetPlan extends FleetEngines {
  /** Someone else starts and stops the engines, so all of them are used. */
  areElsewhere: boolean
  expectedDiskBytes: number
}

/** The engines of the fleet object with this name. One whose region is not served any more keeps none of them warm. */
export const planOf = (config: Config, name: string): FleetPlan => {
  const { region, index } = readName(name)
  const { regions, ...settings } = settingsOf(config)
  const isServed = region === null ? regions.length === 0 : regions.includes(region)
  const { names, warm } = enginesOfFleet(index, settings, region)
  return {
    names,
    warm: isServed ? warm : 0,
    areElsewhere: config.engineUrls.length > 0,
    expectedDiskBytes: expectedDiskBytes(config),
  }
}

const settingsOf = ({ engineUrls, MIN_ENGINES, MAX_ENGINES, FLEETS, regions }: Config) => {
  const elsewhere = engineUrls.length
  const [minEngines, maxEngines] = elsewhere > 0 ? [elsewhere, elsewhere] : [MIN_ENGINES, MAX_ENGINES]
  // A fleet without engines could serve nobody.
  const fleets = Math.min(FLEETS, maxEngines)
  return { minEngines, maxEngines, fleets, regions: elsewhere > 0 ? [] : regions }
}

/**
 * `not needed`: its job has ended, or is at another step or attempt. `busy`, `unreachable`: the engine did not take it.
 * `later`: it waits for a deploy. `fault`: an object could not be reached.
 */
export type Started = 'started' | 'not needed' | 'busy' | 'unreachable' | 'later' | 'fault'

export interface FleetTargets {
  engine(name: string): Engine
  /** Claims the step from its account, under the place's id as its lease, and sends its order to the engine. */
  start(place: Place & { step: ContainerStep }): Promise<Started>
  giveBack(place: Place, attempt: { isUsed: boolean }): Promise<unknown>
  waits(step: PlaceRequest): Promise<unknown>
  refuse(step: PlaceRequest): Promise<unknown>
}

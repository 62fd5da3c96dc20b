import { enginesOfFleet, type FleetEngines, fleetIndexOf } from '../../domain/fleet/fleet-index.ts'
import { type Config, configOf, expectedDiskBytes } from '../env.ts'

/** The fleet object that serves an account. */
export const fleetOf = (env: Env, accountId: string) => {
  const { fleets } = settingsOf(configOf(env))
  return env.FLEET_OBJECTS.getByName(`${PREFIX}${fleetIndexOf(accountId, fleets)}`)
}

/** If this fails, the fleet frees the place itself, after a state of the engine. */
export const endPlace = async (env: Env, accountId: string, placeId: string): Promise<void> => {
  try {
    await fleetOf(env, accountId).ended(placeId)
  } catch (cause) {
    console.warn('a place was not freed', placeId, `${cause}`)
  }
}

/** All of them, for operators. */
export const allFleets = (env: Env) => {
  const { fleets } = settingsOf(configOf(env))
  return Array.from({ length: fleets }, (_, index) => env.FLEET_OBJECTS.getByName(`${PREFIX}${index}`))
}

export interface FleetPlan extends FleetEngines {
  /** Someone else starts and stops the engines, so all of them are used. */
  areElsewhere: boolean
  /** What an engine has for its steps, until one has said it. */
  expectedDiskBytes: number
}

/** The engines of the fleet object with this name. */
export const planOf = (config: Config, fleetName: string): FleetPlan => ({
  ...enginesOfFleet(Number(fleetName.slice(PREFIX.length)), settingsOf(config)),
  areElsewhere: config.engineUrls.length > 0,
  expectedDiskBytes: expectedDiskBytes(config),
})

const PREFIX = 'fleet-'

const settingsOf = ({ engineUrls, minEngines, maxEngines, fleets }: Config) => {
  const elsewhere = engineUrls.length
  const engines = elsewhere > 0 ? { minEngines: elsewhere, maxEngines: elsewhere } : { minEngines, maxEngines }
  // A fleet without engines could serve nobody.
  return { ...engines, fleets: Math.min(fleets, engines.maxEngines) }
}

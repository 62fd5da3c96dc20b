import { partOf } from '../part-of.ts'

/**
 * One fleet object grants a few hundred places a second. Above that, `FLEETS` objects share the work: an account always
 * asks the same fleet, and an engine always belongs to the same fleet.
 */

export const fleetIndexOf = (accountId: string, fleets: number): number => partOf(accountId, fleets)

export const engineName = (index: number): string => `engine-${index}`

export interface FleetEngines {
  /** The names of the engines that the fleet may start. */
  names: readonly string[]
  /** So many of them, the first ones, stay warm. */
  warm: number
}

/** Engine i belongs to fleet i % fleets. */
export const enginesOfFleet = (
  fleet: number,
  { fleets, minEngines, maxEngines }: { fleets: number; minEngines: number; maxEngines: number },
): FleetEngines => {
  const indexes = Array.from({ length: maxEngines }, (_, index) => index).filter((index) => index % fleets === fleet)
  return { names: indexes.map(engineName), warm: indexes.filter((index) => index < minEngines).length }
}

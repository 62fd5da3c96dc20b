import { partOf } from '../part-of.ts'
import { isRegion, type Region } from '../regions.ts'

/**
 * One fleet object grants a few hundred places a second. Above that, `FLEETS` objects share the work: an account always
 * asks the same fleet, and an engine always belongs to the same fleet. Each region has such fleets and engines of its own.
 */

export const fleetIndexOf = (accountId: string, fleets: number): number => partOf(accountId, fleets)

/** `fleet-0` without regions, else `fleet-weur-0`. */
export const fleetName = (index: number, region: Region | null = null): string => named('fleet', region, index)

/** `engine-0` or `engine-weur-0`. */
export const engineName = (index: number, region: Region | null = null): string => named('engine', region, index)

const named = (kind: string, region: Region | null, index: number): string =>
  [kind, ...(region ? [region] : []), index].join('-')

/** The region and the number in the name of a fleet or an engine. */
export const readName = (name: string): { region: Region | null; index: number } => {
  const [, ...parts] = name.split('-')
  const region = isRegion(parts[0]) ? parts[0] : null
  return { region, index: Number(parts.at(-1)) }
}

export interface FleetEngines {
  /** The names of the engines that the fleet may start. */
  names: readonly string[]
  /** So many of them, the first ones, stay warm. */
  warm: number
}

/** Engine i belongs to fleet i % fleets of its region. */
export const enginesOfFleet = (
  fleet: number,
  { fleets, minEngines, maxEngines }: { fleets: number; minEngines: number; maxEngines: number },
  region: Region | null = null,
): FleetEngines => {
  const indexes = Array.from({ length: maxEngines }, (_, index) => index).filter((index) => index % fleets === fleet)
  return {
    names: indexes.map((index) => engineName(index, region)),
    warm: indexes.filter((index) => index < minEngines).length,
  }
}

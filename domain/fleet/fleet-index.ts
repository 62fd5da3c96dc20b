import { partOf } from '../account/part-of.ts'
import { isRegion, type Region } from '../account/regions.ts'

/** One object grants a few hundred places a second. Above that, `FLEETS` of them share the accounts and engines. */

export const fleetIndexOf = (accountId: string, fleets: number): number => partOf(accountId, fleets)

export const fleetName = (index: number, region: Region | null = null): string => named('fleet', region, index)

export const engineName = (index: number, region: Region | null = null): string => named('engine', region, index)

const named = (kind: string, region: Region | null, index: number): string =>
  [kind, ...(region ? [region] : []), index].join('-')

export const readName = (name: string): { region: Region | null; index: number } => {
  const [, ...parts] = name.split('-')
  const region = isRegion(parts[0]) ? parts[0] : null
  return { region, index: Number(parts.at(-1)) }
}

export interface FleetEngines {
  names: readonly string[]
  /** So many of them, the first ones, stay warm. */
  warm: number
}

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

/**
 * One fleet object grants a few hundred places a second. Above that, `FLEETS` objects share the work: an account always
 * asks the same fleet, and an engine always belongs to the same fleet.
 */

/** FNV-1a with a final mix, because the ids of accounts differ in their last characters and `%` uses the lowest bits. */
export const fleetIndexOf = (accountId: string, fleets: number): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < accountId.length; at++) hash = Math.imul(hash ^ accountId.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % fleets
}

export const engineName = (index: number): string => `engine-${index}`

export interface FleetEngines {
  /** The names of the engines that the fleet may start. */
  names: string[]
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

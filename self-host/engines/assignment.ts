/** `host:port` of an engine, or null. */
export type Address = string | null

/** Which of the Worker's engines is where. */
export interface Assigned {
  address: string
  /** How many lookups in a row did not have the address. */
  missing: number
}

/** One lookup may lack an engine that is there. Two in a row mean that it has been removed. */
const GONE_AFTER = 2

/**
 * The Worker's list of engines is fixed at its start, so engines get positions in it. An engine keeps its position for
 * as long as it is found, a new one gets the first that is free. Engines for which there is no position are left out.
 */
export const assign = (before: readonly (Assigned | null)[], found: readonly string[]): (Assigned | null)[] => {
  const after = before.map((each) => {
    if (!each || found.includes(each.address)) return each && { ...each, missing: 0 }
    return each.missing + 1 < GONE_AFTER ? { ...each, missing: each.missing + 1 } : null
  })
  for (const address of found) {
    if (after.some((each) => each?.address === address)) continue
    const free = after.indexOf(null)
    if (free >= 0) after[free] = { address, missing: 0 }
  }
  return after
}

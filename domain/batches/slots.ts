/**
 * How many of an account's slots of a kind its items may take at once: all but one, which is for single requests. An
 * account with one slot has none to keep free.
 */
export const itemSlots = (limit: number): number => Math.max(1, limit - 1)

/** URLs of items are checked ahead: as many as may run, within reason. */
const MAX_AHEAD = 10

export const turnsAhead = (limit: number): number => Math.min(itemSlots(limit), MAX_AHEAD)

/** A URL given twice is one item. */
export const distinct = <T extends { url: string }>(items: readonly T[]): T[] => {
  const seen = new Set<string>()
  return items.filter(({ url }) => !seen.has(url) && seen.add(url))
}

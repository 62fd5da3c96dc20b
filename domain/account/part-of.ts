/** FNV-1a with a final mix, because ids differ in their last characters and `%` uses the lowest bits. */
export const partOf = (id: string, parts: number): number => {
  let hash = 0x811c9dc5
  for (let at = 0; at < id.length; at++) hash = Math.imul(hash ^ id.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return ((hash ^ (hash >>> 16)) >>> 0) % parts
}

const PARTS = 1_000_000

/** Whether an id is in a share of all, from 0 to 1. It depends on the id only, so everyone who asks gets the same answer. */
export const isInShare = (id: string, share: number): boolean => partOf(id, PARTS) < share * PARTS

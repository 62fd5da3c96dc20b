import type { FileRange } from './sparse-file.ts'

/** What may still be fetched of a file. */
export interface Budget {
  bytes: number
  requests: number
}

/**
 * Reading the bytes between two ranges is cheaper than another request. The first distance is the usual one. The next
 * two need fewer requests, the others fewer bytes.
 */
const NEAR_BYTES = [32 * 1024, 256 * 1024, 1024 * 1024, 8 * 1024, 0]

/** Few requests that cover these ranges; null if the budget does not allow any. */
export const mergeRanges = (ranges: FileRange[], budget: Budget): FileRange[] | null => {
  const sorted = ranges.toSorted((one, other) => one.start - other.start)
  for (const nearBytes of NEAR_BYTES) {
    const merged = mergeNear(sorted, nearBytes)
    const bytes = merged.reduce((sum, { start, end }) => sum + end - start, 0)
    if (bytes <= budget.bytes && merged.length <= budget.requests) return merged
  }
  return null
}

const mergeNear = (sorted: FileRange[], nearBytes: number): FileRange[] => {
  const merged: FileRange[] = []
  for (const { start, end } of sorted) {
    const last = merged.at(-1)
    if (last && start - last.end <= nearBytes) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

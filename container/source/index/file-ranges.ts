/** `end` is exclusive. */
export interface FileRange {
  start: number
  end: number
}

/** Ranges in order that neither overlap nor have fewer than `nearBytes` between them. */
export const united = (ranges: FileRange[], nearBytes = 0): FileRange[] => {
  const merged: FileRange[] = []
  for (const { start, end } of ranges.toSorted((one, other) => one.start - other.start)) {
    const last = merged.at(-1)
    if (end <= start) continue
    if (last && start - last.end <= nearBytes) last.end = Math.max(last.end, end)
    else merged.push({ start, end })
  }
  return merged
}

/** Index of the last range that starts at or before an offset; 0 if there is none. The ranges are in order. */
export const indexAt = (ranges: readonly { start: number }[], offset: number): number => {
  let [low, high] = [0, ranges.length - 1]
  while (low < high) {
    const middle = Math.ceil((low + high) / 2)
    if ((ranges[middle]?.start ?? 0) <= offset) low = middle
    else high = middle - 1
  }
  return low
}

/** What may still be fetched of a file. */
export interface Budget {
  bytes: number
  requests: number
}

/**
 * Reading the bytes between two ranges is cheaper than another request. The first distance is the usual one. The next two
 * need fewer requests, the others fewer bytes.
 */
const NEAR_BYTES = [32 * 1024, 256 * 1024, 1024 * 1024, 8 * 1024, 0]

/** Few requests that cover these ranges; null if the budget does not allow any. */
export const mergeRanges = (ranges: FileRange[], { bytes, requests }: Budget): FileRange[] | null => {
  const candidates = NEAR_BYTES.values().map((nearBytes) => united(ranges, nearBytes))
  return candidates.find((merged) => bytesIn(merged) <= bytes && merged.length <= requests) ?? null
}

/** The bytes of `ranges` that `others` does not have. The ranges of each list are in order and do not overlap. */
export const without = (ranges: FileRange[], others: FileRange[]): FileRange[] => {
  const left: FileRange[] = []
  let next = 0
  for (const { start, end } of ranges) {
    let at = start
    while ((others[next]?.end ?? Number.POSITIVE_INFINITY) <= at) next++
    for (let index = next; at < end; index++) {
      const other = others[index]
      const gapEnd = Math.min(end, other?.start ?? end)
      if (gapEnd > at) left.push({ start: at, end: gapEnd })
      at = Math.max(at, other?.end ?? end)
    }
  }
  return left
}

export const bytesIn = (ranges: FileRange[]): number => ranges.reduce((sum, { start, end }) => sum + end - start, 0)

/** A sequence of items that is split into runs, each of which fits a limit: a segment, or a caption cue. */
export interface Row {
  length: number
  /** The furthest end (exclusive) of a run that starts at `from`. At least `from + 1`, and never less for a later start. */
  reach: (from: number) => number
  /** How good a break before item `at` is: 0 between two words, 1 or more after a clause, highest after a sentence. */
  quality: (at: number) => number
}

/** Yields as few runs as good breaks allow. The last two have similar lengths, so that no run is a single word. */
export function* runs(row: Row): Generator<[from: number, to: number]> {
  let from = 0
  while (from < row.length) {
    const to = bestBreak(row, from)
    yield [from, to]
    from = to
  }
}

const bestBreak = (row: Row, from: number): number => {
  const furthest = row.reach(from)
  if (furthest >= row.length) return row.length
  const restFits = row.reach(furthest) >= row.length
  const ideal = restFits ? Math.min(furthest, Math.ceil((from + row.length) / 2)) : furthest
  let best = furthest
  let bestScore = -Infinity
  for (let at = furthest; at > from + (furthest - from) / 3; at--) {
    if (restFits && row.reach(at) < row.length) break
    const score = row.quality(at) - (2 * Math.abs(at - ideal)) / (furthest - from)
    if (score > bestScore) [best, bestScore] = [at, score]
  }
  return best
}

/** Consecutive items in one group, for as long as each continues the one before it. */
export const grouped = <T>(items: Iterable<T>, continues: (previous: T, item: T) => boolean): T[][] => {
  const groups: T[][] = []
  let previous: T | undefined
  for (const item of items) {
    if (previous !== undefined && continues(previous, item)) groups.at(-1)?.push(item)
    else groups.push([item])
    previous = item
  }
  return groups
}

/** The first index in a range at which `isAt`, which stays true from there on. `to`: there is none. */
export const firstIndex = (from: number, to: number, isAt: (index: number) => boolean): number => {
  let [low, high] = [from, to]
  while (low < high) {
    const middle = (low + high) >> 1
    if (isAt(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Items in a row that must be cut into runs, each of which fits. */
export interface Row {
  length: number
  /** The furthest end of a run that starts at `from`: at least `from + 1`, never less for a later start. */
  reach: (from: number) => number
  /** How good a cut before item `at` is: 0 between two words, 1 or more after a clause, most after a sentence. */
  quality: (at: number) => number
}

/** As few runs as good cuts allow; the last two share what is left, so that no run is a single lost word. */
export function* runs(row: Row): Generator<[from: number, to: number]> {
  let from = 0
  while (from < row.length) {
    const to = bestCut(row, from)
    yield [from, to]
    from = to
  }
}

const bestCut = (row: Row, from: number): number => {
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

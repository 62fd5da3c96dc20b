/** How long engines took to start: from the decision to the engine's first state. */
export interface EngineStarts {
  /** How many starts are in each bucket of START_BOUNDS_SECONDS, and in none of them. */
  counts: number[]
  totalMs: number
}

export const START_BOUNDS_SECONDS = [0.5, 1, 2, 5, 10, 20, 30, 60, 120] as const

export const noStarts = (): EngineStarts => ({
  counts: Array.from({ length: START_BOUNDS_SECONDS.length + 1 }, () => 0),
  totalMs: 0,
})

export const startBucketOf = (durationMs: number): number => {
  const bucket = START_BOUNDS_SECONDS.findIndex((bound) => durationMs <= bound * 1_000)
  return bucket === -1 ? START_BOUNDS_SECONDS.length : bucket
}

export const sumOfStarts = (all: readonly EngineStarts[]): EngineStarts => {
  const sum = noStarts()
  for (const { counts, totalMs } of all) {
    sum.counts = sum.counts.map((count, bucket) => count + (counts[bucket] ?? 0))
    sum.totalMs += totalMs
  }
  return sum
}

/** How long the work takes. */
export const seconds = async (work: () => Promise<unknown>): Promise<number> => {
  const from = performance.now()
  await work()
  return (performance.now() - from) / 1000
}

export const median = (values: number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN

/** The median of several runs, in seconds. */
export const medianOf = async (times: number, work: () => Promise<unknown>): Promise<number> => {
  const runs: number[] = []
  for (let i = 0; i < times; i++) runs.push(await seconds(work))
  return median(runs)
}

/** The median of the ratios of runs that took turns. */
export const ratioOf = (ours: number[], theirs: number[]): number =>
  median(ours.map((each, run) => each / (theirs[run] ?? Number.NaN)))

/** The lowest value that this share of them does not exceed. */
export const percentile = (values: number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

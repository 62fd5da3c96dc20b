/** Mulberry32: the same numbers in each run. */
export const randomFrom = (seed: number) => {
  let state = seed
  return (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

export type Random = ReturnType<typeof randomFrom>

/** Sizes of files on the internet: most are small, and the few large ones have most of the bytes. */
export const pareto = (
  random: Random,
  { least, most, shape }: { least: number; most: number; shape: number },
): number => Math.min(most, least / (1 - random()) ** (1 / shape))

/** Times between independent arrivals. */
export const exponential = (random: Random, mean: number): number => -Math.log(1 - random()) * mean

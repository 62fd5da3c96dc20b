import type { randomFrom } from '../../../support/random-numbers.ts'

export type Random = ReturnType<typeof randomFrom>

/** Sizes of files on the internet: most are small, and the few large ones have most of the bytes. */
export const pareto = (
  random: Random,
  { least, most, shape }: { least: number; most: number; shape: number },
): number => Math.min(most, least / (1 - random()) ** (1 / shape))

/** Times between independent arrivals. */
export const exponential = (random: Random, mean: number): number => -Math.log(1 - random()) * mean

/**
 * Whole numbers of 32 bits, the same for the same seed: mulberry32. Its 32 bits of state are enough where far fewer numbers
 * are drawn than its period has.
 */
export const wholeNumbersFrom = (seed: number): (() => number) => {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return (mixed ^ (mixed >>> 14)) >>> 0
  }
}

/** From 0 to below 1. */
export const randomFrom = (seed: number): (() => number) => {
  const next = wholeNumbersFrom(seed)
  return () => next() / 2 ** 32
}

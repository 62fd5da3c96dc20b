import { wholeNumbersFrom } from '../support/random-numbers.ts'

/** A seeded stream of random numbers. Streams of different names do not influence each other. */
export interface Random {
  /** From 0 to below 1. */
  next(): number
  /** A whole number from `least` to `most`, both included. */
  between(least: number, most: number): number
  /** True in this share of the calls. */
  chance(share: number): boolean
  fill(bytes: Uint8Array): void
  /** A separate stream. It depends only on this one's seed and on the name. */
  fork(name: string): Random
}

export const createRandom = (seed: string): Random => {
  const nextUint32 = wholeNumbersFrom(hashOf(seed))
  const next = () => nextUint32() / 2 ** 32
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (share) => share > 0 && next() < share,
    fill: (bytes) => {
      for (let index = 0; index < bytes.length; index++) bytes[index] = nextUint32() >>> 24
    },
    fork: (name) => createRandom(`${seed}/${name}`),
  }
}

/** FNV-1a. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  return hash | 0
}

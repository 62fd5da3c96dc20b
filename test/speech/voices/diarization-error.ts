import type { Turn } from '../../../domain/words/turns.ts'

const FRAMES_PER_SECOND = 100

export interface DiarizationError {
  /** Speech of which nobody was found to speak, per speech. The others likewise. */
  missed: number
  falseAlarm: number
  confused: number
  /** All three: the diarization error rate (DER). */
  total: number
}

/**
 * Compares who was found to speak with who does, in frames of 10 ms, with the names that agree best. `collarSeconds` around
 * each start and end of the truth are not counted, as is usual: where exactly a turn begins is a matter of taste.
 */
export const diarizationError = (truth: Turn[], found: Turn[], collarSeconds = 0.25): DiarizationError => {
  const length = Math.ceil(Math.max(...[...truth, ...found].map(({ end }) => end)) * FRAMES_PER_SECOND) + 1
  const counted = withoutCollars(truth, length, collarSeconds)
  const [real, guessed] = [rowsOf(truth, length), rowsOf(found, length)]
  const sums = { speech: 0, missed: 0, falseAlarm: 0, confused: 0 }
  const common = real.map((one) => guessed.map((other) => countBoth(one, other, counted)))
  let right = 0
  for (const [one, other] of bestPairs(common)) right += common[one]?.[other] ?? 0
  for (let frame = 0; frame < length; frame++) {
    if (!counted[frame]) continue
    const [speaking, heard] = [countAt(real, frame), countAt(guessed, frame)]
    sums.speech += speaking
    sums.missed += Math.max(0, speaking - heard)
    sums.falseAlarm += Math.max(0, heard - speaking)
    sums.confused += Math.min(speaking, heard)
  }
  const [missed, falseAlarm, confused] = [sums.missed, sums.falseAlarm, sums.confused - right].map(
    (frames) => frames / sums.speech,
  ) as [number, number, number]
  return { missed, falseAlarm, confused, total: missed + falseAlarm + confused }
}

const speakersIn = (turns: Turn[]): string[] => [...new Set(turns.map(({ speaker }) => speaker))]

/** For each speaker, in which frames he speaks. */
const rowsOf = (turns: Turn[], length: number): Uint8Array[] =>
  speakersIn(turns).map((speaker) => {
    const row = new Uint8Array(length)
    for (const turn of turns) {
      if (turn.speaker === speaker) row.fill(1, frameAt(turn.start), frameAt(turn.end))
    }
    return row
  })

const frameAt = (seconds: number): number => Math.round(seconds * FRAMES_PER_SECOND)

const withoutCollars = (truth: Turn[], length: number, collarSeconds: number): Uint8Array => {
  const counted = new Uint8Array(length).fill(1)
  for (const edge of truth.flatMap(({ start, end }) => [start, end])) {
    counted.fill(0, Math.max(0, frameAt(edge - collarSeconds)), frameAt(edge + collarSeconds))
  }
  return counted
}

const countBoth = (one: Uint8Array, other: Uint8Array, counted: Uint8Array): number =>
  one.reduce((sum, speaks, frame) => sum + (speaks & (other[frame] ?? 0) & (counted[frame] ?? 0)), 0)

const countAt = (rows: Uint8Array[], frame: number): number => rows.reduce((sum, row) => sum + (row[frame] ?? 0), 0)

/** Pairs of a row and a column, each at most once, whose sum is the highest. Tries all, so it is for a few people. */
const bestPairs = (common: number[][], row = 0, used = new Set<number>()): [number, number][] => {
  const candidates = common[row]
  if (!candidates) return []
  const sumOf = (pairs: [number, number][]) => pairs.reduce((sum, [one, other]) => sum + (common[one]?.[other] ?? 0), 0)
  let best = bestPairs(common, row + 1, used)
  for (const column of candidates.keys()) {
    if (used.has(column) || !candidates[column]) continue
    const pairs: [number, number][] = [[row, column], ...bestPairs(common, row + 1, new Set(used).add(column))]
    if (sumOf(pairs) > sumOf(best)) best = pairs
  }
  return best
}

import type { Turn } from '../../../domain/words/speaker-turns.ts'

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
  const right = bestSum(common)
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

/** The highest sum of pairs of a row and a column, each at most once. `best[set]` is the sum with the columns of a set in use. */
const bestSum = (common: number[][]): number => {
  let best = new Map([[0, 0]])
  for (const row of common) {
    const next = new Map(best)
    for (const [used, sum] of best) {
      for (const [column, frames] of row.entries()) {
        const set = used | (1 << column)
        if (set !== used) next.set(set, Math.max(next.get(set) ?? 0, sum + frames))
      }
    }
    best = next
  }
  return Math.max(...best.values())
}

/** The letter that most of a person's speech has. */
export const nameOf = (person: string, truth: Turn[], turns: Turn[]): string | undefined => {
  const shared = new Map<string, number>()
  for (const one of truth.filter(({ speaker }) => speaker === person)) {
    for (const { start, end, speaker } of turns) {
      const overlap = Math.max(0, Math.min(end, one.end) - Math.max(start, one.start))
      shared.set(speaker, (shared.get(speaker) ?? 0) + overlap)
    }
  }
  return [...shared].sort(([, one], [, other]) => other - one)[0]?.[0]
}

import { inOrder, milliseconds, type Segment } from '../domain/words/segment.ts'
import { join } from '../domain/words/writing.ts'
import type { Recognition } from './recognition.ts'

export interface RecognizedPiece {
  /** Where the piece was cut out of the whole. */
  offsetSeconds: number
  result: Recognition
}

/** One transcript out of pieces that were recognized side by side and came back in any order. */
export const joinPieces = (pieces: RecognizedPiece[]): Recognition => {
  const sorted = pieces.toSorted((a, b) => a.offsetSeconds - b.offsetSeconds)
  const words = sorted.flatMap(({ offsetSeconds, result }) => shift(result.words ?? [], offsetSeconds))
  return {
    segments: inOrder(sorted.flatMap(({ offsetSeconds, result }) => shift(result.segments, offsetSeconds))),
    ...(words.length > 0 ? { words } : {}),
    language: mostSpoken(sorted),
    durationSeconds: milliseconds(
      Math.max(0, ...sorted.map(({ offsetSeconds, result }) => offsetSeconds + result.durationSeconds)),
    ),
    text: join(sorted.map(({ result }) => result.text)),
  }
}

const shift = (segments: Segment[], bySeconds: number): Segment[] =>
  segments.map((segment) => ({
    ...segment,
    start: milliseconds(segment.start + bySeconds),
    end: milliseconds(segment.end + bySeconds),
  }))

/** A jingle at the start may be heard as another language, so the one with the most text counts. */
const mostSpoken = (pieces: RecognizedPiece[]): string | null => {
  const letters = new Map<string, number>()
  for (const { result } of pieces)
    if (result.language !== null) letters.set(result.language, (letters.get(result.language) ?? 0) + result.text.length)
  return [...letters].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

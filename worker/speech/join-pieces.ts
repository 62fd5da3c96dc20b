import { inOrder, milliseconds, type Segment } from '../../domain/words/segment.ts'
import { join } from '../../domain/words/writing.ts'
import type { RecognizedAudio } from './recognition.ts'

export interface RecognizedPiece {
  /** From the start of the media. */
  offsetSeconds: number
  result: RecognizedAudio
}

/** Pieces are recognized in parallel, so they may be passed in any order. */
export const joinPieces = (pieces: RecognizedPiece[]): RecognizedAudio => {
  const sorted = pieces.toSorted((a, b) => a.offsetSeconds - b.offsetSeconds)
  const words = sorted.flatMap(({ offsetSeconds, result }) => shift(result.words ?? [], offsetSeconds))
  return {
    segments: inOrder(sorted.flatMap(({ offsetSeconds, result }) => shift(result.segments, offsetSeconds))),
    ...(words.length > 0 ? { words } : {}),
    language: mainLanguage(sorted),
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

/** The language with the most text, because a jingle at the start is often detected as another language. */
const mainLanguage = (pieces: RecognizedPiece[]): string | null => {
  const letters = new Map<string, number>()
  for (const { result } of pieces)
    if (result.language !== null) letters.set(result.language, (letters.get(result.language) ?? 0) + result.text.length)
  return [...letters].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

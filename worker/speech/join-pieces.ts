import { inOrder, milliseconds, type Segment, type SegmentWord } from '../../domain/words/segment.ts'
import { join } from '../../domain/words/writing.ts'
import type { RecognizedAudio } from './recognition.ts'
import { labelSpeakers } from './speaker-labels.ts'

export interface RecognizedPiece {
  /** From the start of the media. */
  offsetSeconds: number
  result: RecognizedAudio
}

/** What is known of the speakers: the names that the caller has given to the provider. null: they were not asked for. */
export type Speakers = { known: string[] } | null

/** Pieces are recognized in parallel, so they may be passed in any order. */
export const joinPieces = (pieces: RecognizedPiece[], speakers: Speakers = null): RecognizedAudio => {
  const sorted = pieces.toSorted((a, b) => a.offsetSeconds - b.offsetSeconds)
  const shifted = sorted.map(({ offsetSeconds, result }) => shift(result.segments, offsetSeconds))
  return {
    segments: inOrder((speakers ? labelSpeakers(shifted, speakers.known) : shifted).flat()),
    language: mainLanguage(sorted),
    durationSeconds: milliseconds(
      Math.max(0, ...sorted.map(({ offsetSeconds, result }) => offsetSeconds + result.durationSeconds)),
    ),
    text: join(sorted.map(({ result }) => result.text)),
  }
}

const shift = (segments: Segment[], bySeconds: number): Segment[] =>
  segments.map((segment) => ({
    ...shiftTimes(segment, bySeconds),
    ...(segment.words && { words: segment.words.map((word) => shiftTimes(word, bySeconds)) }),
  }))

const shiftTimes = <Timed extends Segment | SegmentWord>(timed: Timed, bySeconds: number): Timed => ({
  ...timed,
  start: milliseconds(timed.start + bySeconds),
  end: milliseconds(timed.end + bySeconds),
})

/** The language with the most text, because a jingle at the start is often detected as another language. */
const mainLanguage = (pieces: RecognizedPiece[]): string | null => {
  const letters = new Map<string, number>()
  for (const { result } of pieces)
    if (result.language !== null) letters.set(result.language, (letters.get(result.language) ?? 0) + result.text.length)
  return [...letters].sort(([, a], [, b]) => b - a)[0]?.[0] ?? null
}

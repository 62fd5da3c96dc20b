import { mainLanguage } from '../../domain/words/main-language.ts'
import { inOrder, milliseconds, type Segment, type SegmentWord } from '../../domain/words/segment.ts'
import type { RecognizedAudio } from './recognition.ts'

export interface RecognizedPiece {
  /** From the start of the media. */
  offsetSeconds: number
  result: RecognizedAudio
}

/** `known`: the names that the caller has given to the provider. null: the request does not ask for speakers. */
export type Speakers = { known: string[] } | null

/** Pieces are recognized in parallel, so they may be passed in any order. */
export const joinPieces = (pieces: RecognizedPiece[], speakers: Speakers = null): RecognizedAudio => {
  const sorted = pieces.toSorted((a, b) => a.offsetSeconds - b.offsetSeconds)
  const ends = sorted.map(({ offsetSeconds, result }) => offsetSeconds + result.durationSeconds)
  const shifted = sorted.map(({ offsetSeconds, result }) => shift(result.segments, offsetSeconds))
  return {
    segments: inOrder((speakers ? labelSpeakers(shifted, speakers.known) : shifted).flat()),
    ...languageOf(sorted),
    ...modelOf(sorted),
    durationSeconds: milliseconds(Math.max(0, ...ends)),
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

const languageOf = (pieces: RecognizedPiece[]): Pick<RecognizedAudio, 'language' | 'languageProbability'> => {
  const parts = pieces.map(({ result: { language, languageProbability: probability, segments } }) => {
    const letters = segments.reduce((sum, { text }) => sum + text.length, 0)
    return { language, probability, letters }
  })
  const { language, languageProbability } = mainLanguage(parts)
  return { language, ...(languageProbability !== null && { languageProbability }) }
}

/** What the first piece says of them. A vocabulary was used if it was for one of the pieces. */
const modelOf = (pieces: RecognizedPiece[]): Pick<RecognizedAudio, 'model' | 'vocabulary'> => {
  const results = pieces.map(({ result }) => result)
  const model = results.find((result) => result.model !== undefined)?.model
  const used = results.flatMap(({ vocabulary = [] }) => vocabulary)
  return { ...(model !== undefined && { model }), ...(used.length > 0 && { vocabulary: used.includes(true) }) }
}

/**
 * Names the speakers "A", "B" and so on, in order of appearance. A provider labels each piece anew, so speakers of
 * different pieces have different letters. A word without a label has that of its segment. `known` are names that the
 * caller has given with samples of voices, and stay as they are.
 */
export const labelSpeakers = (pieces: Segment[][], known: string[]): Segment[][] => {
  const names = unusedLetters(known)
  return pieces.map((segments) => {
    const labels = new Map(known.map((name) => [name, name]))
    const labelOf = (speaker: string | undefined): { speaker?: string } => {
      if (speaker === undefined) return {}
      const label = labels.get(speaker) ?? names.next().value
      labels.set(speaker, label)
      return { speaker: label }
    }
    return segments.map(({ words, ...segment }) => ({
      ...segment,
      ...labelOf(segment.speaker),
      ...(words && { words: words.map((word) => ({ ...word, ...labelOf(word.speaker ?? segment.speaker) })) }),
    }))
  })
}

function* unusedLetters(used: string[]): Generator<string, never> {
  for (let number = 0; ; number++) {
    const letters = lettersOf(number)
    if (!used.includes(letters)) yield letters
  }
}

/** A to Z, AA, AB and so on. */
const lettersOf = (number: number): string =>
  (number < 26 ? '' : lettersOf(Math.floor(number / 26) - 1)) + String.fromCharCode(65 + (number % 26))

import { milliseconds, type Segment } from '../../../worker/domain/words/segment.ts'
import { sentences, type Word } from '../../../worker/domain/words/sentences.ts'
import { join } from '../../../worker/domain/words/writing.ts'
import type { Heard, SpokenPiece } from './child.ts'

/** A few minutes of sound at most: a piece is in memory as a whole. */
export interface Piece {
  /** Where in the recording it begins. */
  offsetSeconds: number
  /** 16 kHz mono, 16-bit little-endian. */
  samples: Uint8Array
}

export interface RecognizeOptions {
  /** null lets the engine find out, from the first speech that it is sure of. */
  language: string | null
  signal: AbortSignal
  /** How far into the recording, in seconds. */
  onProgress?: (seconds: number) => void
}

export interface Recognition {
  /** As Whisper writes it, mostly two letters; null when nothing was said. */
  language: string | null
  /** Of reading length. None: nothing was said. */
  segments: Segment[]
  words: Word[]
  text: string
  durationSeconds: number
}

export type Hear = (piece: SpokenPiece) => Promise<Heard>

const BYTES_PER_SAMPLE = 2
const BYTES_PER_SECOND = 32_000

/** Pieces in their order through the engine, what it leaves over of one in front of the next. */
export const recognizeRecording = async (
  pieces: Iterable<Piece> | AsyncIterable<Piece>,
  { language, signal, onProgress = () => {} }: RecognizeOptions,
  hear: Hear,
): Promise<Recognition> => {
  const transcript = createTranscript(language)
  const take = async ({ offsetSeconds, samples }: Piece, isLast: boolean): Promise<Piece> => {
    const heard = await hear({
      ...{ samples, isLast, signal, language: transcript.language },
      onProgress: (seconds) => onProgress(offsetSeconds + seconds),
    })
    transcript.add(heard, offsetSeconds)
    const rest = samples.subarray(heard.heard * BYTES_PER_SAMPLE)
    const at = endOf({ offsetSeconds, samples }) - rest.byteLength / BYTES_PER_SECOND
    onProgress(at)
    return { offsetSeconds: at, samples: rest }
  }

  let rest: Piece | null = null
  let durationSeconds = 0
  signal.throwIfAborted()
  for await (const piece of pieces) {
    if (rest && !continues(rest, piece)) rest = await take(rest, true)
    rest = await take(joined(rest, piece), false)
    durationSeconds = endOf(piece)
  }
  if (rest && rest.samples.byteLength > 0) await take(rest, true)
  return { ...transcript.finish(), durationSeconds: milliseconds(durationSeconds) }
}

const endOf = ({ offsetSeconds, samples }: Piece): number => offsetSeconds + samples.byteLength / BYTES_PER_SECOND

/** Silent pieces may have been left out. */
const continues = (piece: Piece, next: Piece): boolean => Math.abs(endOf(piece) - next.offsetSeconds) < 0.001

const joined = (rest: Piece | null, piece: Piece): Piece =>
  rest === null || rest.samples.byteLength === 0
    ? piece
    : { offsetSeconds: rest.offsetSeconds, samples: Buffer.concat([rest.samples, piece.samples]) }

/** Below this a guess of the language is not kept for the rest. */
const SURE = 0.5

const createTranscript = (wanted: string | null) => {
  const words: Word[] = []
  const letters = new Map<string, number>()
  let known = baseLanguage(wanted)
  return {
    /** For the next piece. */
    get language() {
      return known
    },
    add: ({ language, probability, words: heard }: Heard, offsetSeconds: number) => {
      for (const word of heard) words.push(shifted(word, offsetSeconds))
      if (language === null) return
      const count = heard.reduce((sum, { text }) => sum + text.length, 0)
      letters.set(language, (letters.get(language) ?? 0) + count)
      // Where it was given it comes back as it is, unless the model was not taught it.
      if (probability >= SURE) known = language
    },
    finish: () => {
      const segments = sentences(words)
      return { language: mostHeard(letters), segments, words, text: join(segments.map(({ text }) => text)) }
    },
  }
}

const shifted = ({ text, start, end }: Word, seconds: number): Word => ({
  text,
  start: milliseconds(start + seconds),
  end: milliseconds(end + seconds),
})

const mostHeard = (letters: Map<string, number>): string | null =>
  [...letters].sort(([, one], [, other]) => other - one)[0]?.[0] ?? null

/** Whisper knows languages, not regions, and some by other names. */
const baseLanguage = (code: string | null): string | null => {
  const base = code?.trim().toLowerCase().split(/[-_]/)[0]
  return base ? (renamed[base] ?? base) : null
}
const renamed: Record<string, string> = { nb: 'no', iw: 'he', in: 'id', fil: 'tl', cmn: 'zh' }

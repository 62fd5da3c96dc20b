import { milliseconds, type Segment } from '../../domain/words/segment.ts'
import { sentences, type Word } from '../../domain/words/sentences.ts'
import { join } from '../../domain/words/writing.ts'
import type { RecognizedWords, RecognizeRequest } from './recognizer-process.ts'

/** A few minutes of audio at most: the whole piece is in memory. */
export interface RecordingPiece {
  /** The start of the piece in the recording. */
  offsetSeconds: number
  /** 16 kHz mono, 16-bit little-endian. */
  samples: Uint8Array
}

export interface RecognizeOptions {
  /** null detects the language from the first speech that is recognized with enough confidence. */
  language: string | null
  signal: AbortSignal
  /** The position in the recording, in seconds. */
  onProgress?: (seconds: number) => void
}

export interface RecognizedRecording {
  /** Whisper's language code, mostly two letters; null without speech. */
  language: string | null
  /** Sentences of reading length, with their words; empty without speech. */
  segments: Segment[]
  text: string
  durationSeconds: number
}

export type RecognizePiece = (request: RecognizeRequest) => Promise<RecognizedWords>

const BYTES_PER_SAMPLE = 2
const BYTES_PER_SECOND = 32_000

/** Recognizes the pieces in order. Samples that the recognizer leaves at the end of one are put before the next. */
export const recognizeRecording = async (
  pieces: Iterable<RecordingPiece> | AsyncIterable<RecordingPiece>,
  { language, signal, onProgress = () => {} }: RecognizeOptions,
  recognizePiece: RecognizePiece,
): Promise<RecognizedRecording> => {
  const transcript = createTranscript(language)
  const recognize = async ({ offsetSeconds, samples }: RecordingPiece, isLast: boolean): Promise<RecordingPiece> => {
    const recognized = await recognizePiece({
      samples,
      isLast,
      signal,
      language: transcript.language,
      onProgress: (seconds) => onProgress(offsetSeconds + seconds),
    })
    transcript.add(recognized, offsetSeconds)
    const rest = samples.subarray(recognized.consumedSamples * BYTES_PER_SAMPLE)
    const at = endOf({ offsetSeconds, samples }) - rest.byteLength / BYTES_PER_SECOND
    onProgress(at)
    return { offsetSeconds: at, samples: rest }
  }

  let rest: RecordingPiece | null = null
  let durationSeconds = 0
  signal.throwIfAborted()
  for await (const piece of pieces) {
    if (rest && !isContiguous(rest, piece)) rest = await recognize(rest, true)
    rest = await recognize(joined(rest, piece), false)
    durationSeconds = endOf(piece)
  }
  if (rest && rest.samples.byteLength > 0) await recognize(rest, true)
  return { ...transcript.finish(), durationSeconds: milliseconds(durationSeconds) }
}

const endOf = ({ offsetSeconds, samples }: RecordingPiece): number =>
  offsetSeconds + samples.byteLength / BYTES_PER_SECOND

/** False after a gap: silent pieces are not uploaded. */
const isContiguous = (piece: RecordingPiece, next: RecordingPiece): boolean =>
  Math.abs(endOf(piece) - next.offsetSeconds) < 0.001

const joined = (rest: RecordingPiece | null, piece: RecordingPiece): RecordingPiece =>
  rest === null || rest.samples.byteLength === 0
    ? piece
    : { offsetSeconds: rest.offsetSeconds, samples: Buffer.concat([rest.samples, piece.samples]) }

/** A language detected with a lower probability is not used for the following pieces. */
const MIN_LANGUAGE_PROBABILITY = 0.5

const createTranscript = (requestedLanguage: string | null) => {
  const words: Word[] = []
  const lettersByLanguage = new Map<string, number>()
  let known = baseLanguage(requestedLanguage)
  return {
    /** For the next piece. */
    get language() {
      return known
    },
    add: ({ language, probability, words: recognized }: RecognizedWords, offsetSeconds: number) => {
      for (const word of recognized) words.push(shifted(word, offsetSeconds))
      if (language === null) return
      const letters = recognized.reduce((sum, { text }) => sum + text.length, 0)
      lettersByLanguage.set(language, (lettersByLanguage.get(language) ?? 0) + letters)
      // A given language comes back unchanged, unless the model does not support it.
      if (probability >= MIN_LANGUAGE_PROBABILITY) known = language
    },
    finish: () => {
      const segments = sentences(words)
      const text = join(segments.map((segment) => segment.text))
      return { language: mostFrequent(lettersByLanguage), segments, text }
    },
  }
}

const shifted = ({ text, start, end, confidence }: RecognizedWords['words'][number], seconds: number): Word => ({
  text,
  start: milliseconds(start + seconds),
  end: milliseconds(end + seconds),
  ...(confidence === null ? {} : { confidence }),
})

const mostFrequent = (lettersByLanguage: Map<string, number>): string | null =>
  [...lettersByLanguage].sort(([, one], [, other]) => other - one)[0]?.[0] ?? null

/** Whisper has codes for languages, not regions, and uses other codes for some. */
const baseLanguage = (code: string | null): string | null => {
  const base = code?.trim().toLowerCase().split(/[-_]/)[0]
  return base ? (whisperCodes[base] ?? base) : null
}
const whisperCodes: Record<string, string> = { nb: 'no', iw: 'he', in: 'id', fil: 'tl', cmn: 'zh' }

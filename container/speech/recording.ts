import type { Vocabulary } from '../../domain/protocol/protocol.ts'
import { type HeardPart, mainLanguage } from '../../domain/words/main-language.ts'
import { milliseconds, type Segment } from '../../domain/words/segment.ts'
import { sentences, type Word } from '../../domain/words/sentences.ts'
import { type Turn, wordsBySpeaker } from '../../domain/words/speaker-turns.ts'
import { join } from '../../domain/words/writing.ts'
import { MIN_LANGUAGE_PROBABILITY } from './choose-model.ts'
import type { RecognizedWords, RecognizeRequest } from './recognizer-process.ts'

/** A few minutes of audio at most: the whole piece is in memory. */
export interface RecordingPiece {
  /** The start of the piece in the recording. */
  offsetSeconds: number
  /** 16 kHz mono, 16-bit little-endian. */
  samples: Uint8Array
}

export type Pieces = Iterable<RecordingPiece> | AsyncIterable<RecordingPiece>

export interface RecognizeOptions {
  /** Absent: the default one. */
  model?: string | undefined
  /** null detects the language from the first speech that is recognized with enough confidence. */
  language: string | null
  /** Into English. */
  translate?: boolean
  vocabulary?: Vocabulary | undefined
  /** Who speaks when. Words get their speakers, and a sentence ends where the speaker changes. */
  turns?: Turn[]
  signal: AbortSignal
  /** The position in the recording, in seconds. */
  onProgress?: (seconds: number) => void
}

export interface RecognizedRecording {
  /** Mostly two letters; null without speech. */
  language: string | null
  /** How sure the model is of the language, from 0 to 1. null without speech. */
  languageProbability: number | null
  /** Sentences of reading length, with their words; empty without speech. */
  segments: Segment[]
  text: string
  durationSeconds: number
  /** The model that has heard it, or its last part. null: there was nothing to recognize. */
  model: string | null
}

const BYTES_PER_SAMPLE = 2
const BYTES_PER_SECOND = 32_000

/** Recognizes the pieces in order. Samples that the recognizer leaves at the end of one are put before the next. */
export const recognizeRecording = async (
  pieces: Pieces,
  { language, translate = false, vocabulary, turns = [], signal, onProgress = () => {} }: RecognizeOptions,
  recognizePiece: (request: RecognizeRequest) => Promise<RecognizedWords>,
): Promise<RecognizedRecording> => {
  const words: Word[] = []
  const heard: HeardPart[] = []
  let model: string | null = null
  /** The language of the next piece. */
  let known = baseLanguage(language)
  let rest: RecordingPiece | null = null
  const recognize = async ({ offsetSeconds, samples }: RecordingPiece, isLast: boolean): Promise<RecordingPiece> => {
    const recognized = await recognizePiece({
      samples,
      continues: rest !== null,
      isLast,
      signal,
      language: known,
      translate,
      vocabulary: vocabulary ?? null,
      onProgress: (seconds) => onProgress(offsetSeconds + seconds),
    })
    model = recognized.model
    for (const word of recognized.words) words.push(shifted(word, offsetSeconds))
    const { language: detected, probability } = recognized
    const letters = recognized.words.reduce((sum, { text }) => sum + text.length, 0)
    heard.push({ language: detected, letters, probability })
    // A given language comes back unchanged, unless the model does not support it.
    if (detected !== null && probability >= MIN_LANGUAGE_PROBABILITY) known = detected
    const left = samples.subarray(recognized.consumedSamples * BYTES_PER_SAMPLE)
    const at = endOf({ offsetSeconds, samples }) - left.byteLength / BYTES_PER_SECOND
    onProgress(at)
    return { offsetSeconds: at, samples: left }
  }

  let durationSeconds = 0
  signal.throwIfAborted()
  for await (const piece of pieces) {
    if (rest && !isContiguous(rest, piece)) {
      await recognize(rest, true)
      rest = null
    }
    rest = await recognize(joined(rest, piece), false)
    durationSeconds = endOf(piece)
  }
  if (rest && rest.samples.byteLength > 0) await recognize(rest, true)
  const segments = sentences(wordsBySpeaker(words, turns))
  const text = join(segments.map((segment) => segment.text))
  return { ...mainLanguage(heard), segments, text, model, durationSeconds: milliseconds(durationSeconds) }
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

const shifted = ({ text, start, end, confidence }: RecognizedWords['words'][number], seconds: number): Word => ({
  text,
  start: milliseconds(start + seconds),
  end: milliseconds(end + seconds),
  ...(confidence === null ? {} : { confidence }),
})

/** Whisper has codes for languages, not regions, and uses other codes for some. */
const baseLanguage = (code: string | null): string | null => {
  const base = code?.trim().toLowerCase().split(/[-_]/)[0]
  return base ? (whisperCodes[base] ?? base) : null
}
const whisperCodes: Record<string, string> = { nb: 'no', iw: 'he', in: 'id', fil: 'tl', cmn: 'zh' }

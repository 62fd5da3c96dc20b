import type { Vocabulary } from '../../domain/protocol/protocol.ts'
import { retry } from '../../domain/retry.ts'
import { type HeardPart, mainLanguage } from '../../domain/words/main-language.ts'
import { milliseconds, type Segment } from '../../domain/words/segment.ts'
import { sentences, type Word } from '../../domain/words/sentences.ts'
import { type Turn, wordsBySpeaker } from '../../domain/words/speaker-turns.ts'
import { join } from '../../domain/words/writing.ts'
import type { SpeechSettings } from '../config.ts'
import { checkInstallation, EngineUnavailable } from './model-folder.ts'
import { oneAtATime } from './one-at-a-time.ts'
import {
  type RecognizedWords,
  type RecognizeRequest,
  RecognizerDied,
  type RecognizerProcess,
  startRecognizerProcess,
  whisperFolder,
} from './recognizer-process.ts'

export type Recognizer = ReturnType<typeof createRecognizer>

/** A few minutes of audio at most: the whole piece is in memory. */
export interface RecordingPiece {
  /** The start of the piece in the recording. */
  offsetSeconds: number
  /** 16 kHz mono, 16-bit little-endian. */
  samples: Uint8Array
}

type Pieces = Iterable<RecordingPiece> | AsyncIterable<RecordingPiece>

export interface RecognizeOptions {
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
  /** Whisper's language code, mostly two letters; null without speech. */
  language: string | null
  /** How sure Whisper is of the language, from 0 to 1. null without speech. */
  languageProbability: number | null
  /** Sentences of reading length, with their words; empty without speech. */
  segments: Segment[]
  text: string
  durationSeconds: number
  /** The name of the weights. null: there was nothing to recognize. */
  model: string | null
}

/**
 * One process that keeps the model in memory and recognizes one recording at a time. It starts on first use or by `warm`,
 * and again after it has died.
 */
export const createRecognizer = (settings: SpeechSettings) => {
  let starting: Promise<RecognizerProcess> | null = null
  let running: RecognizerProcess | null = null
  let startError: string | null = null
  let stopped = false
  const inTurn = oneAtATime()

  const ensureRunning = (): Promise<RecognizerProcess> => {
    if (stopped) throw new EngineUnavailable('the speech engine was stopped')
    if (running?.alive) return Promise.resolve(running)
    starting ??= start().finally(() => {
      starting = null
    })
    return starting
  }
  const start = async (): Promise<RecognizerProcess> => {
    try {
      running = await startRecognizerProcess(settings)
    } catch (error) {
      startError = reasonOf(error)
      throw error instanceof EngineUnavailable ? error : new EngineUnavailable(startError, { cause: error })
    }
    startError = null
    if (stopped) running.stop()
    return running
  }
  /** If the process dies, the piece is retried once in a new process. */
  const recognizePiece: RecognizePiece = async (request) => {
    const { signal } = request
    const isRetryable = (error: unknown) => error instanceof RecognizerDied
    try {
      return await retry(async () => (await ensureRunning()).recognize(request), { attempts: 2, isRetryable, signal })
    } catch (error) {
      throw error instanceof RecognizerDied ? new EngineUnavailable(error.message, { cause: error }) : error
    }
  }

  return {
    /** true, or the reason why the engine is unavailable. */
    health: async (): Promise<true | string> => {
      if (startError) return startError
      if (running?.alive) return true
      return checkInstallation(whisperFolder(settings.modelDir), settings.python).then(() => true, reasonOf)
    },
    warm: async (): Promise<void> => {
      await ensureRunning()
    },
    recognize: (pieces: Pieces, options: RecognizeOptions): Promise<RecognizedRecording> =>
      inTurn(() => recognizeRecording(pieces, options, recognizePiece), options.signal),
    stop: () => {
      stopped = true
      running?.stop()
    },
    /** The process with the model, while it runs. */
    get pid() {
      return running?.alive ? running.pid : undefined
    },
  }
}

const reasonOf = (error: unknown): string =>
  error instanceof EngineUnavailable ? error.reason : `the speech engine did not start: ${String(error)}`

type RecognizePiece = (request: RecognizeRequest) => Promise<RecognizedWords>

const BYTES_PER_SAMPLE = 2
const BYTES_PER_SECOND = 32_000
/** A language detected with a lower probability is not used for the following pieces. */
const MIN_LANGUAGE_PROBABILITY = 0.5

/** Recognizes the pieces in order. Samples that the recognizer leaves at the end of one are put before the next. */
export const recognizeRecording = async (
  pieces: Pieces,
  { language, translate = false, vocabulary, turns = [], signal, onProgress = () => {} }: RecognizeOptions,
  recognizePiece: RecognizePiece,
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

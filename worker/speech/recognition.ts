import type { Failure } from '../../domain/codes/failures.ts'
import type { TranscribeRequest } from '../../domain/jobs/job.ts'
import { inOrder, milliseconds, type Segment, type SegmentWord } from '../../domain/words/segment.ts'
import { withWords } from '../../domain/words/words-in-text.ts'

/** Recognized audio, in one shape for all providers. Silence has no segments. */
export interface RecognizedAudio {
  /** With their words, if the provider returns word times. Segments that are too long to read are split with these. */
  segments: Segment[]
  language: string | null
  /** From 0 to 1. Absent: the engine does not tell. */
  languageProbability?: number
  /** As the service names it. Absent: it does not tell. */
  model?: string
  /** Whether the engine used the vocabulary. Absent: there was none. */
  vocabulary?: boolean
  durationSeconds: number
}

/** A piece is Opus in an Ogg container, which every provider accepts. An hour at 24 kbit/s is 10.9 MB. */
export const pieceFile = {
  contentType: 'audio/ogg',
  /** OpenAI detects the format by the extension, and does not accept `.opus`. */
  filename: 'audio.ogg',
} as const

export interface PieceLimits {
  maxBytes: number
  maxSeconds: number
}

/** What a request asks for besides the text. */
export type Asked = Pick<TranscribeRequest, 'words' | 'speakers' | 'translate' | 'vocabulary'>

export interface PieceRequest extends Asked {
  /** A stream can be read once, so another attempt needs a new one. */
  audio: ReadableStream<Uint8Array>
  sizeBytes: number
  durationSeconds: number
  /** What the caller sent; null to detect it. */
  language: string | null
  signal: AbortSignal
}

/** `failed.retryable`: whether the same piece may be sent again. The sender limits how often. */
export type ProviderResult =
  | { state: 'done'; result: RecognizedAudio }
  | { state: 'pending'; providerJobId: string; pollAfterMs: number }
  | { state: 'failed'; failed: Failure; retryAfterSeconds: number | null }

export const done = (result: RecognizedAudio): ProviderResult => ({
  state: 'done',
  result: { ...result, segments: inOrder(result.segments.flatMap(withOwnWords)) },
})

export const failedWith = (failed: Failure, retryAfterSeconds: number | null = null): ProviderResult => ({
  state: 'failed',
  failed,
  retryAfterSeconds,
})

const withOwnWords = (segment: Segment): Segment[] => (segment.words ? withWords([segment], segment.words) : [segment])

/** A segment from a provider. Whisper returns some that end where they start; their text must not get lost. */
export const timedText = (start: number, end: number, text: string, speaker?: string | number | null): Segment => ({
  start: milliseconds(start),
  end: Math.max(milliseconds(end), milliseconds(start + 0.001)),
  text,
  ...speakerOf(speaker),
})

/** The times of a word may be missing: its segment and the words around it then say where it is. */
interface ProviderWord {
  start?: number | null | undefined
  end?: number | null | undefined
  confidence?: number | null | undefined
  speaker?: string | number | null | undefined
}

export const timedWord = (text: string, { start, end, confidence, speaker }: ProviderWord): SegmentWord => ({
  start: start ?? Number.NaN,
  end: end ?? Number.NaN,
  text,
  ...(typeof confidence === 'number' && confidence >= 0 && confidence <= 1
    ? { confidence: Math.round(confidence * 1000) / 1000 }
    : {}),
  ...speakerOf(speaker),
})

const speakerOf = (speaker: string | number | null | undefined): { speaker?: string } =>
  speaker === undefined || speaker === null ? {} : { speaker: String(speaker) }

import type { Failure } from '../../domain/codes/failures.ts'
import { inOrder, milliseconds, type Segment } from '../../domain/words/segment.ts'
import type { Word } from '../../domain/words/sentences.ts'

/** Recognized audio, in one shape for all providers. Silence has no segments. */
export interface RecognizedAudio {
  segments: Segment[]
  /** If the provider returns word times. Segments that are too long to read are split with these. */
  words?: Word[]
  language: string | null
  durationSeconds: number
  text: string
}

/** An hour of Opus at 24 kbit/s is 10.9 MB. Every provider accepts it in an Ogg container. */
export const pieceEncoding = {
  codec: 'opus',
  container: 'ogg',
  bitsPerSecond: 24_000,
  channels: 1,
  sampleRate: 16_000,
  contentType: 'audio/ogg',
  /** OpenAI detects the format by the extension, and does not accept `.opus`. */
  filename: 'audio.ogg',
} as const

export interface PieceLimits {
  maxBytes: number
  maxSeconds: number
  encoding: typeof pieceEncoding
}

export interface PieceRequest {
  /** A stream can be read once, so another attempt needs a new one. */
  audio: ReadableStream<Uint8Array>
  sizeBytes: number
  durationSeconds: number
  /** As the caller sent it; null to detect it. */
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
  result: { ...result, segments: inOrder(result.segments), text: result.text.trim() },
})

export const noSpeech = (durationSeconds: number): ProviderResult =>
  done({ segments: [], language: null, durationSeconds, text: '' })

/** A word or segment from a provider. Whisper returns some that end where they start; their text must not get lost. */
export const timedText = (start: number, end: number, text: string, speaker?: string | number | null): Segment => ({
  start: milliseconds(start),
  end: Math.max(milliseconds(end), milliseconds(start + 0.001)),
  text,
  ...(speaker === undefined || speaker === null ? {} : { speaker: String(speaker) }),
})

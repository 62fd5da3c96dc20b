import type { Failure } from '../domain/codes/failures.ts'
import { inOrder, milliseconds, type Segment } from '../domain/words/segment.ts'
import type { Word } from '../domain/words/sentences.ts'

/** What every engine makes of a piece of audio, whichever shape its own answer had. Silence has no segments. */
export interface Recognition {
  segments: Segment[]
  /** Where the engine told; segments too long to read are cut by these. */
  words?: Word[]
  language: string | null
  durationSeconds: number
  text: string
}

/** How a piece must be encoded. An hour of Opus at 24 kbit/s is 10.9 MB, and every engine takes it in Ogg. */
export const pieceEncoding = {
  codec: 'opus',
  container: 'ogg',
  bitsPerSecond: 24_000,
  channels: 1,
  sampleRate: 16_000,
  contentType: 'audio/ogg',
  /** OpenAI goes by the extension, and does not know `.opus`. */
  filename: 'audio.ogg',
} as const

export interface PieceLimits {
  maxBytes: number
  maxSeconds: number
  encoding: typeof pieceEncoding
}

export interface Piece {
  /** Read once. Another attempt needs another stream. */
  audio: ReadableStream<Uint8Array>
  sizeBytes: number
  durationSeconds: number
  /** As the caller wrote it, or null to let the engine find out. */
  language: string | null
  signal: AbortSignal
}

/** `failed.retryable` says whether the same piece may be sent again; how often is the sender's to cap. */
export type Answer =
  | { state: 'done'; result: Recognition }
  | { state: 'pending'; providerJobId: string; pollAfterMs: number }
  | { state: 'failed'; failed: Failure; retryAfterSeconds: number | null }

export const done = (result: Recognition): Answer => ({
  state: 'done',
  result: { ...result, segments: inOrder(result.segments), text: result.text.trim() },
})

export const silence = (durationSeconds: number): Answer =>
  done({ segments: [], language: null, durationSeconds, text: '' })

/** A word or a segment out of an engine's answer. Whisper gives some that end where they start; their text counts. */
export const spoken = (start: number, end: number, text: string, speaker?: string | number | null): Segment => ({
  start: milliseconds(start),
  end: Math.max(milliseconds(end), milliseconds(start + 0.001)),
  text,
  ...(speaker === undefined || speaker === null ? {} : { speaker: String(speaker) }),
})

import type { Chapter, ReadBy } from '../protocol/protocol.ts'
import type { ByteRange, StoredLayout } from '../words/transcript-body.ts'
import type { ServiceName, TranscriptionProvider } from './providers.ts'

export type Step = 'fetch' | 'deliver' | 'captions' | 'audio' | 'recognize'

/** What names the objects that an attempt has stored: see domain/media/media-keys.ts. */
export interface StoredAttempt {
  attempt: number
  secret: string
}

/** A stored text with its segments, and what is known of it. */
export interface Transcript extends StoredLayout, StoredAttempt {
  source: 'platform_captions' | TranscriptionProvider
  /** What was behind the provider then. Absent: captions, or `builtin`. */
  providerService?: ServiceName | undefined
  /** The name of the weights, or of the service's model. Absent: captions. */
  model?: string | undefined
  /** Whether the engine used the request's vocabulary. Absent: the request had none. */
  vocabulary?: boolean | undefined
  /** The language of the text, if it is not that of the speech. */
  translatedTo?: 'en' | undefined
  language: string
  /** From 0 to 1. Absent: the engine does not tell. */
  languageProbability?: number | undefined
  title: string | null
  chapters: Chapter[]
  /** The duration of the media, also if the job has a clip. */
  durationSeconds: number
  segments: number
  readBy?: ReadBy | undefined
  /** With the attempt it names the object that holds the text. */
  step: Step
  /** Where it is in that object. Absent: it is the whole object. */
  range?: ByteRange | undefined
}

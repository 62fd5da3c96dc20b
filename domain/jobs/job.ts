import type { Failure } from '../codes/failures.ts'
import type { Micros } from '../money/money.ts'
import type { Prices } from '../money/prices.ts'
import type { importOptions } from '../options/import-options.ts'
import type { ValuesOf } from '../options/option.ts'
import type { transcribeOptions } from '../options/transcribe-options.ts'
import type {
  Chapter,
  Clip,
  LinkedFiles,
  MediaFacts,
  Progress,
  ReadBy,
  SpeakerCount,
  Vocabulary,
} from '../protocol/protocol.ts'
import type { StoredLayout } from '../words/transcript-body.ts'
import type { JobMetadata } from './job-metadata.ts'
import type { ServiceName, TranscriptionProvider } from './providers.ts'

/**
 * A job is a short list of steps. It is queued until its first step is claimed, running until its last step
 * ends, and then completed or failed, which is final:
 *
 *   queued ──claim──▶ running ──last step done──▶ completed
 *      └───────────────┴──failure, cancel, no attempts left──▶ failed
 */
export type JobKind = 'import' | 'transcription'
export type JobState = 'queued' | 'running' | 'completed' | 'failed'
/** What a live job is doing, for callers: `delivering` is the copy into their bucket, whether it runs or waits. */
export type JobPhase = 'waiting' | 'running' | 'delivering'
export type Step = 'fetch' | 'deliver' | 'captions' | 'audio' | 'recognize'

/** The options that are stored under another name or as another value, or that only the start needs. */
type ChangedImportOptions =
  | 'clip'
  | 'maxCostDollars'
  | 'reuseWithinSeconds'
  | 'webhookUrl'
  | 'storagePath'
  | 'storageBucket'
  | 'storageClass'

export interface ImportRequest extends Omit<ValuesOf<typeof importOptions>, ChangedImportOptions> {
  url: string
  clip: Clip | null
  webhookUrl: string | null
  storagePath: string | null
  storageFilename: string | null
  storageBucket: string | null
  storageClass: string | null
  maxCostMicros?: Micros
}

/** What names the objects that an attempt has stored: see domain/media/media-keys.ts. */
export interface StoredAttempt {
  attempt: number
  secret: string
}

export interface StoredMedia extends StoredAttempt {
  hasThumbnail: boolean
}

export interface FetchedImport extends Omit<MediaFacts, 'extension' | 'sizeBytes'> {
  filename: string
  fileSizeBytes: number
  billedBytes: number
  readBy?: ReadBy | undefined
  stored: StoredMedia
}

export interface ImportResult extends FetchedImport {
  costMicros: Micros
  expiresAt: number
  bucket: StoredObject | null
}

export interface StoredObject {
  url: string
  bucket: string
  key: string
}

type ChangedTranscribeOptions =
  | 'mode'
  | 'provider'
  | 'maxCostDollars'
  | 'language'
  | 'apiKey'
  | 'clip'
  | 'speakers'
  | 'keywords'
  | 'prompt'
  | 'translate'
  | 'reuseWithinSeconds'
  | 'providerOptions'
  | 'webhookUrl'

/** Exactly one of the three sources. */
export interface TranscribeRequest extends Omit<ValuesOf<typeof transcribeOptions>, ChangedTranscribeOptions> {
  url: string | null
  importId: string | null
  uploadId: string | null
  linked?: LinkedFiles
  clip: Clip | null
  /** null: not asked for. The provider is told the numbers that are set. */
  speakers: SpeakerCount | null
  language: string | null
  /** Into this language, by the built-in engine. Absent: it stays in the spoken one. */
  translate?: 'en'
  /** What is likely to be said. Captions ignore it. Absent: nothing is known. */
  vocabulary?: Vocabulary
  provider: TranscriptionProvider | null
  providerOptions: string | null
  maxCostMicros: Micros | null
  webhookUrl: string | null
}

export interface PreparedAudio {
  attempt: number
  /** The speech that is charged: that of the clip, if there is one, else of the media. */
  durationSeconds: number
  mediaSeconds?: number | undefined
  title?: string | undefined
  chapters?: Chapter[] | undefined
  readBy?: ReadBy | undefined
  downloadedBytes: number
  pieces: AudioPiece[]
  /** Who speaks when, for an engine that does not tell itself: an object in storage. Absent: not asked for. */
  turns?: Pick<AudioPiece, 'key' | 'sizeBytes'> | undefined
  waits: number
}

export interface AudioPiece {
  key: string
  offsetSeconds: number
  durationSeconds: number
  sizeBytes: number
}

export interface TranscriptResult extends StoredLayout, StoredAttempt {
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
  costMicros: Micros
  downloadCostMicros: Micros | null
  readBy?: ReadBy | undefined
  /** With the attempt it names the object that holds the text. */
  step: Step
}

export interface BatchPosition {
  id: string
  index: number
}

interface AnyJob {
  id: string
  state: JobState
  /** The origin of the request that started the job, for links and callbacks. null: PUBLIC_URL was set. */
  origin: string | null
  createdAt: number
  startedAt: number | null
  completedAt: number | null
  step: Step | null
  /** Attempts of the current step that count, at most MAX_ATTEMPTS. A postponed one does not. */
  usedAttempts: number
  /** The number of the last attempt. It grows with every claim and is never reused: object keys and orders have it. */
  attempt: number
  failure: Failure | null
  progress: Progress | null
  /** When the stored files were deleted, by the caller or at the end of their retention. */
  removedAt: number | null
  batch?: BatchPosition
  prices: Prices
  keyId: string
  metadata?: JobMetadata
}

export interface ImportJob extends AnyJob {
  kind: 'import'
  request: ImportRequest
  carry: FetchedImport | null
  result: ImportResult | null
}

export interface TranscriptionJob extends AnyJob {
  kind: 'transcription'
  request: TranscribeRequest
  carry: PreparedAudio | null
  result: TranscriptResult | null
}

export type Job = ImportJob | TranscriptionJob

export type JobRequest =
  | { kind: 'import'; request: ImportRequest }
  | { kind: 'transcription'; request: TranscribeRequest }

export const isTerminal = (state: JobState): boolean => state === 'completed' || state === 'failed'

export const firstStep = (
  kind: JobKind,
  request: Omit<ImportRequest, 'url'> | Pick<TranscribeRequest, 'provider' | 'captionsFirst'>,
): Step => {
  if (kind === 'import' || !('captionsFirst' in request)) return 'fetch'
  return looksForCaptions(request) ? 'captions' : 'audio'
}

export const looksForCaptions = ({ provider, captionsFirst }: Pick<TranscribeRequest, 'provider' | 'captionsFirst'>) =>
  provider === null || captionsFirst

/** What the last step reports. The account adds costs and expiry when it settles the job. */
export type JobOutput =
  | { kind: 'import'; result: Omit<ImportResult, 'costMicros' | 'expiresAt'> }
  | { kind: 'transcription'; result: Omit<TranscriptResult, 'costMicros'> }

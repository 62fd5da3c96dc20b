import type { Failure } from '../codes/failures.ts'
import type { Micros } from '../money/money.ts'

/**
 * A job is a short list of steps. It is queued until its first step is claimed, runs until its last one
 * ends, and then is completed or failed for good:
 *
 *   queued ──claim──▶ running ──last step done──▶ completed
 *      └───────────────┴──failure, cancel, attempts used up──▶ failed
 */
export type JobKind = 'import' | 'transcription'
export type JobState = 'queued' | 'running' | 'completed' | 'failed'
export type Step = 'fetch' | 'deliver' | 'captions' | 'audio' | 'recognize'

export interface ImportRequest {
  url: string
  includeVideo: boolean
  includeAudio: boolean
  videoQuality: 'lowest' | '144p' | '240p' | '360p' | '480p' | '720p' | '1080p' | '1440p' | '2160p' | 'best'
  audioQuality: 'lowest' | 'low' | 'medium' | 'high' | 'best'
  webhookUrl: string | null
  store: boolean
  storagePath: string | null
  storageFilename: string | null
  storageBucket: string | null
  storageClass: string | null
  storageReturnLocation: boolean
}

/** Where an attempt of the fetch step put its bytes. The attempt in the key fences off late writers. */
export interface StoredMedia {
  attempt: number
  hasThumbnail: boolean
}

/** What the fetch step made. */
export interface FetchedImport {
  title: string
  durationSeconds: number
  filename: string
  contentType: string
  fileSizeBytes: number
  downloadedBytes: number
  sha256: string
  width: number | null
  height: number | null
  videoCodec: string | null
  audioCodec: string | null
  note: string | null
  stored: StoredMedia
}

export interface ImportResult extends FetchedImport {
  costMicros: Micros
  expiresAt: number
  /** Where the file went with `store`. */
  bucket: StoredObject | null
}

export interface StoredObject {
  url: string
  bucket: string
  key: string
}

export type ProviderName = 'provider_a' | 'provider_b' | 'provider_c' | 'builtin'

export interface TranscribeRequest {
  url: string
  language: string | null
  provider: ProviderName | null
  captionsFirst: boolean
  /** JSON, kept as it came: it goes through unchanged. */
  providerOptions: string | null
  maxCostMicros: Micros | null
  webhookUrl: string | null
}

/** Sound as the recognize step needs it: pieces in storage, each with its place in time. */
export interface PreparedAudio {
  attempt: number
  durationSeconds: number
  downloadedBytes: number
  pieces: AudioPiece[]
  /** How often in a row the provider said to come back later. */
  waits: number
}

export interface AudioPiece {
  key: string
  offsetSeconds: number
  durationSeconds: number
  sizeBytes: number
}

/** The facts of a transcript; its text lies in storage. */
export interface TranscriptResult {
  source: 'platform_captions' | ProviderName
  language: string
  durationSeconds: number
  segments: number
  costMicros: Micros
  downloadCostMicros: Micros | null
  /** The attempt whose key holds the text. */
  attempt: number
  step: Step
}

export interface Progress {
  stage: string
  percent: number | null
  downloadedBytes: number
  totalBytes: number | null
  bytesPerSecond: number | null
  /** Of the media; null when nobody knows although the source was looked at, undefined before that. */
  durationSeconds?: number | null | undefined
}

interface AnyJob {
  id: string
  state: JobState
  createdAt: number
  startedAt: number | null
  completedAt: number | null
  step: Step | null
  attempts: number
  failure: Failure | null
  progress: Progress | null
  /** When the caller removed what the job stored before its time, or the alarm did at its time. */
  removedAt: number | null
}

export interface ImportJob extends AnyJob {
  kind: 'import'
  request: ImportRequest
  /** What the fetch step left for the deliver step. */
  carry: FetchedImport | null
  result: ImportResult | null
}

export interface TranscriptionJob extends AnyJob {
  kind: 'transcription'
  request: TranscribeRequest
  /** What the audio step left for the recognize step. */
  carry: PreparedAudio | null
  result: TranscriptResult | null
}

/** A job as the account keeps it. */
export type Job = ImportJob | TranscriptionJob

export const isTerminal = (state: JobState): boolean => state === 'completed' || state === 'failed'

export const firstStep = (kind: JobKind, request: ImportRequest | TranscribeRequest): Step => {
  if (kind === 'import' || !('captionsFirst' in request)) return 'fetch'
  return looksForCaptions(request) ? 'captions' : 'audio'
}

export const looksForCaptions = ({ provider, captionsFirst }: Pick<TranscribeRequest, 'provider' | 'captionsFirst'>) =>
  provider === null || captionsFirst

export type Finished =
  | { kind: 'import'; result: Omit<ImportResult, 'costMicros' | 'expiresAt'> }
  | { kind: 'transcription'; result: Omit<TranscriptResult, 'costMicros'> }

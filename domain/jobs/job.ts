import type { Failure } from '../codes/failures.ts'
import type { Micros } from '../money/money.ts'
import type { Prices } from '../money/prices.ts'
import type { transcribeFileOptions } from '../options/file-options.ts'
import type { importOptions } from '../options/import-options.ts'
import type { ValuesOf } from '../options/option.ts'
import type { wordsOptions } from '../options/transcribe-options.ts'
import type {
  Chapter,
  Clip,
  LinkedFiles,
  MediaFacts,
  Progress,
  ReadBy,
  SourceAbout,
  SpeakerCount,
  Vocabulary,
} from '../protocol/protocol.ts'
import type { StoredLayout } from '../words/transcript-body.ts'
import type { JobMetadata } from './job-metadata.ts'
import type { Part } from './parts.ts'
import type { TranscriptionProvider } from './providers.ts'
import type { Step, StoredAttempt, Transcript } from './transcript.ts'

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

/** The options that are stored under another name or as another value, or that only the start needs. */
type ChangedImportOptions =
  | 'clip'
  | 'maxCostDollars'
  | 'reuseWithinSeconds'
  | 'webhookUrl'
  | 'index'
  | keyof StorageRequest

/** Where the files of a job are copied to. */
export interface StorageRequest {
  store: boolean
  /** Absent: `storagePath` and the filename are the key. */
  storageKey?: string | undefined
  storagePath: string | null
  storageFilename: string | null
  storageBucket: string | null
  storageClass: string | null
  storageReturnLocation: boolean
}

export interface ImportRequest extends Omit<ValuesOf<typeof importOptions>, ChangedImportOptions>, StorageRequest {
  url: string
  clip: Clip | null
  webhookUrl: string | null
  maxCostMicros?: Micros
  /** Absent: its words can be found. */
  index?: false
  /** How it gets a transcript. Absent: it gets none. */
  transcribe?: WordsRequest
  linked?: LinkedFiles
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
  /** Absent: nothing that the import makes needs it. */
  about?: SourceAbout | undefined
  chapters?: Chapter[] | undefined
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

type ChangedWordsOptions =
  | 'mode'
  | 'provider'
  | 'language'
  | 'apiKey'
  | 'speakers'
  | 'keywords'
  | 'prompt'
  | 'translate'
  | 'providerOptions'

/** How the words are found. */
export interface WordsRequest extends Omit<ValuesOf<typeof wordsOptions>, ChangedWordsOptions> {
  /** null: not asked for. The provider is told the numbers that are set. */
  speakers: SpeakerCount | null
  language: string | null
  /** Into this language, by the built-in engine. Absent: it stays in the spoken one. */
  translate?: 'en'
  /** What is likely to be said. Captions ignore it. Absent: nothing is known. */
  vocabulary?: Vocabulary
  provider: TranscriptionProvider | null
  providerOptions: string | null
}

/** Exactly one of the three sources. */
export interface TranscribeRequest extends WordsRequest, ValuesOf<typeof transcribeFileOptions> {
  url: string | null
  importId: string | null
  uploadId: string | null
  linked?: LinkedFiles
  clip: Clip | null
  maxCostMicros: Micros | null
  webhookUrl: string | null
  index?: false
  /** Absent: the files stay here. */
  storage?: StorageRequest
}

export interface PreparedAudio {
  attempt: number
  /** The speech that is charged: that of the clip, if there is one, else of the media. */
  durationSeconds: number
  mediaSeconds?: number | undefined
  title?: string | undefined
  chapters?: Chapter[] | undefined
  readBy?: ReadBy | undefined
  about?: SourceAbout | undefined
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

export interface TranscriptResult extends Transcript {
  costMicros: Micros
  downloadCostMicros: Micros | null
  bucket?: StoredObject | null
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
  /** What it has made beside its media, and what it could not make. Absent: it was not asked for any. */
  parts?: Part[]
  /** Of the main file in the bucket, below the pathPrefix. Decided when the job is to be copied there. */
  bucketKey?: string
}

export interface ImportJob extends AnyJob {
  kind: 'import'
  request: ImportRequest
  /** `audio`: of the stored media, whose speech is recognized. */
  carry: (FetchedImport & { audio?: PreparedAudio }) | null
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

/** The steps that make a transcript, also that of an import. */
export const isOfSpeech = (step: Step | null): boolean => step === 'audio' || step === 'recognize'

/** A job whose step makes a transcript, as a transcription: the speech of an import is that of its stored media. */
export const asTranscription = (job: Job): TranscriptionJob | null => {
  if (job.kind === 'transcription') return job
  const { carry, request, step } = job
  if (!carry || !request.transcribe || !isOfSpeech(step)) return null
  const { webhookUrl, maxCostMicros = null } = request
  const source = { url: null, importId: job.id, uploadId: null, clip: null }
  return {
    ...job,
    kind: 'transcription',
    request: { ...request.transcribe, ...source, webhookUrl, maxCostMicros },
    carry: carry.audio ?? null,
    result: null,
  }
}

/** Of an import, also before it has ended. */
export const mediaOf = (job: Job): FetchedImport | null => (job.kind === 'import' ? (job.result ?? job.carry) : null)

/** What the job hands on to the step that recognizes its audio. */
export const withAudio = (job: Job, audio: PreparedAudio): Job['carry'] =>
  job.kind === 'transcription' ? audio : job.carry && { ...job.carry, audio }

/** A request for speakers gets captions only if they name the speakers, or if speech cannot be recognized. */
export const areCaptionsEnough = (
  { speakers, provider }: Pick<TranscribeRequest, 'speakers' | 'provider'>,
  { hasSpeakers }: Pick<StoredLayout, 'hasSpeakers'>,
): boolean => speakers === null || provider === null || hasSpeakers

export const isTerminal = (state: JobState): boolean => state === 'completed' || state === 'failed'

export const firstStep = (
  kind: JobKind,
  request: Omit<ImportRequest, 'url'> | Pick<TranscribeRequest, 'provider' | 'captionsFirst' | 'captions'>,
): Step => {
  if (kind === 'import' || !('captionsFirst' in request)) return 'fetch'
  return looksForCaptions(request) || request.captions !== undefined ? 'captions' : 'audio'
}

/** null: the files stay here. */
export const storageOf = ({ request }: Pick<Job, 'request'>): StorageRequest | null => {
  if (!('store' in request)) return request.storage ?? null
  return request.store ? request : null
}

/** Whether its result lists files. */
export const asksForFiles = ({ kind, request }: Pick<Job, 'kind' | 'request'>): boolean => {
  const { captions } = request
  if (kind === 'transcription') {
    const { storage, formats } = request as TranscribeRequest
    return storage !== undefined || captions !== undefined || formats !== undefined
  }
  const { transcribe, files } = request as ImportRequest
  return captions !== undefined || transcribe !== undefined || files !== undefined
}

export const asksForWords = ({ captions, transcribe }: { captions?: unknown; transcribe?: unknown }): boolean =>
  captions !== undefined || transcribe !== undefined

/** Whether the fetch of an import reads captions. */
export const mayHaveCaptions = ({ captions, transcribe }: Pick<ImportRequest, 'captions' | 'transcribe'>): boolean =>
  captions !== undefined || (transcribe !== undefined && looksForCaptions(transcribe))

export const looksForCaptions = ({ provider, captionsFirst }: Pick<TranscribeRequest, 'provider' | 'captionsFirst'>) =>
  provider === null || captionsFirst

/** What the last step reports. The account adds costs and expiry when it settles the job. */
export type JobOutput =
  | { kind: 'import'; result: Omit<ImportResult, 'costMicros' | 'expiresAt'> }
  | { kind: 'transcription'; result: Omit<TranscriptResult, 'costMicros'> }

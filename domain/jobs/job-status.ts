import type { Failure, Quote } from '../codes/failures.ts'
import { toDollars } from '../money/money.ts'
import type { Chapter, MediaFacts, Progress, ReadBy } from '../protocol/protocol.ts'
import type { TranscriptBody } from '../words/transcript-body.ts'
import {
  type ImportJob,
  type ImportRequest,
  type ImportResult,
  isTerminal,
  type Job,
  type JobPhase,
  type StoredObject,
  type TranscriptionJob,
  type TranscriptResult,
} from './job.ts'
import type { Transcript } from './transcript.ts'

export interface Links {
  media: string
  thumbnail: string | null
  /** Of a part, by its name. */
  file(filename: string): string
}

export type ShownTranscript = Record<keyof TranscriptBody, unknown>

export const isoTime = (ms: number): string => new Date(ms).toISOString()
export const isoTimeOrNull = (ms: number | null): string | null => (ms === null ? null : isoTime(ms))

export const importStatus = (job: ImportJob, links: Links | null) => ({
  ...statusOf(job),
  ...(job.result && links ? { result: importResult(job.request, job.result, links) } : {}),
})

/** Transcriptions have no status `running`. If the transcript was deleted, the result has no `text` and `data`. */
export const transcriptionStatus = (job: TranscriptionJob, transcript: ShownTranscript | null) => ({
  ...statusOf(job),
  status: job.state === 'running' ? 'queued' : job.state,
  ...(job.result ? { result: transcriptResult(job.result, transcript) } : {}),
})

export const jobFacts = (job: Job) => ({
  type: job.kind,
  url: job.request.url,
  ...(job.kind === 'transcription' ? storedSource(job.request) : {}),
  keyId: job.keyId,
  createdAt: isoTime(job.createdAt),
})

const storedSource = ({ importId, uploadId }: TranscriptionJob['request']) => ({
  ...(importId === null ? {} : { importId }),
  ...(uploadId === null ? {} : { uploadId }),
})

const statusOf = (job: Job) => ({
  jobId: job.id,
  status: job.state,
  ...phaseOf(job),
  startedAt: isoTimeOrNull(job.startedAt),
  completedAt: isoTimeOrNull(job.completedAt),
  metadata: job.metadata ?? {},
  ...(job.removedAt === null ? {} : { removedAt: isoTime(job.removedAt) }),
  ...(job.state === 'running' && job.progress ? { progress: progressView(job.progress) } : {}),
  ...(job.failure ? failureView(job.failure) : {}),
})

export const phaseOf = ({ state, step }: Pick<Job, 'state' | 'step'>): { phase?: JobPhase } => {
  if (isTerminal(state)) return {}
  if (state === 'queued') return { phase: 'waiting' }
  return { phase: step === 'deliver' ? 'delivering' : 'running' }
}

export const failureView = ({ quote, ...reason }: Failure) => ({
  ...reason,
  ...(quote ? { quote: quoteView(quote) } : {}),
})

export const quoteView = ({ seconds, costMicros, isEstimate }: Quote) => ({
  estimatedMinutes: Math.ceil(seconds / 0.6) / 100,
  estimatedCostDollars: toDollars(costMicros),
  ...(isEstimate ? { estimated: true } : {}),
})

const transcriptResult = (result: TranscriptResult, transcript: ShownTranscript | null) => ({
  ...(transcript ? { text: transcript.text } : {}),
  ...transcriptFacts(result),
  ...(transcript ? { data: { segments: transcript.segments } } : {}),
  costInDollars: toDollars(result.costMicros),
  ...(result.downloadCostMicros === null ? {} : { downloadCostInDollars: toDollars(result.downloadCostMicros) }),
})

export const transcriptFacts = (result: Transcript) => ({
  source: result.source,
  ...(result.providerService && { providerService: result.providerService }),
  ...(result.model !== undefined && { model: result.model }),
  title: result.title,
  language: result.language,
  ...(result.languageProbability !== undefined && { languageProbability: result.languageProbability }),
  ...(result.translatedTo && { translatedTo: result.translatedTo }),
  vocabulary: result.vocabulary ?? false,
  duration: result.durationSeconds,
  ...(result.chapters.length > 0 ? { chapters: result.chapters.map(chapterView) } : {}),
  wordsAvailable: result.hasWords,
  ...readByView(result.readBy),
})

const chapterView = ({ title, startSeconds: start, endSeconds: end }: Chapter) => ({ title, start, end })

const importResult = (request: ImportRequest, result: ImportResult, links: Links) => {
  const { title, fileSizeBytes, downloadedBytes, billedBytes, filename, contentType, sha256 } = result
  const { bucket, note, width, height, videoCodec, audioCodec, transcoded = false } = result
  return {
    mediaUrl: bucket && request.storageReturnLocation ? bucket.url : links.media,
    title,
    duration: result.durationSeconds,
    thumbnailUrl: links.thumbnail,
    costInDollars: toDollars(result.costMicros),
    fileSizeBytes,
    downloadedBytes,
    billedBytes,
    filename,
    contentType,
    sha256,
    width,
    height,
    videoCodec,
    audioCodec,
    transcoded,
    ...readByView(result.readBy),
    expiresAt: isoTime(result.expiresAt),
    ...(result.clip ? { clip: clipView(result.clip) } : {}),
    ...(bucket ? { s3Storage: locationInBucket(request, bucket) } : {}),
    // The job's own `message` is only for failures, so a note about a success is part of the result.
    ...(note === null ? {} : { message: note }),
  }
}

/** Undefined: it is not known, or the file was stored already. */
export const readByView = (readBy: ReadBy | undefined): ReadBy => readBy ?? { extractor: null, extractorVersion: null }

const clipView = ({ startSeconds, endSeconds, actualStartSeconds }: MediaFacts['clip'] & object) => ({
  start: startSeconds,
  end: endSeconds,
  actualStart: actualStartSeconds,
})

const locationInBucket = ({ storageReturnLocation }: ImportRequest, { url, bucket, key }: StoredObject) => ({
  ...(storageReturnLocation ? { url } : {}),
  bucket,
  key,
})

const progressView = ({ stage, percent, downloadedBytes, totalBytes, bytesPerSecond }: Progress) => {
  const leftBytes = totalBytes === null ? null : Math.max(0, totalBytes - downloadedBytes)
  const etaSeconds = leftBytes !== null && bytesPerSecond ? Math.ceil(leftBytes / bytesPerSecond) : null
  return { stage, percent, downloadedBytes, totalBytes, bytesPerSecond, etaSeconds }
}

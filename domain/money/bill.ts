import { type Failure, failure, type Quote, withQuote } from '../codes/failures.ts'
import { type Job, looksForCaptions, type TranscribeRequest, type TranscriptionJob } from '../jobs/job.ts'
import type { MediaFacts, Progress } from '../protocol/protocol.ts'
import { type Micros, min, minus, sum, zero } from './money.ts'
import {
  builtinCost,
  builtinSecondsFor,
  bytesFor,
  CAPTIONS_COST,
  downloadCost,
  providerCost,
  providerSecondsFor,
  UNKNOWN_SIZE_BYTES,
} from './prices.ts'

/** Usage of a running job: bytes downloaded so far, what the source announced, and what the download asks for. */
export interface JobUsage {
  downloadedBytes: number
  totalBytes: number | null
  neededBytes?: number | undefined
  wantedBytes?: number | undefined
  /**
   * Of the speech that is charged, and no estimate. undefined until the source has been resolved, null if it is unknown
   * after that.
   */
  durationSeconds?: number | null | undefined
  /** What a file asks for that lasts longer than it stated. */
  wantedSeconds?: number | undefined
  /** If it is unknown. Only for quotes. */
  estimatedSeconds?: number | null
}

/** An estimated length only tells callers what to expect. */
export const usageOf = ({ durationSeconds, durationIsEstimate = false, ...bytes }: Progress): JobUsage => {
  if (!durationIsEstimate) return { ...bytes, durationSeconds }
  return { ...bytes, durationSeconds: null, estimatedSeconds: durationSeconds ?? null }
}

/** The amount that the job's hold must cover, or the failure that ends the job. */
export type HoldDecision = { holdMicros: Micros } | { failed: Failure }

export const requiredHold = (job: Job, usage: JobUsage): HoldDecision => {
  const holdMicros = costSoFar(job, usage)
  return job.kind === 'transcription' && job.step !== 'captions'
    ? withinMaxCost(job, usage, holdMicros)
    : { holdMicros }
}

/** What the hold should cover so that the download need not stop: at most maxCostDollars. */
export const wantedHold = (job: Job, usage: JobUsage): Micros => {
  const neededBytes = Math.max(usage.neededBytes ?? 0, usage.wantedBytes ?? 0)
  const durationSeconds = usage.wantedSeconds ?? usage.durationSeconds
  return upToMaxCost(job, costSoFar(job, { ...usage, neededBytes, durationSeconds }))
}

/** The bytes that may be downloaded for a hold. null: the step downloads nothing that is charged by its size. */
export const agreedBytes = (job: Job, { durationSeconds }: JobUsage, held: Micros): number | null => {
  if (job.carry || job.step === 'captions' || downloadsNothing(job)) return null
  if (job.kind === 'import') return bytesFor(held)
  return bytesFor(minus(upToMaxCost(job, held), speechCost(job.request.provider, durationSeconds ?? 0)))
}

/** The seconds of speech that a hold covers besides the download. null: none is about to be decoded. */
export const agreedSeconds = (job: Job, usage: JobUsage, held: Micros): number | null => {
  if (job.kind !== 'transcription' || job.step !== 'audio') return null
  const forSpeech = minus(upToMaxCost(job, held), downloadsNothing(job) ? zero : downloadCost(bytesOfDownload(usage)))
  return job.request.provider === 'builtin' ? builtinSecondsFor(forSpeech) : providerSecondsFor(forSpeech)
}

const bytesOfDownload = ({ downloadedBytes, totalBytes, neededBytes }: JobUsage): number =>
  Math.max(downloadedBytes, totalBytes ?? 0, neededBytes ?? 0)

const upToMaxCost = (job: Job, amount: Micros): Micros =>
  job.kind === 'transcription' && job.request.maxCostMicros !== null ? min(amount, job.request.maxCostMicros) : amount

/** The charge if the job completed with its current usage. */
const costSoFar = (job: Job, usage: JobUsage): Micros => {
  const { durationSeconds } = usage
  const bytes = bytesOfDownload(usage)
  if (job.kind === 'import') return downloadCost(bytes)
  const download = downloadsNothing(job) ? zero : downloadCost(bytes)
  if (job.step === 'captions') return CAPTIONS_COST
  // The recognize step downloads pieces from our own storage, which is free. Only the audio step's download counts.
  if (job.carry) return transcriptionCost(job.request.provider, job.carry)
  return sum(download, speechCost(job.request.provider, durationSeconds ?? 0))
}

/** What an import is charged for: of a file that was re-encoded, the larger of what was downloaded and what is stored. */
export const billedBytes = ({ downloadedBytes, sizeBytes, transcoded }: MediaFacts): number =>
  transcoded ? Math.max(downloadedBytes, sizeBytes) : downloadedBytes

/** The source of the job is a file in our own storage: what it reads of it is no download. */
export const downloadsNothing = ({ request }: Pick<Job, 'request'>): boolean => request.url === null

/** The total cost of a transcript by speech recognition. */
export const transcriptionCost = (
  provider: string | null,
  { durationSeconds, downloadedBytes }: { durationSeconds: number; downloadedBytes: number },
): Micros => sum(downloadCost(downloadedBytes), speechCost(provider, durationSeconds))

const speechCost = (provider: string | null, seconds: number): Micros =>
  provider === 'builtin' ? builtinCost(seconds) : providerCost(seconds)

/**
 * maxCostDollars limits everything that the job is charged, including its download. If the duration of the media
 * is unknown, the hold is maxCostDollars itself, and the built-in provider requires it.
 */
const withinMaxCost = (job: TranscriptionJob, usage: JobUsage, holdMicros: Micros): HoldDecision => {
  const { provider, maxCostMicros } = job.request
  const seconds = job.carry?.durationSeconds ?? usage.durationSeconds
  if (seconds === undefined) return { holdMicros }
  if (maxCostMicros === null) {
    const isRequired = seconds === null && provider === 'builtin'
    if (!isRequired) return { holdMicros }
    return { failed: withQuote(failure('MAX_COST_REQUIRED'), quoteOfUsage(job, usage, seconds)) }
  }
  if (holdMicros > maxCostMicros) {
    return { failed: withQuote(failure('MAX_COST_EXCEEDED'), quoteOfUsage(job, usage, seconds)) }
  }
  return { holdMicros: seconds === null ? maxCostMicros : holdMicros }
}

/** From the estimated length if the media does not state one. */
const quoteOfUsage = (job: TranscriptionJob, usage: JobUsage, seconds: number | null): Quote | null => {
  const quote = quoteOf(seconds ?? usage.estimatedSeconds ?? null, bytesOf(job, usage), job.request.provider)
  return seconds === null ? estimated(quote) : quote
}

/** Checked again at the end of a job, because earlier checks used estimates. */
export const exceedsMaxCost = (job: Job, charge: Micros): boolean =>
  job.kind === 'transcription' && job.request.maxCostMicros !== null && charge > job.request.maxCostMicros

const bytesOf = (job: TranscriptionJob, { totalBytes, downloadedBytes }: JobUsage): number | null =>
  downloadsNothing(job) ? 0 : (job.carry?.downloadedBytes ?? totalBytes ?? (downloadedBytes || null))

/** 128 kbit/s, for sources that do not announce the size of their audio. */
const TYPICAL_AUDIO_BYTES_PER_SECOND = 16_000

/** null if the duration is unknown. */
export const quoteOf = (
  seconds: number | null,
  downloadBytes: number | null,
  provider: string | null = 'builtin',
): Quote | null => {
  if (seconds === null) return null
  const bytes = Math.ceil(downloadBytes ?? seconds * TYPICAL_AUDIO_BYTES_PER_SECOND)
  return { seconds, costMicros: transcriptionCost(provider, { durationSeconds: seconds, downloadedBytes: bytes }) }
}

/** A quote from an estimated length. */
export const estimated = (quote: Quote | null): Quote | null => quote && { ...quote, isEstimate: true }

/** The hold of a new import. */
export const importHold = (announcedBytes: number | null): Micros => downloadCost(announcedBytes ?? UNKNOWN_SIZE_BYTES)

/** The hold of a new transcription: captions, or the download and the minimum price of speech recognition. */
export const transcriptionHold = (
  request: Pick<TranscribeRequest, 'provider' | 'captionsFirst'>,
  announcedBytes: number | null,
): Micros =>
  request.provider === null && looksForCaptions(request)
    ? CAPTIONS_COST
    : sum(importHold(announcedBytes), speechCost(request.provider, 0))

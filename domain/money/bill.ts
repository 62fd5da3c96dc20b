import { type Failure, failure, type Quote, withQuote } from '../codes/failures.ts'
import {
  asTranscription,
  type ImportJob,
  type ImportRequest,
  type Job,
  looksForCaptions,
  type TranscribeRequest,
  type TranscriptionJob,
} from '../jobs/job.ts'
import { costOfParts } from '../jobs/parts.ts'
import type { MediaFacts, Progress } from '../protocol/protocol.ts'
import { type Micros, max, min, minus, sum, zero } from './money.ts'
import {
  bytesFor,
  downloadCost,
  type Prices,
  speechCost,
  speechPrice,
  speechSecondsFor,
  UNKNOWN_SIZE_BYTES,
} from './prices.ts'

/** Of the speech that is charged. Estimates are only for quotes. */
export interface JobUsage extends Omit<Progress, 'stage' | 'percent' | 'bytesPerSecond' | 'durationIsEstimate'> {
  estimatedSeconds?: number | null
}

export const usageOf = ({ durationSeconds, durationIsEstimate = false, ...bytes }: Progress): JobUsage => {
  if (!durationIsEstimate) return { ...bytes, durationSeconds }
  return { ...bytes, durationSeconds: null, estimatedSeconds: durationSeconds ?? null }
}

/** The amount that the job's hold must cover, or the failure that ends the job. */
export type HoldDecision = { holdMicros: Micros } | { failed: Failure }

export const requiredHold = (job: Job, usage: JobUsage): HoldDecision => {
  const { done, current } = divided(job)
  // What the copy to the bucket reports is no download.
  if (job.step === 'deliver') return { holdMicros: done }
  const decision = holdFor(current, usage)
  return 'failed' in decision ? decision : { holdMicros: sum(done, decision.holdMicros) }
}

const holdFor = (job: Job, usage: JobUsage): HoldDecision => {
  const holdMicros = costSoFar(job, usage)
  if (job.kind === 'import') return withinCeilings(job, usage, holdMicros)
  return job.step === 'captions' ? { holdMicros } : withinMaxCost(job, usage, holdMicros)
}

/**
 * What a job will be charged for what it has made, and the job that its current step works for. An import whose speech
 * is recognized is charged like a transcription, beside what its media and its captions cost.
 */
const divided = (job: Job): { done: Micros; current: Job } => {
  const done = costOfMade(job)
  const current = asTranscription(job)
  const ceiling = maxCostOf(job)
  if (!current || ceiling === null) return { done, current: current ?? job }
  const maxCostMicros = max(zero, minus(ceiling, done))
  return { done, current: { ...current, request: { ...current.request, maxCostMicros } } }
}

/** Of the media of an import, and of its parts. */
export const costOfMade = (job: Job): Micros => {
  const media = job.kind === 'import' && job.carry ? downloadCost(job.prices, job.carry.billedBytes) : zero
  return sum(media, costOfParts(job.parts ?? []))
}

/** What the hold should cover so that the download need not stop: at most maxCostDollars. */
export const wantedHold = (job: Job, usage: JobUsage): Micros => {
  const { done, current } = divided(job)
  const neededBytes = Math.max(usage.neededBytes ?? 0, usage.wantedBytes ?? 0)
  const durationSeconds = usage.wantedSeconds ?? usage.durationSeconds
  return upToMaxCost(job, sum(done, costSoFar(current, { ...usage, neededBytes, durationSeconds })))
}

/** The bytes that may be downloaded for a hold. null: nothing of what the step downloads is charged or limited. */
export const agreedBytes = (job: Job, { durationSeconds }: JobUsage, held: Micros): number | null => {
  if (job.carry || job.step === 'captions' || downloadsNothing(job)) return null
  const { prices } = job
  const amount = max(zero, minus(upToMaxCost(job, held), costOfMade(job)))
  if (job.kind === 'import') return least(bytesFor(prices, amount), job.request.maxBytes ?? null)
  return bytesFor(prices, minus(amount, speechCost(prices, job.request.provider, durationSeconds ?? 0)))
}

const least = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.min(one, other)

/** The seconds of speech that a hold covers besides the download. null: any number, or none is about to be decoded. */
export const agreedSeconds = (job: Job, usage: JobUsage, held: Micros): number | null => {
  const { done, current } = divided(job)
  if (current.kind !== 'transcription' || current.step !== 'audio') return null
  const { prices } = job
  const download = downloadsNothing(current) ? zero : downloadCost(prices, bytesOfDownload(usage))
  return speechSecondsFor(prices, current.request.provider, minus(upToMaxCost(job, held), sum(done, download)))
}

const bytesOfDownload = ({ downloadedBytes, totalBytes, neededBytes }: JobUsage): number =>
  Math.max(downloadedBytes, totalBytes ?? 0, neededBytes ?? 0)

const maxCostOf = ({ request }: Job): Micros | null => request.maxCostMicros ?? null

const upToMaxCost = (job: Job, amount: Micros): Micros => min(amount, maxCostOf(job) ?? amount)

/** The charge if the job completed with its current usage. */
const costSoFar = (job: Job, usage: JobUsage): Micros => {
  const { prices } = job
  const downloadedBytes = downloadsNothing(job) ? 0 : bytesOfDownload(usage)
  if (job.kind === 'import') return downloadCost(prices, downloadedBytes)
  if (job.step === 'captions') return prices.captions
  // The recognize step downloads pieces from our own storage, which is free. Only the audio step's download counts.
  const used = job.carry ?? { durationSeconds: usage.durationSeconds ?? 0, downloadedBytes }
  return transcriptionCost(prices, job.request.provider, used)
}

/** What an import is charged for: of a file that was re-encoded, the larger of what was downloaded and what is stored. */
export const billedBytes = ({ downloadedBytes, sizeBytes, transcoded }: MediaFacts): number =>
  transcoded ? Math.max(downloadedBytes, sizeBytes) : downloadedBytes

/** The source of the job is a file in our own storage, or has been stored: what it reads of it is no download. */
export const downloadsNothing = (job: Job): boolean =>
  job.kind === 'import' ? job.carry !== null : job.request.url === null

export const transcriptionCost = (
  prices: Prices,
  provider: string | null,
  { durationSeconds, downloadedBytes }: { durationSeconds: number; downloadedBytes: number },
): Micros => sum(downloadCost(prices, downloadedBytes), speechCost(prices, provider, durationSeconds))

/** The caller's limits of an import are checked as soon as its size is known, and else as its bytes arrive. */
const withinCeilings = (job: ImportJob, usage: JobUsage, holdMicros: Micros): HoldDecision => {
  if (bytesOfDownload(usage) > (job.request.maxBytes ?? Number.POSITIVE_INFINITY)) {
    return { failed: failure('MEDIA_TOO_LARGE', 'The media is larger than maxBytes.') }
  }
  if (!exceedsMaxCost(job, holdMicros)) return { holdMicros }
  return { failed: failure('MAX_COST_EXCEEDED', 'The media costs more than maxCostDollars.') }
}

/**
 * maxCostDollars limits everything that is charged. If the duration is unknown and a minute costs something, the hold
 * is maxCostDollars itself, and the built-in provider requires it.
 */
const withinMaxCost = (job: TranscriptionJob, usage: JobUsage, holdMicros: Micros): HoldDecision => {
  const { provider, maxCostMicros } = job.request
  const seconds = job.carry?.durationSeconds ?? usage.durationSeconds
  if (seconds === undefined) return { holdMicros }
  const isUnlimited = seconds === null && speechPrice(job.prices, provider) > 0
  if (maxCostMicros === null) {
    const isRequired = isUnlimited && provider === 'builtin'
    if (!isRequired) return { holdMicros }
    return { failed: withQuote(failure('MAX_COST_REQUIRED'), quoteOfUsage(job, usage, seconds)) }
  }
  if (holdMicros > maxCostMicros) {
    return { failed: withQuote(failure('MAX_COST_EXCEEDED'), quoteOfUsage(job, usage, seconds)) }
  }
  return { holdMicros: isUnlimited ? maxCostMicros : holdMicros }
}

const quoteOfUsage = (job: TranscriptionJob, usage: JobUsage, seconds: number | null): Quote | null => {
  const known = seconds ?? usage.estimatedSeconds ?? null
  const quote = quoteOf(job.prices, known, bytesOf(job, usage), job.request.provider)
  return seconds === null ? estimated(quote) : quote
}

/** Checked again at the end of a job, because earlier checks used estimates. */
export const exceedsMaxCost = (job: Job, charge: Micros): boolean => charge > (maxCostOf(job) ?? charge)

const bytesOf = (job: TranscriptionJob, usage: JobUsage): number | null => {
  if (downloadsNothing(job)) return 0
  const expected = usage.totalBytes === null ? (usage.estimatedBytes ?? 0) : 0
  return job.carry?.downloadedBytes ?? (Math.max(bytesOfDownload(usage), expected) || null)
}

/** 128 kbit/s, for sources that do not announce the size of their audio. */
const TYPICAL_AUDIO_BYTES_PER_SECOND = 16_000

/** null if the duration is unknown. */
export const quoteOf = (
  prices: Prices,
  seconds: number | null,
  downloadBytes: number | null,
  provider: string | null = 'builtin',
): Quote | null => {
  if (seconds === null) return null
  const bytes = Math.ceil(downloadBytes ?? seconds * TYPICAL_AUDIO_BYTES_PER_SECOND)
  const costMicros = transcriptionCost(prices, provider, { durationSeconds: seconds, downloadedBytes: bytes })
  return { seconds, costMicros }
}

export const estimated = (quote: Quote | null): Quote | null => quote && { ...quote, isEstimate: true }

type NewRequest =
  | { kind: 'import'; request: Pick<ImportRequest, 'maxCostMicros'> }
  | { kind: 'transcription'; request: Pick<TranscribeRequest, 'provider' | 'captionsFirst' | 'maxCostMicros'> }

/** A job beyond its maxCostDollars fails before it spends anything, so a caller need not have the money. */
export const firstHold = (prices: Prices, { kind, request }: NewRequest, announcedBytes: number | null): Micros => {
  const download = downloadCost(prices, announcedBytes ?? UNKNOWN_SIZE_BYTES)
  if (kind === 'import') return min(download, request.maxCostMicros ?? download)
  if (request.provider === null && looksForCaptions(request)) return prices.captions
  const recognition = sum(download, speechCost(prices, request.provider, 0))
  return min(recognition, request.maxCostMicros ?? recognition)
}

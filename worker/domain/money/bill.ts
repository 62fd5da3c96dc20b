import { type Failure, failure, type Quote, quoted } from '../codes/failures.ts'
import { type Job, looksForCaptions, type TranscribeRequest, type TranscriptionJob } from '../jobs/job.ts'
import { type Micros, sum } from './money.ts'
import { builtinCost, CAPTIONS_COST, downloadCost, providerCost, UNKNOWN_SIZE_BYTES } from './prices.ts'

/** What is known of a job's work while it runs: announced by the source, or arrived already. */
export interface Known {
  downloadedBytes: number
  totalBytes: number | null
  durationSeconds?: number | null | undefined
}

/** Either what the job's hold must cover, or why it must not go on. */
export type Verdict = { owing: Micros } | { failed: Failure }

export const judge = (job: Job, known: Known): Verdict => {
  const owing = owed(job, known)
  return job.kind === 'transcription' && job.step !== 'captions' ? withinCeiling(job, known, owing) : { owing }
}

/** What a job would be charged if it ended with no more than what is known now. */
export const owed = (job: Job, { downloadedBytes, totalBytes, durationSeconds }: Known): Micros => {
  const download = downloadCost(Math.max(downloadedBytes, totalBytes ?? 0))
  if (job.kind === 'import') return download
  if (job.step === 'captions') return CAPTIONS_COST
  // Pieces that come back out of our own storage are not the download that is paid for.
  if (job.carry) return transcriptionCost(job.request.provider, job.carry)
  return sum(download, speechCost(job.request.provider, durationSeconds ?? 0))
}

/** The whole of what a transcript by an engine costs. */
export const transcriptionCost = (
  provider: string | null,
  { durationSeconds, downloadedBytes }: { durationSeconds: number; downloadedBytes: number },
): Micros => sum(downloadCost(downloadedBytes), speechCost(provider, durationSeconds))

export const speechCost = (provider: string | null, seconds: number): Micros =>
  provider === 'builtin' ? builtinCost(seconds) : providerCost(seconds)

/**
 * The caller's ceiling for all that we charge for the job, its download included. Where nobody knows how long
 * the media is, the ceiling itself is held, and the built-in speech wants one.
 */
const withinCeiling = (job: TranscriptionJob, known: Known, owing: Micros): Verdict => {
  const { provider, maxCostMicros: ceiling } = job.request
  const seconds = job.carry?.durationSeconds ?? known.durationSeconds
  // undefined: the source was not looked at yet.
  if (seconds === undefined) return { owing }
  const isMissing = ceiling === null && seconds === null && provider === 'builtin'
  if (isMissing) return { failed: failure('MAX_COST_REQUIRED') }
  if (ceiling === null) return { owing }
  if (owing > ceiling) {
    return { failed: quoted(failure('MAX_COST_EXCEEDED'), quoteOf(seconds, bytesOf(job, known), provider)) }
  }
  return { owing: seconds === null ? ceiling : owing }
}

/** The last word: whatever was estimated, nobody is charged more than they allowed. */
export const isAboveCeiling = (job: Job, charge: Micros): boolean =>
  job.kind === 'transcription' && job.request.maxCostMicros !== null && charge > job.request.maxCostMicros

const bytesOf = ({ carry }: TranscriptionJob, { totalBytes, downloadedBytes }: Known): number | null =>
  carry?.downloadedBytes ?? totalBytes ?? (downloadedBytes || null)

/** Sound of 128 kbit/s, where the source does not say how much there is to download. */
const USUAL_BYTES_PER_SECOND = 16_000

/** What media of this length costs by an engine; null where nobody knows the length. */
export const quoteOf = (
  seconds: number | null,
  downloadBytes: number | null,
  provider: string | null = 'builtin',
): Quote | null => {
  if (seconds === null) return null
  const bytes = Math.ceil(downloadBytes ?? seconds * USUAL_BYTES_PER_SECOND)
  return { seconds, costMicros: transcriptionCost(provider, { durationSeconds: seconds, downloadedBytes: bytes }) }
}

/** What an import holds before its first byte. */
export const importHold = (announcedBytes: number | null): Micros => downloadCost(announcedBytes ?? UNKNOWN_SIZE_BYTES)

/** What a transcription holds before anybody has looked: captions, or the download and the least of speech. */
export const transcriptionHold = (
  request: Pick<TranscribeRequest, 'provider' | 'captionsFirst'>,
  announcedBytes: number | null,
): Micros =>
  request.provider === null && looksForCaptions(request)
    ? CAPTIONS_COST
    : sum(importHold(announcedBytes), speechCost(request.provider, 0))

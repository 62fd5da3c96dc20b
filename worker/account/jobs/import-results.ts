import { filename } from '../../../domain/bucket/object-name.ts'
import { type Failure, failure, failureOfCode, withQuote } from '../../../domain/codes/failures.ts'
import {
  areCaptionsEnough,
  asksForFiles,
  type FetchedImport,
  type ImportJob,
  type ImportRequest,
  type Job,
  mediaOf,
} from '../../../domain/jobs/job.ts'
import { outcomeOf, type Part } from '../../../domain/jobs/parts.ts'
import { filenameOf } from '../../../domain/media/safe-filename.ts'
import { billedBytes, costOfMade, quoteOf } from '../../../domain/money/bill.ts'
import { type Micros, sum } from '../../../domain/money/money.ts'
import { downloadCost, speechCost } from '../../../domain/money/prices.ts'
import type { Track } from '../../../domain/protocol/protocol.ts'
import { type Acting, act } from '../acts.ts'
import type { FetchedFile, FetchVerdict, JobLease } from '../calls.ts'
import {
  type AboutTracks,
  captionPartsOf,
  coverCost,
  free,
  notAtSource,
  paidFor,
  wordsOfTrack,
} from './caption-parts.ts'
import { advanceJob, deliverOrComplete, fail } from './endings.ts'
import type { JobRow } from './job-rows.ts'
import { keysOfMade } from './made.ts'
import { endAttempt } from './measured.ts'

/**
 * The media decides: without it the job fails, and with it the job completes, whatever becomes of its words. So money is
 * held for the download first, then for captions, then for speech, and what is missing fails only that part.
 */

type ImportRow = JobRow & ImportJob

export const finishFetch = act((acting, lease: JobLease, fetched: FetchedFile): FetchVerdict => {
  const { rows, now } = acting
  const job = rows.findLeasedJob(lease, now)
  if (job?.kind !== 'import') return hasFile(rows.findJob(lease.jobId), fetched.stored.attempt) ? 'repeated' : 'lost'
  const media = fetchedImport(job.request, fetched)
  const reason = coverCost(acting, job, downloadCost(job.prices, media.billedBytes))
  if (reason) {
    fail(acting, job, reason)
    return 'accepted'
  }
  endAttempt(rows, job, now, { downloadedBytes: media.downloadedBytes })
  job.carry = media
  const { transcribe } = job.request
  if (asksForFiles(job)) job.parts = partsOf(acting, job, media, fetched)
  const speech = transcribe && !hasTranscript(job) ? holdForSpeech(acting, job, media) : null
  if (speech === null) deliverOrComplete(acting, job)
  else advanceJob(acting, job, { next: 'audio', carry: media, holdMicros: speech, keys: keysOfMade(job) })
  return 'accepted'
})

const hasFile = (job: Job | null, attempt: number): boolean => job !== null && mediaOf(job)?.stored.attempt === attempt

const fetchedImport = (
  { storageFilename }: ImportRequest,
  { facts, stored, readBy, about, chapters }: FetchedFile,
): FetchedImport => {
  const { extension, sizeBytes, ...shown } = facts
  return {
    ...shown,
    readBy,
    billedBytes: billedBytes(facts),
    filename: storageFilename === null ? filenameOf(facts.title, extension) : filename(storageFilename, extension),
    fileSizeBytes: sizeBytes,
    stored,
    ...(about && { about }),
    ...(chapters && { chapters }),
  }
}

const hasTranscript = ({ parts = [] }: JobRow): boolean => parts.some(({ kind }) => kind === 'transcript')

/** Everything but speech. */
const partsOf = (acting: Acting, job: ImportRow, media: FetchedImport, fetched: FetchedFile): Part[] => {
  const { files = [] } = job.request
  const { captions, stored, readBy } = fetched
  const { attempt, secret } = stored
  const about = { title: media.title, readBy, attempt, secret, step: 'fetch' as const }
  const transcript = transcriptOf(job, media, captions?.transcript, about)
  const words = [...captionPartsOf(job.request, captions?.files ?? [], about), ...(transcript ? [transcript] : [])]
  const made = { thumbnail: stored.hasThumbnail, info: true, chapters: (media.chapters ?? []).length > 0 }
  const others = [...new Set(files)].map((kind): Part => ({ kind, ...(made[kind] ? free : notAtSource) }))
  return [...paidFor(acting, job, words), ...others]
}

/** The transcript, if captions are one, or if there can be none. null: none is asked for, or speech is to be recognized. */
const transcriptOf = (
  { request: { transcribe }, prices }: ImportRow,
  media: FetchedImport,
  track: Track | undefined,
  about: AboutTracks,
): Part | null => {
  if (!transcribe) return null
  if (track && 'facts' in track && areCaptionsEnough(transcribe, track.facts)) {
    const words = wordsOfTrack(track, about)
    return { kind: 'transcript', language: words.language, origin: track.origin, ...free, words }
  }
  const without = (reason: Failure): Part => ({ kind: 'transcript', ...outcomeOf(reason) })
  const isUnreadable = track && 'code' in track && track.code !== 'NOT_AT_SOURCE'
  if (transcribe.provider === null && isUnreadable) return without(failureOfCode(track.code))
  if (media.audioCodec === null) return without(failure('NO_AUDIO'))
  if (transcribe.provider !== null) return null
  const quote = quoteOf(prices, media.durationSeconds, 0)
  return without(withQuote(failure('TRANSCRIPTION_PROVIDER_REQUIRED'), quote))
}

/** What the hold must cover with the speech. null: that would cost too much, and the transcript has failed. */
const holdForSpeech = (acting: Acting, job: ImportRow, { durationSeconds }: FetchedImport): Micros | null => {
  const { prices, request, parts = [] } = job
  const provider = request.transcribe?.provider ?? null
  const cost = sum(costOfMade(job), speechCost(prices, provider, durationSeconds))
  const reason = coverCost(acting, job, cost)
  if (!reason) return cost
  const quoted = withQuote(reason, quoteOf(prices, durationSeconds, 0, provider))
  job.parts = [...parts, { kind: 'transcript', ...outcomeOf(quoted) }]
  return null
}

import { filename } from '../../../domain/bucket/object-name.ts'
import { failure, failureOfCode, withQuote } from '../../../domain/codes/failures.ts'
import type { FetchedImport, ImportRequest, Job, StoredAttempt, TranscriptionJob } from '../../../domain/jobs/job.ts'
import { mediaKeys, recognizedPieceKey } from '../../../domain/media/media-keys.ts'
import { filenameOf } from '../../../domain/media/safe-filename.ts'
import {
  billedBytes,
  downloadsNothing,
  estimated,
  quoteOf,
  requiredHold,
  transcriptionCost,
} from '../../../domain/money/bill.ts'
import { zero } from '../../../domain/money/money.ts'
import { downloadCost } from '../../../domain/money/prices.ts'
import type {
  FoundCaptions,
  ReadBy,
  RecognizedSpeech,
  TranscriptFacts,
  UploadedAudio,
} from '../../../domain/protocol/protocol.ts'
import { type Acting, act, leasedAct } from '../acts.ts'
import type { FetchedFile, FetchVerdict, JobLease } from '../calls.ts'
import { advanceJob, completeJob, fail } from './endings.ts'
import type { JobRow } from './job-rows.ts'

export const finishFetch = act(
  ({ rows, now }, lease: JobLease, { facts, stored, readBy }: FetchedFile): FetchVerdict => {
    const job = rows.findLeasedJob(lease, now)
    if (job?.kind !== 'import') return hasFile(rows.findJob(lease.jobId), stored.attempt) ? 'repeated' : 'lost'
    const result = fetchedImport(job.request, { facts, stored, readBy })
    const cost = downloadCost(job.prices, billedBytes(facts))
    const keys = mediaKeys(job.id, stored)
    if (job.request.store) {
      advanceJob({ rows, now }, job, { next: 'deliver', carry: result, holdMicros: cost, keys })
    } else {
      const finished = { kind: 'import', result: { ...result, bucket: null } } as const
      completeJob({ rows, now }, job, { finished, charge: cost, keys })
    }
    return 'accepted'
  },
)

const hasFile = (job: Job | null, attempt: number): boolean =>
  job?.kind === 'import' && (job.result ?? job.carry)?.stored.attempt === attempt

const fetchedImport = ({ storageFilename }: ImportRequest, { facts, stored, readBy }: FetchedFile): FetchedImport => {
  const { extension, sizeBytes, ...shown } = facts
  return {
    ...shown,
    readBy,
    billedBytes: billedBytes(facts),
    filename: storageFilename === null ? filenameOf(facts.title, extension) : filename(storageFilename, extension),
    fileSizeBytes: sizeBytes,
    stored,
  }
}

/**
 * `captions` looks for existing captions; without any, and with a provider, `audio` stores the audio in pieces and
 * `recognize` transcribes them. `attempt` names what the step has stored.
 */
export const finishTranscriptionStep = leasedAct(
  false,
  (acting, job, result: TranscriptionResult, attempt: StoredAttempt, readBy?: ReadBy): boolean => {
    if (!isTranscription(job)) return false
    if (readBy) job.measured = { ...job.measured, readBy }
    if (result.step === 'captions') return finishCaptions(acting, job, result, attempt, readBy)
    if (result.step === 'audio') return finishAudio(acting, job, result, readBy)
    return finishRecognize(acting, job, result, attempt)
  },
)

type TranscriptionResult = FoundCaptions | UploadedAudio | RecognizedSpeech
type TranscriptionRow = JobRow & TranscriptionJob

const isTranscription = (job: JobRow): job is TranscriptionRow => job.kind === 'transcription'

const finishCaptions = (
  acting: Acting,
  job: TranscriptionRow,
  found: FoundCaptions,
  attempt: StoredAttempt,
  readBy?: ReadBy,
): boolean => {
  const isStored = downloadsNothing(job)
  const { transcript, facts } = found
  if (transcript && facts && facts.segments > 0 && isAsked(job, facts)) {
    const { title = null, chapters = [] } = found
    const about = { ...facts, title, chapters, readBy, ...attempt, step: 'captions' as const }
    const result = { source: 'platform_captions' as const, ...about, downloadCostMicros: isStored ? zero : null }
    const finished = { kind: 'transcription' as const, result }
    return completeJob(acting, job, { finished, charge: job.prices.captions, keys: [transcript.key] })
  }
  if (job.request.provider !== null) {
    return advanceJob(acting, job, { next: 'audio', carry: null, holdMicros: zero, keys: [] })
  }
  if (found.withheld) return fail(acting, job, failureOfCode(found.withheld))
  const quote = quoteOf(job.prices, found.durationSeconds, isStored ? 0 : (found.audioBytes ?? null))
  const shown = found.durationIsEstimate ? estimated(quote) : quote
  return fail(acting, job, withQuote(failure('TRANSCRIPTION_PROVIDER_REQUIRED'), shown))
}

/** A request for speakers gets captions only if they name the speakers, or if speech cannot be recognized. */
const isAsked = ({ request: { speakers, provider } }: TranscriptionJob, { hasSpeakers }: TranscriptFacts) =>
  speakers === null || provider === null || hasSpeakers

const finishAudio = (acting: Acting, job: TranscriptionRow, audio: UploadedAudio, readBy?: ReadBy): boolean => {
  const { durationSeconds, mediaSeconds, title, chapters } = audio
  const downloadedBytes = downloadsNothing(job) ? 0 : audio.downloadedBytes
  if (audio.pieces.length === 0) return fail(acting, job, failure('NO_SPEECH'))
  const verdict = requiredHold(job, { durationSeconds, downloadedBytes, totalBytes: null })
  if ('failed' in verdict) return fail(acting, job, verdict.failed)
  const pieces = audio.pieces.map(({ upload: { key, sizeBytes }, ...times }) => ({ key, sizeBytes, ...times }))
  const turns = audio.turns && { key: audio.turns.key, sizeBytes: audio.turns.sizeBytes }
  const keys = [...pieces.flatMap(({ key }) => [key, recognizedPieceKey(key)]), ...(turns ? [turns.key] : [])]
  const about = { mediaSeconds, title, chapters, readBy, turns }
  const carry = { attempt: job.attempt, durationSeconds, ...about, downloadedBytes, pieces, waits: 0 }
  return advanceJob(acting, job, { next: 'recognize', carry, holdMicros: verdict.holdMicros, keys })
}

/** Whichever engine recognized the speech, the charge is the audio's download and its minutes. */
const finishRecognize = (
  acting: Acting,
  job: TranscriptionRow,
  { transcript, facts }: RecognizedSpeech,
  attempt: StoredAttempt,
): boolean => {
  const { carry, request } = job
  if (!carry || request.provider === null) return false
  if (facts.segments === 0) return fail(acting, job, failure('NO_SPEECH'))
  const {
    durationSeconds,
    mediaSeconds = durationSeconds,
    downloadedBytes,
    title = null,
    chapters = [],
    readBy,
  } = carry
  const { provider, translate } = request
  const result = {
    source: provider,
    providerService: provider === 'builtin' ? undefined : acting.serviceOf(provider),
    translatedTo: translate,
    ...facts,
    title,
    chapters,
    readBy,
    durationSeconds: mediaSeconds,
    ...attempt,
    step: 'recognize' as const,
    downloadCostMicros: downloadCost(job.prices, downloadedBytes),
  }
  const charge = transcriptionCost(job.prices, provider, carry)
  return completeJob(acting, job, { finished: { kind: 'transcription', result }, charge, keys: [transcript.key] })
}

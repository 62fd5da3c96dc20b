import { failure, failureOfCode, withQuote } from '../../../domain/codes/failures.ts'
import {
  areCaptionsEnough,
  asksForFiles,
  asTranscription,
  looksForCaptions,
  type TranscriptionJob,
  withAudio,
} from '../../../domain/jobs/job.ts'
import type { Part } from '../../../domain/jobs/parts.ts'
import type { StoredAttempt, Transcript } from '../../../domain/jobs/transcript.ts'
import { recognizedPieceKey } from '../../../domain/media/media-keys.ts'
import {
  costOfMade,
  downloadsNothing,
  estimated,
  quoteOf,
  requiredHold,
  transcriptionCost,
} from '../../../domain/money/bill.ts'
import { type Micros, sum } from '../../../domain/money/money.ts'
import type {
  FoundCaptions,
  ReadBy,
  RecognizedSpeech,
  SourceAbout,
  UploadedAudio,
} from '../../../domain/protocol/protocol.ts'
import { type Acting, leasedAct } from '../acts.ts'
import { captionPartsOf, coverCost, paidFor } from './caption-parts.ts'
import { advanceJob, deliverOrComplete, fail } from './endings.ts'
import type { JobRow } from './job-rows.ts'
import { keysOfMade } from './made.ts'

/**
 * `captions` looks for existing captions; without any, and with a provider, `audio` stores the audio in pieces and
 * `recognize` transcribes them. `attempt` names what the step has stored.
 */
export const finishTranscriptionStep = leasedAct(
  false,
  (acting, job, result: TranscriptionResult, attempt: StoredAttempt, readBy?: ReadBy): boolean => {
    const work = asTranscription(job)
    if (!work) return false
    if (readBy) job.measured = { ...job.measured, readBy }
    if (result.step === 'captions') return finishCaptions(acting, job, result, attempt, readBy)
    if (result.step === 'audio') return finishAudio(acting, job, work, result, readBy)
    return finishRecognize(acting, job, work, result, attempt)
  },
)

type TranscriptionResult = FoundCaptions | UploadedAudio | RecognizedSpeech

const finishCaptions = (
  acting: Acting,
  job: JobRow,
  found: FoundCaptions,
  attempt: StoredAttempt,
  readBy?: ReadBy,
): boolean => {
  if (job.kind === 'import') return false
  const { request, prices } = job
  const { transcript, facts, title = null, chapters = [], tracks } = found
  const about = { title, readBy, ...attempt, step: 'captions' as const }
  const captions = captionPartsOf(request, tracks?.files ?? [], about)
  const isTranscript = transcript && facts && facts.segments > 0 && looksForCaptions(request)
  if (isTranscript && areCaptionsEnough(request, facts)) {
    const words = { source: 'platform_captions' as const, ...facts, ...about, chapters }
    return finishWords(acting, job, { words, costMicros: prices.captions, captions, about: found.about })
  }
  if (request.provider !== null) {
    if (asksForFiles(job)) job.parts = paidFor(acting, job, captions)
    return advanceJob(acting, job, { next: 'audio', carry: null, holdMicros: costOfMade(job), keys: keysOfMade(job) })
  }
  if (found.withheld) return fail(acting, job, failureOfCode(found.withheld))
  const quote = quoteOf(prices, found.durationSeconds, downloadsNothing(job) ? 0 : (found.audioBytes ?? null))
  const shown = found.durationIsEstimate ? estimated(quote) : quote
  return fail(acting, job, withQuote(failure('TRANSCRIPTION_PROVIDER_REQUIRED'), shown))
}

interface FoundWords {
  words: Transcript
  costMicros: Micros
  /** Those that are files. If the transcript is made of captions too, it pays for them. */
  captions?: Part[]
  about?: SourceAbout | undefined
}

/** The job has its transcript: that of a transcription, or of the speech of an import. */
const finishWords = (
  acting: Acting,
  job: JobRow,
  { words, costMicros, captions = [], about = job.carry?.about }: FoundWords,
): boolean => {
  const reason = coverCost(acting, job, sum(costOfMade(job), costMicros))
  if (reason) return fail(acting, job, reason)
  const { language } = words
  const transcript = { kind: 'transcript', language, state: 'completed', costMicros, words } as const
  job.parts = [...(job.parts ?? []), ...captions, transcript]
  return deliverOrComplete(acting, job, about)
}

const finishAudio = (
  acting: Acting,
  job: JobRow,
  work: TranscriptionJob,
  audio: UploadedAudio,
  readBy?: ReadBy,
): boolean => {
  const { durationSeconds, mediaSeconds, title, chapters, about: ofSource } = audio
  const downloadedBytes = downloadsNothing(work) ? 0 : audio.downloadedBytes
  if (audio.pieces.length === 0) return fail(acting, job, failure('NO_SPEECH'))
  const verdict = requiredHold(job, { durationSeconds, downloadedBytes, totalBytes: null })
  if ('failed' in verdict) return fail(acting, job, verdict.failed)
  const pieces = audio.pieces.map(({ upload: { key, sizeBytes }, ...times }) => ({ key, sizeBytes, ...times }))
  const turns = audio.turns && { key: audio.turns.key, sizeBytes: audio.turns.sizeBytes }
  const keys = [...pieces.flatMap(({ key }) => [key, recognizedPieceKey(key)]), ...(turns ? [turns.key] : [])]
  const about = { mediaSeconds, title, chapters, readBy, turns, about: ofSource }
  const prepared = { attempt: job.attempt, durationSeconds, ...about, downloadedBytes, pieces, waits: 0 }
  return advanceJob(acting, job, {
    next: 'recognize',
    carry: withAudio(job, prepared),
    holdMicros: verdict.holdMicros,
    keys,
  })
}

/** Whichever engine recognized the speech, the charge is the audio's download and its minutes. */
const finishRecognize = (
  acting: Acting,
  job: JobRow,
  { carry, request: { provider, translate } }: TranscriptionJob,
  { facts }: RecognizedSpeech,
  attempt: StoredAttempt,
): boolean => {
  if (!carry || provider === null) return false
  if (facts.segments === 0) return fail(acting, job, failure('NO_SPEECH'))
  const { durationSeconds, mediaSeconds = durationSeconds, title = null, chapters = [], readBy } = carry
  const words = {
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
  }
  const charge = transcriptionCost(job.prices, provider, carry)
  return finishWords(acting, job, { words, costMicros: charge })
}

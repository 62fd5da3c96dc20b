import { failure, failureOfCode, withQuote } from '../../domain/codes/failures.ts'
import type { TranscriptionJob } from '../../domain/jobs/job.ts'
import { recognizedPieceKey } from '../../domain/media/media-keys.ts'
import {
  downloadsNothing,
  estimated,
  pricesOf,
  quoteOf,
  requiredHold,
  transcriptionCost,
} from '../../domain/money/bill.ts'
import { zero } from '../../domain/money/money.ts'
import { downloadCost } from '../../domain/money/prices.ts'
import type {
  FoundCaptions,
  ReadBy,
  RecognizedSpeech,
  TranscriptFacts,
  UploadedAudio,
} from '../../domain/protocol/protocol.ts'
import type { StoredLayout } from '../../domain/words/transcript-body.ts'
import { configOf } from '../env.ts'
import { namesOf } from '../media/object-secret.ts'
import { isThirdParty, providerAt } from '../speech/configured-providers.ts'
import type { Lease } from './lease-token.ts'

/**
 * The ends of a transcription's steps: `captions` looks for existing captions; without any, and with a provider,
 * `audio` stores the audio in pieces and `recognize` transcribes them. Each answers false when the lease is lost.
 */
export const finishCaptions = async (
  env: Env,
  lease: Lease,
  found: FoundCaptions,
  readBy?: ReadBy,
): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const job = await transcriptionOf(env, lease)
  if (!job) return false
  const isStored = downloadsNothing(job)
  const { transcript, facts } = found
  if (transcript && facts && facts.segments > 0 && isAsked(job, facts)) {
    const { title = null, chapters = [] } = found
    const shown = { ...facts, ...layoutOf(facts), title, chapters }
    const downloadCostMicros = isStored ? zero : null
    const result = {
      source: 'platform_captions' as const,
      ...shown,
      ...(readBy && { readBy }),
      ...(await namesAndStep(env, lease)),
      downloadCostMicros,
    }
    return account.complete(lease, {
      finished: { kind: 'transcription', result },
      charge: pricesOf(job).captions,
      keys: [transcript.key],
    })
  }
  if (job.request.provider !== null) {
    return account.advance(lease, { next: 'audio', carry: null, holdMicros: zero, keys: [] })
  }
  if (found.withheld) return account.failStep(lease, failureOfCode(found.withheld), undefined, readBy)
  const audioBytes = isStored ? 0 : (found.audioBytes ?? null)
  const quote = quoteOf(pricesOf(job), found.durationSeconds, audioBytes)
  const shown = found.durationIsEstimate ? estimated(quote) : quote
  return account.failStep(lease, withQuote(failure('TRANSCRIPTION_PROVIDER_REQUIRED'), shown), undefined, readBy)
}

/** Whoever asks for speakers gets captions only if they name them, unless speech cannot be recognized. */
const isAsked = ({ request: { speakers, provider } }: TranscriptionJob, { hasSpeakers = true }: TranscriptFacts) =>
  speakers === null || provider === null || hasSpeakers

export const finishAudio = async (env: Env, lease: Lease, audio: UploadedAudio, readBy?: ReadBy): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const job = await transcriptionOf(env, lease)
  if (!job) return false
  const { durationSeconds, mediaSeconds, title, chapters } = audio
  const downloadedBytes = downloadsNothing(job) ? 0 : audio.downloadedBytes
  if (audio.pieces.length === 0) return account.failStep(lease, failure('NO_SPEECH'))
  const verdict = requiredHold(job, { durationSeconds, downloadedBytes, totalBytes: null })
  if ('failed' in verdict) return account.failStep(lease, verdict.failed)
  const pieces = audio.pieces.map(({ upload: { key, sizeBytes }, ...times }) => ({ key, sizeBytes, ...times }))
  const turns = audio.turns && { key: audio.turns.key, sizeBytes: audio.turns.sizeBytes }
  const keys = [...pieces.flatMap(({ key }) => [key, recognizedPieceKey(key)]), ...(turns ? [turns.key] : [])]
  const about = {
    ...(mediaSeconds !== undefined && { mediaSeconds }),
    ...(title !== undefined && { title }),
    ...(chapters !== undefined && { chapters }),
    ...(readBy && { readBy }),
    ...(turns && { turns }),
  }
  const carry = { attempt: lease.attempt, durationSeconds, ...about, downloadedBytes, pieces, waits: 0 }
  return account.advance(lease, { next: 'recognize', carry, holdMicros: verdict.holdMicros, keys })
}

/** Whichever engine recognized the speech, the charge is the audio's download and its minutes. */
export const finishRecognize = async (
  env: Env,
  lease: Lease,
  { transcript, facts }: Omit<RecognizedSpeech, 'step'>,
): Promise<boolean> => {
  const account = env.ACCOUNTS.getByName(lease.accountId)
  const job = await transcriptionOf(env, lease)
  if (!job?.carry || job.request.provider === null) return false
  if (facts.segments === 0) return account.failStep(lease, failure('NO_SPEECH'))
  const { provider } = job.request
  const { durationSeconds, mediaSeconds = durationSeconds, downloadedBytes, title = null, chapters = [] } = job.carry
  const { readBy } = job.carry
  return account.complete(lease, {
    finished: {
      kind: 'transcription',
      result: {
        source: provider,
        ...(isThirdParty(provider) && { providerService: providerAt(configOf(env), provider).name }),
        ...(job.request.translate && { translatedTo: job.request.translate }),
        ...facts,
        ...layoutOf(facts),
        title,
        chapters,
        ...(readBy && { readBy }),
        durationSeconds: mediaSeconds,
        ...(await namesAndStep(env, lease)),
        downloadCostMicros: downloadCost(pricesOf(job), downloadedBytes),
      },
    },
    charge: transcriptionCost(pricesOf(job), provider, job.carry),
    keys: [transcript.key],
  })
}

/** A container of an earlier version does not report it, and its transcripts may have speakers. */
const layoutOf = ({ hasWords = false, hasSpeakers = true, plainBytes = null }: TranscriptFacts): StoredLayout => ({
  hasWords,
  hasSpeakers,
  plainBytes,
})

/** What the key of the transcript follows from. */
const namesAndStep = async (env: Env, lease: Lease) => ({ ...(await namesOf(env, lease)), step: lease.step })

/** null: the lease is lost. */
const transcriptionOf = async (env: Env, lease: Lease): Promise<TranscriptionJob | null> => {
  const job = await env.ACCOUNTS.getByName(lease.accountId).leasedJob(lease)
  return job?.kind === 'transcription' ? job : null
}

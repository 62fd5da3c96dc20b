import { type FailureCode, failures } from '../../domain/codes/failures.ts'
import type { StoredTranscript } from '../../domain/words/transcript-body.ts'
import { readTrack, withLinkedLimits } from '../captions/tracks.ts'
import { SourceFailure } from '../failures.ts'
import type { CaptionTrack } from '../source/source.ts'
import type { StepContext } from './step.ts'

/** A track that may be what is asked for. */
export interface Candidate {
  track: CaptionTrack
  isLinked: boolean
  read(): Promise<StoredTranscript>
}

/** A source may list the same captions a hundred times, and none of them may be readable. A feed's captions count apart. */
export const MAX_TRIES = 5

/**
 * Each track is read once, however often it is a candidate. `linked`: those that a feed names. `stepContext`: without the
 * limits of the source's own tracks.
 */
export const trackReader = (linked: CaptionTrack[], context: StepContext, stepContext: StepContext) => {
  const reads = new Map<CaptionTrack, Promise<StoredTranscript>>()
  let forLinked: StepContext | undefined
  const start = (track: CaptionTrack): Promise<StoredTranscript> => {
    if (!linked.includes(track)) return readTrack(track, context)
    forLinked ??= withLinkedLimits(stepContext)
    return readTrack(track, forLinked)
  }
  const read = (track: CaptionTrack): Promise<StoredTranscript> => {
    const reading = reads.get(track) ?? start(track)
    reads.set(track, reading)
    return reading
  }
  /** The first few of these tracks, which are the best first. */
  return (ranked: CaptionTrack[]): Candidate[] => {
    const left = { linked: MAX_TRIES, ofSource: MAX_TRIES }
    return ranked.flatMap((track): Candidate[] => {
      const isLinked = linked.includes(track)
      if (left[isLinked ? 'linked' : 'ofSource']-- <= 0) return []
      return [{ track, isLinked, read: () => read(track) }]
    })
  }
}

export const firstWithText = async (
  candidates: AsyncIterable<Candidate> | Iterable<Candidate>,
  context: StepContext,
) => {
  /** The failure that kept the best track from us. A feed's captions count as none if they cannot be read. */
  let failed: FailureCode | null = null
  for await (const { track, isLinked, read } of candidates) {
    const attempted = await attempt(read, { language: track.language, kind: track.kind }, context)
    if (attempted.value && attempted.value.segments > 0)
      return { found: { track, transcript: attempted.value }, failed }
    if (!isLinked) failed ??= attempted.failed
  }
  return { found: null, failed }
}

export const attempt = async <T>(work: () => Promise<T>, fields: object, { signal, log }: StepContext) => {
  try {
    return { value: await work(), failed: null }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof SourceFailure)) throw error
    log('captions not readable', { ...fields, reason: error.message })
    return { value: null, failed: error.code }
  }
}

/** Only a failure that may pass is worth another attempt. */
export const ifRetryable = (code: FailureCode | null): FailureCode | null =>
  code !== null && failures[code].retryable ? code : null

import type { LinkedFiles } from '../../domain/protocol/protocol.ts'
import { withAllowance } from '../egress/allowance.ts'
import type { Egress } from '../egress/egress.ts'
import { SourceFailure } from '../failures.ts'
import type { CaptionTrack } from '../source/source.ts'

/** The transcripts that a feed names are captions that people made: a feed names one because it is of its item. */
export const linkedTracks = (linked: LinkedFiles | undefined): CaptionTrack[] =>
  (linked?.transcripts ?? []).map(({ url, format, language }) => ({
    language: language ?? 'und',
    kind: 'manual',
    original: true,
    format,
    transport: { kind: 'file', url, headers: {} },
  }))

interface LinkedLimits {
  /** Of all files together. */
  maxBytes?: number
  timeoutMs?: number
}

/** Two files of the largest size. */
const MAX_BYTES = 20_000_000
/** Shorter than a step waits for slow sources (egress/least-speed.ts), which counts the requests of the media too. */
const TIMEOUT_MS = 20_000

/**
 * For requests of files that a feed names. These may be on any host, and none of them may fail the item, so they do not use
 * what the media may use. A file that exceeds the limits is a SourceFailure. The time starts now.
 */
export const withLinkedLimits = <Context extends { egress: Egress; signal: AbortSignal }>(
  context: Context,
  { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS }: LinkedLimits = {},
): Context => {
  const late = new AbortController()
  const tooLate = () =>
    late.abort(new SourceFailure('SOURCE_UNREACHABLE', 'The files that the feed names take too long.'))
  setTimeout(tooLate, timeoutMs).unref()
  return {
    ...context,
    egress: withAllowance(context.egress, maxBytes),
    signal: AbortSignal.any([context.signal, late.signal]),
  }
}

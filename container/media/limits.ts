import type { StepLimits } from '../../domain/protocol/protocol.ts'
import { SourceFailure } from '../failures.ts'
import type { Source } from '../source/source.ts'

/** Sources announce whole seconds, and playlists round the duration of each segment. */
const TOLERANCE_SECONDS = 1.5
const TOLERANCE = 0.02

export const shortestOf = (statedSeconds: number): number => statedSeconds * (1 - TOLERANCE) - TOLERANCE_SECONDS

export const longestOf = (statedSeconds: number): number => statedSeconds * (1 + TOLERANCE) + TOLERANCE_SECONDS

export const refuseLiveOrTooLong = (source: Source, limits: StepLimits): void => {
  refuseLive(source)
  if (source.durationSeconds !== null) refuseTooLong(source.durationSeconds, limits)
}

export const refuseLive = ({ isLive }: Source): void => {
  if (isLive) throw new SourceFailure('SOURCE_LIVE')
}

export const refuseTooLong = (durationSeconds: number, { maxDurationSeconds }: StepLimits): void => {
  if (durationSeconds > maxDurationSeconds) throw new SourceFailure('MEDIA_TOO_LONG')
}

export const refuseTooLongOrTruncated = (durationSeconds: number, source: Source, limits: StepLimits): void => {
  refuseTooLong(durationSeconds, limits)
  refuseTruncated(durationSeconds, source.durationSeconds ?? 0)
}

export const refuseTruncated = (durationSeconds: number, expectedSeconds: number): void => {
  if (durationSeconds < shortestOf(expectedSeconds)) throw new SourceFailure('SOURCE_TRUNCATED')
}

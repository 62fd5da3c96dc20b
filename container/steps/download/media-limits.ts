import type { StepLimits } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import { shortestOf } from '../../media/stated-length.ts'
import type { Source } from '../../source/source.ts'

/** Checks that need no download. */
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

/** Checks a download against the limit and against the duration that the source announced. */
export const refuseTooLongOrTruncated = (durationSeconds: number, source: Source, limits: StepLimits): void => {
  refuseTooLong(durationSeconds, limits)
  refuseTruncated(durationSeconds, source.durationSeconds ?? 0)
}

export const refuseTruncated = (durationSeconds: number, expectedSeconds: number): void => {
  if (durationSeconds < shortestOf(expectedSeconds)) throw new SourceFailure('SOURCE_TRUNCATED')
}

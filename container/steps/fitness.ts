import type { StepLimits } from '../protocol.ts'
import { SourceFailure } from '../source/failure.ts'
import type { Source } from '../source/source.ts'

/** What needs no download to be refused. */
export const refuseUnfit = ({ isLive, durationSeconds }: Source, limits: StepLimits): void => {
  if (isLive) throw new SourceFailure('SOURCE_LIVE')
  if (durationSeconds !== null) refuseLong(durationSeconds, limits)
}

export const refuseLong = (durationSeconds: number, { maxDurationSeconds }: StepLimits): void => {
  if (durationSeconds > maxDurationSeconds) throw new SourceFailure('MEDIA_TOO_LONG')
}

/** Players show whole seconds, playlists round each segment. */
const TOLERANCE_SECONDS = 1.5
const TOLERANCE = 0.02

/** Downloads that are longer than allowed, or end before what the source announced. */
export const refuseCut = (made: { durationSeconds: number }, source: Source, limits: StepLimits): void => {
  refuseLong(made.durationSeconds, limits)
  const announced = source.durationSeconds ?? 0
  if (made.durationSeconds < announced * (1 - TOLERANCE) - TOLERANCE_SECONDS)
    throw new SourceFailure('SOURCE_TRUNCATED')
}

import { clippedSeconds } from '../../../domain/media/clip-times.ts'
import type { AudioOrder, Clip } from '../../../domain/protocol/protocol.ts'
import type { Rendition, Source } from '../../source/source.ts'
import { peekRendition } from '../download/audio-rendition.ts'
import { clipSeconds, ROUNDED_SECONDS } from '../download/clip-plan.ts'
import type { StepContext } from '../step.ts'

/** How long the media is, as far as it is known before the download. */
export interface Length {
  seconds: number | null
  isEstimate: boolean
}

export const knownLength = async (
  source: Source,
  rendition: Rendition,
  { stored }: AudioOrder,
  context: StepContext,
): Promise<Length> => {
  const stated = source.durationSeconds ?? stored?.durationSeconds ?? null
  if (stated !== null) return { seconds: stated, isEstimate: false }
  const peeked = await peekRendition(rendition, context)
  return { seconds: peeked?.durationSeconds ?? null, isEstimate: peeked?.durationIsEstimate === true }
}

/** A clip with an end is not longer than that, whatever the length of the media. */
export const lengthOfClip = (clip: Clip, { seconds, isEstimate }: Length): Length =>
  isEstimate
    ? { seconds: clippedSeconds(seconds, clip), isEstimate: clip.endSeconds === null }
    : { seconds: clipSeconds(clip, seconds, ROUNDED_SECONDS), isEstimate: false }

/** Reports the length of the media or its clip: the price follows from it, and the Worker may stop the step. */
export const reportLength = async (
  { seconds, isEstimate }: Length,
  { sizeBytes, sizeIsEstimate }: Rendition,
  { stored }: AudioOrder,
  { progress, signal }: StepContext,
): Promise<void> => {
  const isDownload = stored === undefined && !sizeIsEstimate
  progress.set({ durationSeconds: seconds, durationIsEstimate: isEstimate, totalBytes: isDownload ? sizeBytes : null })
  await progress.flush()
  signal.throwIfAborted()
}

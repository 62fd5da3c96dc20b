import { clippedSeconds } from '../../../domain/media/clip-times.ts'
import type { Clip, StepLimits } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import { SAME_CLOCK_SECONDS } from '../../media/clip/cut-clip.ts'
import { refuseTooLong } from '../../media/limits.ts'
import { type ChosenSegments, chooseSegments, type TimeRange } from '../../source/clip/choose-segments.ts'
import type { ClipStreams } from '../../source/clip/clip-ranges.ts'
import { type FileClipPlan, planFileClip } from '../../source/clip/file-clip.ts'
import type { Rendition } from '../../source/source.ts'
import { announcedSeconds, type SegmentList } from '../../source/transfer/segment-list.ts'
import { segmentListOf } from '../../source/transfer/segments.ts'
import type { StepContext } from '../step.ts'

export type ClipPart =
  /** `rendition` has only the chosen segments, `whole` all of them. */
  | { kind: 'segments'; rendition: Rendition; whole: SegmentList; chosen: ChosenSegments }
  | { kind: 'ranges'; rendition: Rendition; plan: FileClipPlan }
  | { kind: 'whole'; rendition: Rendition }

export interface ClipPlan {
  parts: ClipPart[]
  mediaSeconds: number | null
}

interface ClipSource {
  /** The first one decides where the clip starts. */
  renditions: Rendition[]
  /** What the source announces of the whole media, mostly in whole seconds. */
  durationSeconds: number | null
  streams: ClipStreams
}

/** Chooses what to download. Throws CLIP_OUT_OF_RANGE, and MEDIA_TOO_LONG for the clip: the media may be longer. */
export const planClip = async (
  { renditions, durationSeconds, streams }: ClipSource,
  clip: Clip,
  limits: StepLimits,
  context: StepContext,
): Promise<ClipPlan> => {
  clipSeconds(clip, durationSeconds, ROUNDED_SECONDS)
  const range = { from: clip.startSeconds ?? 0, to: clip.endSeconds ?? Number.POSITIVE_INFINITY }
  const [first, ...others] = renditions
  if (!first) throw new SourceFailure('SOURCE_NOT_FOUND')
  const leading = await planPart(first, range, streams, context)
  // Sound has to be there from the first picture on.
  const earliest = Math.max(0, firstSecond(leading, range.from) - SAME_CLOCK_SECONDS)
  const wider = { from: earliest, to: range.to + SAME_CLOCK_SECONDS }
  const besides = await Promise.all(others.map((rendition) => planPart(rendition, wider, streams, context)))
  const parts = [leading, ...besides]
  const mediaSeconds = mediaSecondsOf(leading)
  const seconds = clipSeconds(clip, mediaSeconds)
  if (seconds !== null) refuseTooLong(seconds, limits)
  return { parts, mediaSeconds }
}

/** Sources announce whole seconds. */
export const ROUNDED_SECONDS = 1

/**
 * How long a clip is. null: it ends with the media, of which nobody knows the length. Throws CLIP_OUT_OF_RANGE.
 * `tolerance`: the media may be so much longer.
 */
export const clipSeconds = (clip: Clip, mediaSeconds: number | null, tolerance = 0): number | null => {
  const start = clip.startSeconds ?? 0
  if (mediaSeconds !== null && start >= mediaSeconds + tolerance) throw new SourceFailure('CLIP_OUT_OF_RANGE')
  return clippedSeconds(mediaSeconds, clip)
}

/** In a transport stream, sound is stored after the pictures that it is played with, perhaps in the next segment. */
const SOUND_DELAY_SECONDS = 0.5

const planPart = async (
  rendition: Rendition,
  range: TimeRange,
  streams: ClipStreams,
  { egress, signal }: StepContext,
): Promise<ClipPart> => {
  const { transport } = rendition
  if (transport.kind === 'file') {
    const clip = { startSeconds: range.from || null, endSeconds: Number.isFinite(range.to) ? range.to : null }
    const plan = await planFileClip(rendition, clip, { egress, signal, streams })
    return plan
      ? { kind: 'ranges', rendition: { ...rendition, sizeBytes: plan.downloadBytes, sizeIsEstimate: false }, plan }
      : { kind: 'whole', rendition }
  }
  const whole = await segmentListOf(transport, { egress, signal })
  const total = announcedSeconds(whole)
  const all = { kind: 'segments', segments: whole, headers: transport.headers } as const
  if (total === null) return { kind: 'whole', rendition: { ...rendition, transport: all } }
  const hasBoth = rendition.videoCodec !== null && rendition.audioCodec !== null
  const chosen = chooseSegments(whole, { from: range.from, to: range.to + (hasBoth ? SOUND_DELAY_SECONDS : 0) })
  return { kind: 'segments', rendition: withSegments(rendition, chosen.segments, total), whole, chosen }
}

/** A rendition that consists of these segments. Its size is estimated from their share of the whole. */
export const withSegments = (rendition: Rendition, segments: SegmentList, totalSeconds: number): Rendition => {
  const { sizeBytes, transport } = rendition
  const share = (announcedSeconds(segments) ?? totalSeconds) / totalSeconds
  return {
    ...rendition,
    sizeBytes: sizeBytes === null ? null : Math.round(sizeBytes * share),
    sizeIsEstimate: true,
    transport: { kind: 'segments', segments, headers: transport.headers },
  }
}

const firstSecond = (part: ClipPart, start: number): number => {
  if (part.kind === 'segments') return Math.min(start, part.chosen.positionSeconds)
  return part.kind === 'ranges' ? Math.min(start, part.plan.completeFromSeconds) : start
}

const mediaSecondsOf = (part: ClipPart): number | null => {
  if (part.kind === 'segments') return announcedSeconds(part.whole)
  return part.kind === 'ranges' ? part.plan.mediaSeconds : null
}

import { clippedSeconds } from '../../../domain/media/clip-times.ts'
import type { Clip, StepLimits } from '../../../domain/protocol/protocol.ts'
import type { OpenedRendition } from '../../media/open-rendition.ts'
import type { Rendition, Source } from '../../source/source.ts'
import { announcedSeconds } from '../../source/transfer/segment-list.ts'
import type { StepContext } from '../step.ts'
import { findAudio, type KnownAudio, type Length } from './audio-rendition.ts'
import { type ClipPart, type ClipPlan, clipSeconds, planClip, ROUNDED_SECONDS } from './clip-plan.ts'

export const soundOnly = { includeVideo: false, includeAudio: true }

/** A little before the start, because a decoder needs it. */
const EARLY_SECONDS = 0.2

export interface AudioClip {
  plan: ClipPlan
  /** What is downloaded. */
  early: Clip
  known: KnownAudio
}

interface AudioClipRequest {
  source: Pick<Source, 'durationSeconds'>
  rendition: Rendition
  clip: Clip
  /** Of the whole media. */
  statedSeconds: number | null
  limits: StepLimits
  opened?: OpenedRendition | null | undefined
}

/** What a clip needs of the sound, and what is known of that before its download. */
export const planAudioClip = async (request: AudioClipRequest, context: StepContext): Promise<AudioClip> => {
  const { source, rendition, clip, statedSeconds, limits, opened } = request
  const { startSeconds, endSeconds } = clip
  const early = { startSeconds: startSeconds === null ? null : Math.max(0, startSeconds - EARLY_SECONDS), endSeconds }
  const wanted = { renditions: [rendition], durationSeconds: source.durationSeconds, streams: soundOnly }
  const plan = await planClip(wanted, early, limits, context)
  const [part] = plan.parts
  const isKnown = part?.kind === 'ranges' && plan.mediaSeconds !== null
  const whole = isKnown ? nothingKnown : await findAudio(rendition, statedSeconds, context, opened)
  const ofMedia = plan.mediaSeconds === null ? whole.length : { seconds: plan.mediaSeconds, isEstimate: false }
  return { plan, early, known: { length: lengthOfClip(clip, ofMedia), size: sizeOfPart(part, whole.size) } }
}

const nothingKnown: KnownAudio = {
  length: { seconds: null, isEstimate: false },
  size: { bytes: null, isEstimate: true },
}

/** A clip with an end is not longer than that, whatever the length of the media. */
export const lengthOfClip = (clip: Clip, { seconds, isEstimate }: Length): Length =>
  isEstimate
    ? { seconds: clippedSeconds(seconds, clip), isEstimate: clip.endSeconds === null }
    : { seconds: clipSeconds(clip, seconds, ROUNDED_SECONDS), isEstimate: false }

/** Segments are about as large as their share of the time. */
const sizeOfPart = (part: ClipPart | undefined, whole: KnownAudio['size']): KnownAudio['size'] => {
  if (part?.kind === 'ranges') return { bytes: part.plan.downloadBytes, isEstimate: false }
  if (part?.kind !== 'segments' || whole.bytes === null) return whole
  const totalSeconds = announcedSeconds(part.whole)
  const share = totalSeconds ? (announcedSeconds(part.chosen.segments) ?? totalSeconds) / totalSeconds : 1
  return { bytes: Math.round(whole.bytes * share), isEstimate: true }
}

import { clippedSeconds } from '../../../domain/media/clip-times.ts'
import type { AudioOrder, Clip, StepLimits } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import { chooseRenditions } from '../../media/choose-quality.ts'
import { type OpenedRendition, openRendition, sizeOf, withFacts } from '../../media/open-rendition.ts'
import type { OpenContext } from '../../media/peek.ts'
import type { Rendition, Source } from '../../source/source.ts'
import { announcedSeconds } from '../../source/transfer/segment-list.ts'
import type { StepContext } from '../step.ts'
import { type ClipPart, clipSeconds, planClip, ROUNDED_SECONDS } from './clip-plan.ts'

export const soundOnly = { includeVideo: false, includeAudio: true }

export const audioRendition = ({ renditions }: Pick<Source, 'renditions'>): Rendition => {
  const [audio] = chooseRenditions(renditions, { ...soundOnly, videoQuality: 'lowest', audioQuality: 'lowest' })
  if (!audio) throw new SourceFailure('NO_AUDIO')
  return audio
}

/** As far as it is known: what the source calls unknown may be there. */
export const hasSound = ({ audioCodec }: Rendition, opened: OpenedRendition | null | undefined): boolean =>
  audioCodec !== null && (!opened?.file || opened.file.audio !== null)

export interface Length {
  seconds: number | null
  isEstimate: boolean
}

export const unknownLength: Length = { seconds: null, isEstimate: false }

/**
 * What is known of the sound before its download. A preview, the quote of a job without captions and the first report of a
 * job with a provider all use it, so that they name the same price.
 */
export interface KnownAudio {
  length: Length
  size: { bytes: number | null; isEstimate: boolean }
}

/** Whether the source says what a download would. A file states its exact size when it is opened; segments do not. */
export const saysEnough = (rendition: Rendition, statedSeconds: number | null): boolean => {
  if (statedSeconds === null) return false
  const { sizeBytes, sizeIsEstimate } = sizeOf(rendition, statedSeconds)
  return sizeBytes !== null && !(sizeIsEstimate && rendition.transport.kind === 'file')
}

export const lengthOf = (statedSeconds: number | null, opened: OpenedRendition | null | undefined): Length => {
  if (statedSeconds !== null) return { seconds: statedSeconds, isEstimate: false }
  const { durationSeconds: seconds = null, durationIsEstimate = false } = opened ?? {}
  return { seconds, isEstimate: seconds !== null && durationIsEstimate }
}

/** `opened`: what was found out about the rendition. It counts only where the source does not say enough. */
export const knownAudio = (
  rendition: Rendition,
  statedSeconds: number | null,
  opened: OpenedRendition | null | undefined,
): KnownAudio => {
  const length = lengthOf(statedSeconds, opened)
  const found = saysEnough(rendition, statedSeconds) ? null : opened
  const known = found ? withFacts(rendition, found, length.seconds) : rendition
  const { sizeBytes, sizeIsEstimate } = sizeOf(known, length.seconds)
  return { length, size: { bytes: sizeBytes, isEstimate: sizeIsEstimate } }
}

export const findAudio = async (
  rendition: Rendition,
  statedSeconds: number | null,
  context: OpenContext,
  opened?: OpenedRendition | null,
): Promise<KnownAudio> => {
  const isOpenedHere = opened === undefined && !saysEnough(rendition, statedSeconds)
  const isProbed = statedSeconds === null
  const found = isOpenedHere ? await openRendition(rendition, context, { isProbed }) : opened
  return knownAudio(rendition, statedSeconds, found)
}

/** Reports what the price follows from, before the download: the Worker may stop the step. */
export const reportAudio = async (
  { length, size }: KnownAudio,
  { stored }: AudioOrder,
  { progress, signal }: StepContext,
): Promise<void> => {
  const bytes = stored ? null : size.bytes
  progress.set({
    durationSeconds: length.seconds,
    durationIsEstimate: length.isEstimate,
    ...(size.isEstimate ? { totalBytes: null, estimatedBytes: bytes ?? undefined } : { totalBytes: bytes }),
  })
  await progress.flush()
  signal.throwIfAborted()
}

/** A decoder needs a little of the sound before the start. */
const EARLY_SECONDS = 0.2

export interface AudioClipRequest {
  source: Pick<Source, 'durationSeconds'>
  rendition: Rendition
  clip: Clip
  statedSeconds: number | null
  limits: StepLimits
  opened?: OpenedRendition | null | undefined
}

/** `early`: the clip that is downloaded. */
export const planAudioClip = async (request: AudioClipRequest, context: StepContext) => {
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

const nothingKnown: KnownAudio = { length: unknownLength, size: { bytes: null, isEstimate: true } }

/** A clip with an end is not longer than that, whatever the length of the media. */
export const lengthOfClip = (clip: Clip, { seconds, isEstimate }: Length): Length =>
  isEstimate
    ? { seconds: clippedSeconds(seconds, clip), isEstimate: clip.endSeconds === null }
    : { seconds: clipSeconds(clip, seconds, ROUNDED_SECONDS), isEstimate: false }

const sizeOfPart = (part: ClipPart | undefined, whole: KnownAudio['size']): KnownAudio['size'] => {
  if (part?.kind === 'ranges') return { bytes: part.plan.downloadBytes, isEstimate: false }
  if (part?.kind !== 'segments' || whole.bytes === null) return whole
  const totalSeconds = announcedSeconds(part.whole)
  const share = totalSeconds ? (announcedSeconds(part.chosen.segments) ?? totalSeconds) / totalSeconds : 1
  return { bytes: Math.round(whole.bytes * share), isEstimate: true }
}

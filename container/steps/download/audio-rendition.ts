import type { AudioOrder, Selection } from '../../../domain/protocol/protocol.ts'
import { SourceFailure } from '../../failures.ts'
import { chooseRenditions } from '../../media/choose-quality.ts'
import { type OpenContext, type OpenedRendition, openRendition, sizeOf, withFacts } from '../../media/open-rendition.ts'
import type { Rendition, Source } from '../../source/source.ts'
import type { StepContext } from '../step.ts'

/** The smallest rendition with audio. Throws NO_AUDIO if there is none. */
export const audioRendition = ({ renditions }: Pick<Source, 'renditions'>): Rendition => {
  const selection: Selection = {
    includeVideo: false,
    includeAudio: true,
    videoQuality: 'lowest',
    audioQuality: 'lowest',
  }
  const [audio] = chooseRenditions(renditions, selection)
  if (!audio) throw new SourceFailure('NO_AUDIO')
  return audio
}

/** As far as it is known: what the source calls unknown may be there. */
export const hasSound = ({ audioCodec }: Rendition, opened: OpenedRendition | null | undefined): boolean =>
  audioCodec !== null && (!opened?.file || opened.file.audio !== null)

/** How long the sound is. */
export interface Length {
  seconds: number | null
  isEstimate: boolean
}

/**
 * What is known of the sound before its download, and is paid for. A preview, the quote of a job without captions and the
 * first report of a job with a provider all take it from here, so that they name the same sum.
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
  const { sizeBytes, sizeIsEstimate } = sizeOf(
    found ? withFacts(rendition, found, length.seconds) : rendition,
    length.seconds,
  )
  return { length, size: { bytes: sizeBytes, isEstimate: sizeIsEstimate } }
}

/** Opens the rendition if it has to be and has not been. */
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

import { withAllowance } from '../egress/allowance.ts'
import { type OpenContext, type OpenedRendition, openRendition } from '../media/open-rendition.ts'
import type { Rendition, Source } from '../source/source.ts'
import { titleAndChapters } from '../steps/title-and-chapters.ts'
import { audioOnly, chosenFor, sizeOf, usual } from './downloads.ts'

/** Of the media, for all renditions together. */
const MAX_READ_BYTES = 16_000_000
const MAX_OPENED = 4

/** The source with what was found out about its media. */
export interface OpenedSource extends Source {
  durationIsEstimate: boolean
  /** What was found out about a rendition that the source lists. */
  known(rendition: Rendition): Rendition
}

/**
 * Many pages state neither the length of their media nor their size. Then there is no price, so the renditions that an
 * import or a transcription would download are opened. A direct file is always opened, because no page describes it.
 * What cannot be opened within the time stays unknown.
 */
export const openUnknown = async (source: Source, context: OpenContext, timeoutMs: number): Promise<OpenedSource> => {
  const ended = AbortSignal.timeout(Math.max(0, Math.round(timeoutMs)))
  const signal = AbortSignal.any([context.signal, ended])
  const limited = { ...context, egress: withAllowance(context.egress, MAX_READ_BYTES), signal }
  const opened = new Map<Rendition, OpenedRendition>()
  const open = async (rendition: Rendition) => {
    const found = await openRendition(rendition, limited).catch((error) => {
      context.signal.throwIfAborted()
      if (ended.aborted) return null
      throw error
    })
    if (found) opened.set(rendition, found)
  }
  const unknown = renditionsToOpen(source)
  await Promise.all(unknown.map(open))
  const first = unknown.map((rendition) => opened.get(rendition)).find((found) => found?.durationSeconds)
  const isStated = source.durationSeconds !== null
  const durationSeconds = source.durationSeconds ?? first?.durationSeconds ?? null
  // As the result of a transcription has them.
  const { chapters } = titleAndChapters({}, source, first?.file ?? null)
  const known = (rendition: Rendition): Rendition => {
    const found = opened.get(rendition)
    return found ? withFacts(rendition, found, durationSeconds) : rendition
  }
  const durationIsEstimate = !isStated && first?.durationIsEstimate === true
  return { ...source, chapters, durationSeconds, durationIsEstimate, known }
}

const renditionsToOpen = ({ isLive, direct, renditions, durationSeconds }: Source): Rendition[] => {
  if (isLive) return []
  const preferred = [usual, audioOnly].flatMap((selection) => chosenFor(renditions, selection))
  const isUnknown = (rendition: Rendition, index: number) =>
    direct || (durationSeconds === null && index === 0) || sizeOf(rendition, durationSeconds).sizeBytes === null
  return [...new Set([...preferred, ...renditions])].filter(isUnknown).slice(0, MAX_OPENED)
}

const withFacts = (rendition: Rendition, found: OpenedRendition, durationSeconds: number | null): Rendition => {
  // For HLS, the bitrate that the source states stands for the size: it includes separate audio.
  const isKnown = rendition.transport.kind === 'hls' && rendition.bitrate !== null
  const { sizeBytes, sizeIsEstimate } = isKnown || found.sizeBytes === null ? rendition : found
  const bitrate = sizeBytes && durationSeconds ? Math.round((sizeBytes * 8) / durationSeconds) : rendition.bitrate
  const { file } = found
  const streams = file && {
    container: file.extension,
    videoCodec: file.video?.codec ?? null,
    audioCodec: file.audio?.codec ?? null,
    width: file.video?.width ?? null,
    height: file.video?.height ?? null,
  }
  return { ...rendition, ...streams, bitrate, sizeBytes, sizeIsEstimate }
}

import { type ProbedSource, type Selection, VideoQuality } from '../../domain/protocol/protocol.ts'
import { withAllowance } from '../egress/allowance.ts'
import { unlessFailed } from '../failures.ts'
import { chooseRenditions } from '../media/choose-quality.ts'
import { type OpenedRendition, openRendition, sizeOf, withFacts } from '../media/open-rendition.ts'
import type { OpenContext } from '../media/peek.ts'
import type { Rendition, Source } from '../source/source.ts'
import { titleAndChapters } from '../steps/chapters.ts'
import { audioRendition, hasSound, knownAudio, saysEnough } from '../steps/download/known-audio.ts'

const MAX_READ_BYTES = 16_000_000
const MAX_OPENED = 4

export type OpenedSource = Awaited<ReturnType<typeof openUnknown>>

/**
 * Many pages state neither the length of their media nor their size, and then there is no price. So the renditions that an
 * import or a transcription would download are opened. What cannot be opened within the time stays unknown.
 */
export const openUnknown = async (source: Source, context: OpenContext, timeoutMs: number) => {
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
  /** What a transcription downloads. */
  const audio = unlessFailed(() => audioRendition(source), null)
  const unknown = renditionsToOpen(source, audio)
  await Promise.all(unknown.map(open))
  const first = unknown.map((rendition) => opened.get(rendition)).find((found) => found?.durationSeconds)
  const isStated = source.durationSeconds !== null
  const durationSeconds = source.durationSeconds ?? first?.durationSeconds ?? null
  const { chapters } = titleAndChapters({}, source, first?.file ?? null)
  const known = (rendition: Rendition): Rendition => {
    const found = opened.get(rendition)
    return found ? withFacts(rendition, found, durationSeconds) : rendition
  }
  const durationIsEstimate = !isStated && first?.durationIsEstimate === true
  const openedAudio = audio && opened.get(audio)
  const speech = audio && hasSound(audio, openedAudio) ? knownAudio(audio, source.durationSeconds, openedAudio) : null
  return { ...source, chapters, durationSeconds, durationIsEstimate, known, speech }
}

/** The first is also the one whose length is that of the source, as it is for a transcription. */
const renditionsToOpen = ({ isLive, direct, renditions, durationSeconds }: Source, audio: Rendition | null) => {
  if (isLive) return []
  const preferred = [usual, audioOnly].flatMap((selection) => chosenFor(renditions, selection))
  const isUnknown = (rendition: Rendition, index: number) =>
    direct ||
    (durationSeconds === null && index === 0) ||
    sizeOf(rendition, durationSeconds).sizeBytes === null ||
    (rendition === audio && !saysEnough(rendition, durationSeconds))
  return [...new Set([...(audio ? [audio] : []), ...preferred, ...renditions])].filter(isUnknown).slice(0, MAX_OPENED)
}

const selectionOf = (includeVideo: boolean, videoQuality: Selection['videoQuality']): Selection => ({
  includeVideo,
  includeAudio: true,
  videoQuality,
  audioQuality: 'best',
})

const audioOnly = selectionOf(false, 'best')
const usual = selectionOf(true, '1080p')

const selections = [audioOnly, ...VideoQuality.options.map((quality) => selectionOf(true, quality))]

export const downloadsOf = (
  listed: Rendition[],
  known: (rendition: Rendition) => Rendition,
  durationSeconds: number | null,
): ProbedSource['downloads'] =>
  selections.map((selection) => {
    // The import chooses by the list, and learns from the files whether they have what was requested.
    const chosen = chosenFor(chosenFor(listed, selection).map(known), selection)
    return { selection, ...downloadOf(chosen, durationSeconds) }
  })

const chosenFor = (renditions: Rendition[], selection: Selection): Rendition[] =>
  unlessFailed(() => chooseRenditions(renditions, selection), [])

/** null if the size is unknown. A further rendition of unknown size counts as 0. */
const downloadOf = (renditions: Rendition[], durationSeconds: number | null) => {
  const [first] = renditions
  // The bitrate of an HLS variant includes its separate audio.
  const isWhole = first?.transport.kind === 'hls' && first.sizeBytes === null
  const sizes = (isWhole ? [first] : renditions).map((rendition) => sizeOf(rendition, durationSeconds))
  if (!sizes[0] || sizes[0].sizeBytes === null) return { bytes: null, isEstimate: true }
  return {
    bytes: sizes.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
    isEstimate: sizes.some(({ sizeIsEstimate }) => sizeIsEstimate),
  }
}

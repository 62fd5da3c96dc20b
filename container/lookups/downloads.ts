import { type ProbedSource, type Selection, VideoQuality } from '../../domain/protocol/protocol.ts'
import { SourceFailure } from '../failures.ts'
import { chooseRenditions } from '../media/choose-quality.ts'
import type { Rendition } from '../source/source.ts'

const selectionOf = (includeVideo: boolean, videoQuality: Selection['videoQuality']): Selection => ({
  includeVideo,
  includeAudio: true,
  videoQuality,
  audioQuality: 'best',
})

/** What a transcription downloads, and an import with default options. */
export const audioOnly = selectionOf(false, 'best')
export const usual = selectionOf(true, '1080p')

const selections = [audioOnly, ...VideoQuality.options.map((quality) => selectionOf(true, quality))]

/** What each import would download. `known` is what was found out about a rendition that the source lists. */
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

/** Empty if the source lacks what was requested. */
export const chosenFor = (renditions: Rendition[], selection: Selection): Rendition[] => {
  try {
    return chooseRenditions(renditions, selection)
  } catch (error) {
    if (error instanceof SourceFailure) return []
    throw error
  }
}

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

export const sizeOf = ({ sizeBytes, sizeIsEstimate, bitrate }: Rendition, durationSeconds: number | null) => {
  if (sizeBytes !== null) return { sizeBytes: Math.round(sizeBytes), sizeIsEstimate }
  const estimate = bitrate !== null && durationSeconds !== null ? Math.round((bitrate / 8) * durationSeconds) : null
  return { sizeBytes: estimate, sizeIsEstimate: true }
}

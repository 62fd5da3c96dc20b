import { contentTypeOf } from '../domain/media/media-types.ts'
import {
  type ProbedFormat,
  type ProbedSource,
  type ProbeRequest,
  type ProbeResponse,
  type Selection,
  VideoQuality,
} from '../domain/protocol/protocol.ts'
import type { Egress } from './egress/egress.ts'
import { SourceFailure, UrlIsPlaylist } from './failures.ts'
import { type LookupTools, lookUp } from './look-up.ts'
import { chooseRenditions } from './media/choose-quality.ts'
import { type PeekedFile, peekFile } from './media/peek.ts'
import { listSource } from './source/list/list-source.ts'
import { resolve } from './source/resolve.ts'
import type { Rendition, Source } from './source/source.ts'

const MAX_TIMEOUT_MS = 20_000

/** The time that a probe has, including its wait for a place. */
export const probeTimeout = ({ timeoutMs }: ProbeRequest): AbortSignal =>
  AbortSignal.timeout(Math.min(timeoutMs, MAX_TIMEOUT_MS))

/** Describes the media behind a URL without importing it, or lists the start of a playlist. */
export const describeSource = (
  { url, listLimit }: ProbeRequest,
  tools: LookupTools,
  signal: AbortSignal,
): Promise<ProbeResponse> =>
  lookUp(tools, signal, async ({ workDir, egress }) => {
    try {
      const source = await resolve(url, egress, tools.extractor, signal)
      return { status: 'done', source: probedSource(await withPeekedFacts(source, egress, workDir, signal)) }
    } catch (error) {
      if (!(error instanceof UrlIsPlaylist) || listLimit === undefined) throw error
      return { status: 'list', ...(await listSource(url, listLimit, egress, tools.extractor, signal)) }
    }
  })

/** No page describes a direct file, so its facts are read from the file. */
const withPeekedFacts = async (
  source: Source,
  egress: Egress,
  workDir: string,
  signal: AbortSignal,
): Promise<Source> => {
  const [only] = source.renditions
  if (!source.direct || !only || only.transport.kind !== 'file') return source
  const peeked = await peekFile(only.transport, egress, workDir, signal)
  only.transport.opened?.discard()
  return peeked ? { ...source, ...peekedFacts(source, only, peeked) } : source
}

const peekedFacts = (
  source: Source,
  only: Rendition,
  { durationSeconds, sizeBytes, video, audio, extension }: PeekedFile,
) => {
  const size = only.sizeBytes ?? sizeBytes
  const duration = durationSeconds ?? source.durationSeconds
  const rendition: Rendition = {
    ...only,
    container: extension,
    videoCodec: video?.codec ?? null,
    audioCodec: audio?.codec ?? null,
    width: video?.width ?? null,
    height: video?.height ?? null,
    bitrate: size && duration ? Math.round((size * 8) / duration) : null,
    sizeBytes: size,
  }
  return { durationSeconds: duration, renditions: [rendition] }
}

const probedSource = (source: Source): ProbedSource => {
  const [only] = source.renditions
  return {
    title: source.title,
    durationSeconds: source.durationSeconds,
    thumbnailUrl: source.thumbnailUrl,
    platform: source.platform,
    isLive: source.isLive,
    direct: source.direct,
    contentType: source.direct && only ? contentTypeOf(only.container ?? '', only.videoCodec !== null) : null,
    fileSizeBytes: source.direct && only && !only.sizeIsEstimate ? only.sizeBytes : null,
    formats: source.renditions.map((rendition) => formatOf(rendition, source.durationSeconds)),
    captions: source.captions.map(({ language, kind }) => ({ language, kind })),
    chapters: source.chapters,
    downloads: selections.map((selection) => ({ selection, ...downloadOf(source, selection) })),
  }
}

const formatOf = (rendition: Rendition, durationSeconds: number | null): ProbedFormat => {
  const { id, container, videoCodec, audioCodec, width, height, bitrate } = rendition
  const lines = width !== null && height !== null ? Math.min(width, height) : height
  const quality = videoCodec === null ? 'audio' : lines === null ? 'video' : `${lines}p`
  const codecs = { videoCodec, audioCodec, width, height, bitrate: bitrate && Math.round(bitrate) }
  return { id, quality, container: container ?? 'unknown', ...codecs, ...sizeOf(rendition, durationSeconds) }
}

const sizeOf = ({ sizeBytes, sizeIsEstimate, bitrate }: Rendition, durationSeconds: number | null) => {
  if (sizeBytes !== null) return { sizeBytes: Math.round(sizeBytes), sizeIsEstimate }
  const estimate = bitrate !== null && durationSeconds !== null ? Math.round((bitrate / 8) * durationSeconds) : null
  return { sizeBytes: estimate, sizeIsEstimate: true }
}

const selectionOf = (includeVideo: boolean, videoQuality: Selection['videoQuality']): Selection => ({
  includeVideo,
  includeAudio: true,
  videoQuality,
  audioQuality: 'best',
})
const selections = [selectionOf(false, 'best'), ...VideoQuality.options.map((quality) => selectionOf(true, quality))]

/**
 * The bytes that an import would download; null if unknown or if the source lacks what was requested. A rendition
 * of unknown size counts as 0, because the bitrate of an HLS variant includes its separate audio.
 */
const downloadOf = (source: Source, selection: Selection): { bytes: number | null; isEstimate: boolean } => {
  const sizes = renditionsFor(source, selection).map((rendition) => sizeOf(rendition, source.durationSeconds))
  const [first] = sizes
  if (!first || first.sizeBytes === null) return { bytes: null, isEstimate: true }
  return {
    bytes: sizes.reduce((sum, { sizeBytes }) => sum + (sizeBytes ?? 0), 0),
    isEstimate: sizes.some(({ sizeIsEstimate }) => sizeIsEstimate),
  }
}

const renditionsFor = (source: Source, selection: Selection): Rendition[] => {
  try {
    return chooseRenditions(source.renditions, selection)
  } catch (error) {
    if (error instanceof SourceFailure) return []
    throw error
  }
}

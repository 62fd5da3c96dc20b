import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { failures } from '../worker/domain/codes/failures.ts'
import { contentTypeOf } from '../worker/domain/media/media-types.ts'
import type { Egress } from './egress/egress.ts'
import type { Guard } from './egress/guard.ts'
import { createEgress } from './egress/outlet.ts'
import { socketFolder } from './egress/socket-folder.ts'
import { described, type Log } from './log.ts'
import { type Peeked, peek } from './media/peek.ts'
import { chosen, select } from './media/select.ts'
import {
  type ProbeAnswer,
  type ProbedFormat,
  type ProbedSource,
  type ProbeOrder,
  type Selection,
  VideoQuality,
} from './protocol.ts'
import { SourceFailure } from './source/failure.ts'
import { type Extractor, resolve } from './source/resolve.ts'
import type { Rendition, Source } from './source/source.ts'

export interface MetadataTools {
  guard: Guard
  extractor: Extractor
  workRoot: string
  log: Log
}

const MAX_TIMEOUT_MS = 20_000

/** What a URL leads to, without importing it. */
export const describeSource = async (order: ProbeOrder, tools: MetadataTools): Promise<ProbeAnswer> => {
  const signal = AbortSignal.timeout(Math.min(order.timeoutMs, MAX_TIMEOUT_MS))
  try {
    return { status: 'done', source: await within(order.url, tools, signal) }
  } catch (error) {
    if (signal.aborted) return failed('TIMED_OUT')
    if (error instanceof SourceFailure) return failed(error.code, error.message)
    tools.log('probe failed', described(error))
    return failed('INTERNAL')
  }
}

const failed = (code: keyof typeof failures, message: string = code): ProbeAnswer => ({
  status: 'failed',
  code,
  message: message === code ? failures[code].message : message,
})

const within = async (url: string, { guard, extractor, workRoot }: MetadataTools, signal: AbortSignal) => {
  await mkdir(workRoot, { recursive: true })
  const workDir = await mkdtemp(join(workRoot, 'probe-'))
  const egress = await createEgress({ guard, signal, socketFolder: socketFolder(workRoot) })
  try {
    const source = await resolve(url, egress, extractor, signal)
    return probedSource(await looked(source, egress, workDir, signal))
  } finally {
    await egress.close()
    await rm(workDir, { recursive: true, force: true, maxRetries: 3 })
  }
}

/** A direct file says of itself what a page says in words. */
const looked = async (source: Source, egress: Egress, workDir: string, signal: AbortSignal): Promise<Source> => {
  const [only] = source.renditions
  if (!source.direct || !only || only.transport.kind !== 'file') return source
  const peeked = await peek(only.transport, egress, workDir, signal)
  only.transport.opened?.discard()
  return peeked ? { ...source, ...withFacts(source, only, peeked) } : source
}

const withFacts = (
  source: Source,
  only: Rendition,
  { durationSeconds, sizeBytes, video, audio, extension }: Peeked,
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
    downloads: wishes.map((selection) => ({ selection, ...downloadOf(source, selection) })),
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

const wish = (includeVideo: boolean, videoQuality: Selection['videoQuality']): Selection => ({
  includeVideo,
  includeAudio: true,
  videoQuality,
  audioQuality: 'best',
})
const wishes = [wish(false, 'best'), ...VideoQuality.options.map((quality) => wish(true, quality))]

/**
 * What an import would download; null where the source can't answer the wish or nobody knows. The bitrate of
 * an HLS variant covers the sound that belongs to it, which has none of its own.
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
    return chosen(select(source.renditions, selection))
  } catch (error) {
    if (error instanceof SourceFailure) return []
    throw error
  }
}

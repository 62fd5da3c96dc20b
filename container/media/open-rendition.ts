import { mkdtemp } from 'node:fs/promises'
import { join } from 'node:path'
import { SourceFailure } from '../failures.ts'
import { openDirect } from '../source/resolve.ts'
import type { FileTransport, Rendition } from '../source/source.ts'
import {
  announcedSeconds,
  type MediaSegment,
  type SegmentList,
  unpackSegments,
} from '../source/transfer/segment-list.ts'
import { segmentListOf } from '../source/transfer/segments.ts'
import { requestRange } from '../source/transfer/stream.ts'
import { type OpenContext, type PeekedFile, peekFile } from './peek.ts'

export interface OpenedRendition {
  durationSeconds: number | null
  durationIsEstimate: boolean
  sizeBytes: number | null
  sizeIsEstimate: boolean
  file: PeekedFile | null
}

/**
 * Reads the first and last bytes of a file, or one byte of a few segments of a playlist. That takes 0.5 to 2 MB, more for
 * a file with a large index, so the caller limits the egress. null: it cannot be opened. Its download would fail in the same
 * way and report it. `isProbed`: false if only the size is needed, which the first response states.
 */
export const openRendition = (
  rendition: Rendition,
  context: OpenContext,
  { isProbed = true }: { isProbed?: boolean } = {},
): Promise<OpenedRendition | null> => orNull(context, () => openTransport(rendition, isProbed, context))

const orNull = async <T>({ signal }: OpenContext, work: () => Promise<T>): Promise<T | null> => {
  try {
    return await work()
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SourceFailure) return null
    throw error
  }
}

const openTransport = async ({ transport, bitrate }: Rendition, isProbed: boolean, context: OpenContext) => {
  if (transport.kind === 'file') return openFile(transport, isProbed, context)
  const list = await segmentListOf(transport, context)
  const durationSeconds = announcedSeconds(list)
  const byBitrate = bitrate && durationSeconds ? Math.round((bitrate / 8) * durationSeconds) : null
  const exact = byteRangesOf(list)
  const sizeBytes = exact ?? byBitrate ?? (await sizeBySamples(list, transport.headers, context))
  return { durationSeconds, durationIsEstimate: false, sizeBytes, sizeIsEstimate: exact === null, file: null }
}

const openFile = async (transport: FileTransport, isProbed: boolean, context: OpenContext) => {
  const opened = transport.opened ?? (await openDirect(transport, context))
  try {
    const peek = async () => {
      // Several files may be open at the same time.
      const workDir = await mkdtemp(join(context.workDir, 'opened-'))
      return peekFile({ ...transport, opened }, { ...context, workDir })
    }
    const file = isProbed ? await orNull(context, peek) : null
    const sizeBytes = opened.sizeBytes ?? file?.sizeBytes ?? null
    const { durationSeconds = null, durationIsEstimate = false } = file ?? {}
    return { durationSeconds, durationIsEstimate, sizeBytes, sizeIsEstimate: false, file }
  } finally {
    if (!transport.opened) opened.discard()
  }
}

const byteRangesOf = ({ ranges }: SegmentList): number | null => {
  const lengths = ranges.filter((_, index) => index % 2 === 1)
  return lengths.includes(-1) ? null : lengths.reduce((sum, length) => sum + length, 0)
}

const SAMPLES = 4

/**
 * The sizes of segments vary with what is to be seen, so the samples are spread over the whole list. One byte of each is
 * enough, because a response for a range states the size of the whole.
 */
const sizeBySamples = async (list: SegmentList, headers: Record<string, string>, context: OpenContext) => {
  const hasSeconds = announcedSeconds(list) !== null
  const weights = hasSeconds ? list.seconds.map((seconds) => Math.max(0, seconds)) : list.seconds.map(() => 1)
  const indexes = [...weights.keys()].filter((index) => (weights[index] ?? 0) > 0)
  const count = Math.min(SAMPLES, indexes.length)
  const spread = Array.from({ length: count }, (_, i) => Math.floor(((i + 0.5) * indexes.length) / count))
  const sampled = new Set(spread.map((at) => indexes[at]))
  const requests: Promise<number | null>[] = []
  let [index, sampledWeight] = [0, 0]
  for (const segment of unpackSegments(list)) {
    if (sampled.has(index)) {
      sampledWeight += weights[index] ?? 0
      requests.push(orNull(context, () => sizeOfSegment(segment, headers, context)))
    }
    index++
  }
  const sizes = await Promise.all(requests)
  if (sizes.length === 0 || sizes.includes(null)) return null
  const sampledBytes = sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0)
  const weight = weights.reduce((sum, each) => sum + each, 0)
  return Math.round((sampledBytes / sampledWeight) * weight)
}

const sizeOfSegment = async ({ url, range }: MediaSegment, headers: Record<string, string>, context: OpenContext) => {
  if (range) return range.length
  const response = await requestRange({ url, headers, start: 0, end: 1 }, context)
  response.discard()
  return response.totalBytes
}

export const withFacts = (rendition: Rendition, found: OpenedRendition, durationSeconds: number | null): Rendition => {
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

export const sizeOf = ({ sizeBytes, sizeIsEstimate, bitrate }: Rendition, durationSeconds: number | null) => {
  if (sizeBytes !== null) return { sizeBytes: Math.round(sizeBytes), sizeIsEstimate }
  const estimate = bitrate !== null && durationSeconds !== null ? Math.round((bitrate / 8) * durationSeconds) : null
  return { sizeBytes: estimate, sizeIsEstimate: true }
}

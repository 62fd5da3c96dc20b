import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inOrder, type Segment } from '../../domain/words/segment.ts'
import type { Egress } from '../egress/egress.ts'
import { extractSubtitles } from '../media/subtitles.ts'
import type { CaptionTrack, Transport } from '../source/source.ts'
import { listSegments } from '../source/transfer/hls.ts'
import { defaultRetryPolicy } from '../source/transfer/retry-policy.ts'
import { fetchSegmentFiles } from '../source/transfer/segments.ts'
import { fetchSmallFile } from '../source/transfer/small-file.ts'
import type { FetchContext } from '../source/transfer/stream.ts'
import { maxCaptionBytes } from './cue.ts'
import { readCaptionSegments, readCaptions } from './read.ts'

/** What reading a caption track needs. */
export interface CaptionContext {
  egress: Egress
  /** A folder for temporary files, removed by the caller. */
  workDir: string
  signal: AbortSignal
}

/** Fewer than for media: the caller is waiting, and another track may be available. */
const attempts = 3

/** Fetches and reads a caption track that the source lists. The size limit applies to all its parts together. */
export const readTrack = async ({ format, later = [], ...first }: CaptionTrack, context: CaptionContext) => {
  const { egress, signal } = context
  const fetchContext: FetchContext = { egress, signal, retryPolicy: { ...defaultRetryPolicy, attempts } }
  const segments: Segment[] = []
  let leftBytes = maxCaptionBytes
  for (const { transport, shiftSeconds = 0 } of [first, ...later]) {
    const files = await fetchFiles(transport, fetchContext, leftBytes)
    leftBytes -= files.reduce((sum, { byteLength }) => sum + byteLength, 0)
    segments.push(...shifted(await readFiles(files, transport, format, context), shiftSeconds))
  }
  return inOrder(segments)
}

const fetchFiles = async (transport: Transport, context: FetchContext, leftBytes: number): Promise<Uint8Array[]> => {
  if (transport.kind === 'file') return [(await fetchSmallFile(transport, context, leftBytes)).bytes]
  const segments = transport.kind === 'hls' ? await listSegments(transport, context) : transport.segments
  return await fetchSegmentFiles({ segments, headers: transport.headers }, context, leftBytes)
}

const readFiles = async (files: Uint8Array[], { kind }: Transport, format: string, context: CaptionContext) => {
  const [file = new Uint8Array()] = files
  if (kind !== 'file') return readCaptionSegments(files)
  return readCaptions(isAss(format) ? await asWebVtt(file, context) : file)
}

/** Drops captions that end before the media starts. */
const shifted = (segments: Segment[], seconds: number): Segment[] =>
  segments
    .map(({ start, end, ...rest }) => ({ start: Math.max(0, start + seconds), end: end + seconds, ...rest }))
    .filter(({ start, end }) => start < end)

const isAss = (format: string) => format === 'ass' || format === 'ssa'

const asWebVtt = async (bytes: Uint8Array, { workDir, signal }: CaptionContext): Promise<Uint8Array> => {
  const path = join(workDir, 'captions.ass')
  await writeFile(path, bytes)
  const converted = await extractSubtitles({ path, demuxer: 'ass' }, 0, join(workDir, 'captions.vtt'), signal)
  return converted ?? new Uint8Array()
}

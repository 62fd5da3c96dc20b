import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { inOrder, type Segment } from '../../../worker/domain/words/segment.ts'
import { extractSubtitles } from '../../media/subtitles.ts'
import type { CaptionTrack, Transport } from '../../source/source.ts'
import { fetchEach } from '../../source/transfer/each.ts'
import { listSegments } from '../../source/transfer/hls.ts'
import { usualPatience } from '../../source/transfer/patience.ts'
import { fetchSmall } from '../../source/transfer/small.ts'
import type { Way } from '../../source/transfer/stream.ts'
import { maxBytes } from '../../speech/captions/cue.ts'
import { readCaptionSegments, readCaptions } from '../../speech/captions/read.ts'
import type { StepContext } from '../step.ts'

/** There may be another track, and somebody waits. */
const attempts = 3

/** A caption track that the source lists, fetched and read: all its parts together are no larger than one may be. */
export const readTrack = async ({ format, later = [], ...first }: CaptionTrack, context: StepContext) => {
  const { egress, signal } = context
  const way: Way = { egress, signal, patience: { ...usualPatience, attempts } }
  const segments: Segment[] = []
  let left = maxBytes
  for (const { transport, shiftSeconds = 0 } of [first, ...later]) {
    const files = await filesOf(transport, way, left)
    left -= files.reduce((sum, { byteLength }) => sum + byteLength, 0)
    segments.push(...shifted(await read(files, transport, format, context), shiftSeconds))
  }
  return inOrder(segments)
}

const filesOf = async (transport: Transport, way: Way, left: number): Promise<Uint8Array[]> => {
  if (transport.kind === 'file') return [(await fetchSmall(transport, way, left)).bytes]
  const segments = transport.kind === 'hls' ? await listSegments(transport, way) : transport.segments
  return await fetchEach({ segments, headers: transport.headers }, way, left)
}

const read = async (files: Uint8Array[], { kind }: Transport, format: string, context: StepContext) => {
  const [file = new Uint8Array()] = files
  if (kind !== 'file') return readCaptionSegments(files)
  return readCaptions(isAss(format) ? await asWebVtt(file, context) : file)
}

/** What was said before the media begins is not heard in it. */
const shifted = (segments: Segment[], seconds: number): Segment[] =>
  segments
    .map(({ start, end, ...said }) => ({ start: Math.max(0, start + seconds), end: end + seconds, ...said }))
    .filter(({ start, end }) => start < end)

const isAss = (format: string) => format === 'ass' || format === 'ssa'

const asWebVtt = async (bytes: Uint8Array, { workDir, signal }: StepContext): Promise<Uint8Array> => {
  const path = join(workDir, 'captions.ass')
  await writeFile(path, bytes)
  const converted = await extractSubtitles({ path, demuxer: 'ass' }, 0, join(workDir, 'captions.vtt'), signal)
  return converted ?? new Uint8Array()
}

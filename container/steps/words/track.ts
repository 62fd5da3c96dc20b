import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Segment } from '../../../worker/domain/words/segment.ts'
import { extractSubtitles } from '../../media/subtitles.ts'
import type { CaptionTrack } from '../../source/source.ts'
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

/** A caption track that the source lists, fetched and read. */
export const readTrack = async ({ transport, format }: CaptionTrack, context: StepContext): Promise<Segment[]> => {
  const { egress, signal } = context
  const way: Way = { egress, signal, patience: { ...usualPatience, attempts } }
  if (transport.kind === 'file') {
    const { bytes } = await fetchSmall(transport, way, maxBytes)
    return readCaptions(isAss(format) ? await asWebVtt(bytes, context) : bytes)
  }
  const segments = transport.kind === 'hls' ? await listSegments(transport, way) : transport.segments
  return readCaptionSegments(await fetchEach({ segments, headers: transport.headers }, way, maxBytes))
}

const isAss = (format: string) => format === 'ass' || format === 'ssa'

const asWebVtt = async (bytes: Uint8Array, { workDir, signal }: StepContext): Promise<Uint8Array> => {
  const path = join(workDir, 'captions.ass')
  await writeFile(path, bytes)
  const converted = await extractSubtitles({ path, demuxer: 'ass' }, 0, join(workDir, 'captions.vtt'), signal)
  return converted ?? new Uint8Array()
}

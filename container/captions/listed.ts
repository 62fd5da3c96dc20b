import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { StoredTranscript } from '../../domain/words/transcript-body.ts'
import { ffmpeg, input, type MediaFile } from '../media/ffmpeg.ts'
import type { OpenContext } from '../media/open-rendition.ts'
import { toConvertCaptions } from '../media/spending.ts'
import { inReader } from '../sandbox/reader.ts'
import type { CaptionTrack, Transport } from '../source/source.ts'
import { unpackSegments } from '../source/transfer/segment-list.ts'
import { fetchSegmentFiles, fetchSmallFile, segmentListOf } from '../source/transfer/segments.ts'
import type { FetchContext } from '../source/transfer/stream.ts'
import { maxCaptionBytes } from './cue.ts'
import type { CaptionFiles } from './read.ts'

/** Fewer than for media: the caller is waiting, and another track may be available. */
const attempts = 3

const read = inReader<typeof import('./read.ts')>(new URL('./read.ts', import.meta.url))

/** Fetches and reads a caption track that the source lists. The size limit applies to all its parts together. */
export const readTrack = async (
  { format, later = [], ...first }: CaptionTrack,
  context: OpenContext,
): Promise<StoredTranscript> => {
  const { egress, signal } = context
  const fetchContext: FetchContext = { egress, signal, retryPolicy: { attempts } }
  const parts: CaptionFiles[] = []
  let leftBytes = maxCaptionBytes
  for (const { transport, shiftSeconds = 0 } of [first, ...later]) {
    const files = await fetchFiles(transport, fetchContext, leftBytes)
    leftBytes -= files.reduce((sum, { byteLength }) => sum + byteLength, 0)
    parts.push({ files: await asText(files, format, context), isOneFile: transport.kind === 'file', shiftSeconds })
  }
  return await read('readTranscript', [parts], signal)
}

const fetchFiles = async (transport: Transport, context: FetchContext, leftBytes: number): Promise<Uint8Array[]> => {
  if (transport.kind === 'file') return [(await fetchSmallFile(transport, context, leftBytes)).bytes]
  const segments = unpackSegments(await segmentListOf(transport, context))
  return await fetchSegmentFiles({ segments, headers: transport.headers }, context, leftBytes)
}

/** ffmpeg reads ASS, which is always one file. */
const asText = async (files: Uint8Array[], format: string, { workDir, signal }: OpenContext): Promise<Uint8Array[]> => {
  const [file] = files
  if (!file || (format !== 'ass' && format !== 'ssa')) return files
  const path = join(workDir, 'captions.ass')
  await writeFile(path, file)
  const converted = await convertSubtitles({ path, demuxer: 'ass' }, join(workDir, 'captions.vtt'), signal)
  return converted ? [converted] : []
}

/** Converts a subtitle file to WebVTT. null if ffmpeg cannot convert it. */
const convertSubtitles = async (
  file: MediaFile,
  outputFile: string,
  signal: AbortSignal,
): Promise<Uint8Array | null> => {
  const args = [...input(file), '-map', '0:0', '-c:s', 'webvtt', '-f', 'webvtt', outputFile]
  const { code } = await ffmpeg(args, { signal, reads: [file.path], writes: outputFile, spends: toConvertCaptions })
  return code === 0 ? readFile(outputFile) : null
}

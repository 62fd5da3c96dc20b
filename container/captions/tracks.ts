import { randomUUID } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LinkedFiles } from '../../domain/protocol/protocol.ts'
import type { StoredTranscript } from '../../domain/words/transcript-body.ts'
import { withAllowance } from '../egress/allowance.ts'
import type { Egress } from '../egress/egress.ts'
import { SourceFailure } from '../failures.ts'
import { ffmpeg, input } from '../media/ffmpeg.ts'
import type { OpenContext } from '../media/peek.ts'
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

const asText = async (files: Uint8Array[], format: string, { workDir, signal }: OpenContext): Promise<Uint8Array[]> => {
  const [file] = files
  if (!file || (format !== 'ass' && format !== 'ssa')) return files
  const name = join(workDir, randomUUID())
  const [path, outputFile] = [`${name}.ass`, `${name}.vtt`]
  await writeFile(path, file)
  const args = [...input({ path, demuxer: 'ass' }), '-map', '0:0', '-c:s', 'webvtt', '-f', 'webvtt', outputFile]
  const { code } = await ffmpeg(args, { signal, reads: [path], writes: outputFile, spends: toConvertCaptions })
  return code === 0 ? [await readFile(outputFile)] : []
}

/** A feed only names transcripts of its own item, so they count as manual captions in the spoken language. */
export const linkedTracks = (linked: LinkedFiles | undefined): CaptionTrack[] =>
  (linked?.transcripts ?? []).map(({ url, format, language }) => ({
    language: language ?? 'und',
    kind: 'manual',
    original: true,
    format,
    transport: { kind: 'file', url, headers: {} },
  }))

const MAX_BYTES = 20_000_000
/** Shorter than a step waits for slow sources (egress/least-speed.ts), which counts the requests of the media too. */
const TIMEOUT_MS = 20_000

/**
 * Limits the requests of files that a feed names. These files may be on any host and must not fail the item, so they have
 * limits separate from those of the media. A file that exceeds them is a SourceFailure. The timeout starts now.
 */
export const withLinkedLimits = <Context extends { egress: Egress; signal: AbortSignal }>(
  context: Context,
  { maxBytes = MAX_BYTES, timeoutMs = TIMEOUT_MS }: { maxBytes?: number; timeoutMs?: number } = {},
): Context => {
  const late = new AbortController()
  const tooLate = () =>
    late.abort(new SourceFailure('SOURCE_UNREACHABLE', 'The files that the feed names take too long.'))
  setTimeout(tooLate, timeoutMs).unref()
  return {
    ...context,
    egress: withAllowance(context.egress, maxBytes),
    signal: AbortSignal.any([context.signal, late.signal]),
  }
}

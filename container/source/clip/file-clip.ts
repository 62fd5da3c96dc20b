import { open } from 'node:fs/promises'
import type { Clip } from '../../../domain/protocol/protocol.ts'
import { withAllowance } from '../../egress/allowance.ts'
import { SourceFailure } from '../../failures.ts'
import { inReader } from '../../sandbox/reader.ts'
import { downloadRanges, splitIntoRanges } from '../download.ts'
import { bytesIn, type FileRange, united, without } from '../index/file-ranges.ts'
import { askByRanges, openRemoteFile } from '../index/remote-file.ts'
import type { FilePart } from '../index/sparse-file.ts'
import { openDirect, openingBytes } from '../resolve.ts'
import type { FileKind } from '../sniff.ts'
import type { OpenedUrl, Rendition, Sink } from '../source.ts'
import { type FetchContext, type Identity, WithoutRanges } from '../transfer/stream.ts'
import { type ClipRanges, type ClipStreams, unpacked } from './clip-ranges.ts'

/**
 * A clip of a plain media file at its origin. Its index says where the clip is, and only these ranges are downloaded, into a
 * local file that has the size and the layout of the whole one, with holes. The clip is then cut as if the file were whole.
 *
 *   plan: open → read the index by ranges → ranges and holes → download them → mark the holes → check (media/clip/)
 */
export interface FileClipPlan extends ClipRanges {
  /** What the clip costs to download, with the bytes that were already read to make this plan. */
  downloadBytes: number
  fileBytes: number
  parts: FilePart[]
  url: string
  headers: Record<string, string>
  identity: Identity
}

/** The formats whose index is read. */
const indexed: ReadonlySet<FileKind> = new Set<FileKind>(['mp4', 'mov', 'm4a', 'webm', 'mkv', 'wav'])

/** Enough for the index of a small file, and for the first samples of most. */
const headBytes = 256 * 1024
/** The index of a day. The account has not agreed to these bytes yet; they are billed with those of the download. */
const maxIndexBytes = 32 * 1024 * 1024
/** Real files take about four. */
const maxRounds = 12

const clipFinder = inReader<typeof import('./find-clip.ts')>(new URL('./find-clip.ts', import.meta.url))

/** null: the whole file has to be downloaded. Throws CLIP_OUT_OF_RANGE if the index says so. */
export const planFileClip = async (
  { transport }: Rendition,
  clip: Clip,
  context: FetchContext & { streams: ClipStreams },
): Promise<FileClipPlan | null> => {
  if (transport.kind !== 'file') return null
  const opened = transport.opened ?? (await openDirect(transport, context))
  try {
    const plan = await planOpened(opened, transport.headers, clip, context)
    // The first response is not needed any more. A later download of the whole file starts with its own.
    if (plan) opened.take()?.discard()
    return plan
  } finally {
    if (!transport.opened) opened.discard()
  }
}

const planOpened = async (
  opened: OpenedUrl,
  headers: Record<string, string>,
  clip: Clip,
  { egress, signal, streams }: Parameters<typeof planFileClip>[2],
): Promise<FileClipPlan | null> => {
  const { kind, url, identity, sizeBytes } = opened
  // A small file arrives with the first response.
  if (!indexed.has(kind) || identity === null || sizeBytes === null || sizeBytes <= openingBytes) return null
  const address = { url, headers }
  const head = (await opened.head(headBytes))?.subarray(0, headBytes)
  const known = { sizeBytes, parts: head ? [{ start: 0, bytes: head }] : [] }
  const limited = withAllowance(egress, maxIndexBytes)
  const file = openRemoteFile({ transport: { kind: 'file', ...address } }, known, limited, signal, identity)
  const wanted = { ...streams, startSeconds: clip.startSeconds ?? 0, endSeconds: clip.endSeconds }
  const answer = await askByRanges(file, maxRounds, () =>
    clipFinder('findClip', [file.known, wanted, file.budget], signal).catch(unreadable),
  )
  if (!('found' in answer)) return null
  const { ranges, holes, ...timeline } = answer.found
  const { parts } = file.known
  const needed = united([...unpacked(ranges), ...parts.map(rangeOf)])
  const downloadBytes = bytesIn(needed)
  if (downloadBytes >= sizeBytes) return null
  return {
    ...address,
    ...timeline,
    identity,
    parts,
    fileBytes: sizeBytes,
    downloadBytes,
    ranges: needed,
    holes: unpacked(holes),
  }
}

/** The file may be good although its index cannot be read: the download of the whole file will show. */
const unreadable = (error: unknown): { outOfReach: string } => {
  if (error instanceof SourceFailure && error.code === 'SOURCE_UNSUPPORTED') return { outOfReach: error.message }
  throw error
}

const rangeOf = ({ start, bytes }: FilePart): FileRange => ({ start, end: start + bytes.length })

const connections = 4

/** Writes each byte at its offset of the whole file, those that were read for the plan too. */
export const downloadFileClip = async (plan: FileClipPlan, sink: Sink, context: FetchContext): Promise<void> => {
  const { url, headers, identity, parts, downloadBytes } = plan
  sink.announce(downloadBytes)
  for (const { start, bytes } of parts) await sink.write(bytes, start)
  const alreadyRead = united(parts.map(rangeOf))
  const ranges = without(plan.ranges, alreadyRead).flatMap(({ start, end }) => splitIntoRanges(start, end, connections))
  try {
    if (ranges.length > 0) await downloadRanges({ url, headers, identity, ranges }, sink, context, connections)
  } catch (cause) {
    if (!(cause instanceof WithoutRanges)) throw cause
    throw new SourceFailure('SOURCE_UNREACHABLE', 'The source no longer serves parts of the file.', { cause })
  }
}

/** Gives the local file its full size, and makes the holes that a demuxer would meet look like empty elements. */
export const markHoles = async (path: string, { fileBytes, holes, holeFormat }: FileClipPlan): Promise<void> => {
  const file = await open(path, 'r+')
  try {
    await file.truncate(fileBytes)
    for (const { start, end } of holes) {
      const header = emptyElement(holeFormat, end - start)
      await file.write(header, 0, header.length, start)
    }
  } finally {
    await file.close()
  }
}

/** The header of an element with this many bytes that demuxers skip. */
export const emptyElement = (format: ClipRanges['holeFormat'], bytes: number): Buffer => {
  if (format === 'mp4') return freeBox(bytes)
  return format === 'matroska' ? voidElement(bytes) : Buffer.alloc(0)
}

/** ISO/IEC 14496-12, section 8.1.2. Size 1 means that a 64-bit size follows. */
const freeBox = (bytes: number): Buffer => {
  const header = Buffer.alloc(bytes < 16 ? 8 : 16)
  header.writeUInt32BE(bytes < 16 ? bytes : 1)
  header.write('free', 4, 'latin1')
  if (bytes >= 16) header.writeBigUInt64BE(BigInt(bytes), 8)
  return header
}

const voidHeaderBytes = 9

/** RFC 8794, section 11.3.2. The first of its eight bytes says how long the size is. */
const voidElement = (bytes: number): Buffer => {
  const header = Buffer.alloc(voidHeaderBytes)
  header.writeBigUInt64BE((1n << 56n) | BigInt(bytes - voidHeaderBytes), 1)
  header.writeUInt8(0xec)
  return header
}

import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Chapter } from '../../domain/protocol/protocol.ts'
import { milliseconds } from '../../domain/words/segment.ts'
import type { Egress } from '../egress/egress.ts'
import { SourceFailure } from '../failures.ts'
import type { FileRange } from '../source/index/file-ranges.ts'
import { headersIn } from '../source/index/mp4/boxes.ts'
import type { FilePart } from '../source/index/sparse-file.ts'
import { openingBytes } from '../source/resolve.ts'
import { sniff } from '../source/sniff.ts'
import type { FileTransport } from '../source/source.ts'
import { readAtLeast } from '../source/transfer/range-response.ts'
import { requestRange } from '../source/transfer/stream.ts'
import { type ProbedFile, probe, probePackets } from './probe.ts'

export interface OpenContext {
  egress: Egress
  workDir: string
  signal: AbortSignal
}

export type PeekedFile = Pick<ProbedFile, 'video' | 'audio' | 'extension' | 'startSeconds' | 'title' | 'chapters'> & {
  durationSeconds: number | null
  /** The duration follows from the size and the bytes of the first seconds: the file does not state it. */
  durationIsEstimate: boolean
  sizeBytes: number | null
  parts: FilePart[]
}

/** Enough for the header of every container, and (the tail) for the index of most videos that have it at the end. */
const HEAD_BYTES = 512 * 1024
const TAIL_BYTES = 1024 * 1024
const LONGEST_TAIL_BYTES = 32 * 1024 * 1024

/** The first and last bytes are written at their offsets into a sparse file, which is then probed. null: they are not enough. */
export const peekFile = async (transport: FileTransport, context: OpenContext): Promise<PeekedFile | null> => {
  const { workDir, signal } = context
  const path = join(workDir, 'peeked')
  const file = await open(path, 'w+')
  try {
    const head = (await openedHead(transport)) ?? (await fetchRange(transport, { start: 0, end: HEAD_BYTES }, context))
    if (!head) return null
    await file.write(head.bytes, 0, head.bytes.length, 0)
    const parts: FilePart[] = [{ start: 0, bytes: head.bytes }]
    const sizeBytes = head.totalBytes
    if (sizeBytes !== null && sizeBytes > head.bytes.length) {
      await file.truncate(sizeBytes)
      const range = rangeOfIndex(head.bytes, sizeBytes)
      const tail = range && (await fetchRange(transport, range, context))
      if (tail) {
        await file.write(tail.bytes, 0, tail.bytes.length, tail.start)
        parts.push(tail)
      }
    }
    const { durationSeconds, ...probed } = await probe(path, signal, { endUnknown: true })
    const isStated = durationSeconds > 0 && !probed.durationIsEstimate && !hidesDuration(head.bytes)
    return {
      ...probed,
      chapters: titled(probed.chapters),
      durationSeconds: isStated ? durationSeconds : await secondsByBytes(file, path, head, signal),
      durationIsEstimate: !isStated && head.bytes.length !== sizeBytes,
      sizeBytes,
      parts,
    }
  } catch (error) {
    if (error instanceof SourceFailure && error.code !== 'SOURCE_UNREACHABLE') return null
    throw error
  } finally {
    await file.close()
  }
}

/** A fragmented MP4 (ISO/IEC 14496-12, section 8.8) that states no duration is as long as its fragments, which were not fetched. */
const hidesDuration = (head: Buffer): boolean =>
  head.includes('mvex') && !head.includes('mehd') && !head.includes('sidx')

const MIN_SECONDS = 0.25

/** The length of the whole file, if the rest is like its beginning. null if its size is unknown or the beginning too short. */
const secondsByBytes = async (
  file: FileHandle,
  path: string,
  { bytes, totalBytes }: Head,
  signal: AbortSignal,
): Promise<number | null> => {
  if (totalBytes === null) return null
  await file.truncate(bytes.length)
  const { firstByte, seconds } = await probePackets(path, signal)
  // All of a small file was read, so a recording that stopped before its first sound has a length too: none.
  if (bytes.length === totalBytes) return milliseconds(seconds)
  const share = (totalBytes - firstByte) / (bytes.length - firstByte)
  return seconds < MIN_SECONDS ? null : milliseconds(seconds * share)
}

/** The titles of an MP4's chapters are among its media, most of which was not fetched. */
const titled = (chapters: Chapter[]): Chapter[] => (chapters.every(({ title }) => title !== '') ? chapters : [])

const metadataFirst = new Set(['webm', 'mkv', 'flac', 'wav'])

/**
 * The bytes to fetch after the head, or null if the head is enough: the rest of an MP4's index that starts in the head.
 * An MP4 with its media data first has the index right after it.
 */
const rangeOfIndex = (head: Buffer, sizeBytes: number): FileRange | null => {
  if (metadataFirst.has(sniff(head))) return null
  const usual = { start: Math.max(head.length, sizeBytes - TAIL_BYTES), end: sizeBytes }
  const first = headersIn(head).find(({ type }) => type === 'moov' || type === 'mdat')
  const isIndex = first?.type === 'moov'
  if (isIndex && first.end <= head.length) return null
  const known = isIndex ? { start: head.length, end: first.end } : { start: first?.end ?? 0, end: sizeBytes }
  const isUsable = known.start >= head.length && known.start < known.end && known.end <= sizeBytes
  return isUsable && known.end - known.start <= LONGEST_TAIL_BYTES ? known : usual
}

interface Head {
  bytes: Buffer
  totalBytes: number | null
}

/** Uses the response that resolved the URL instead of a new request. It holds all of a small file. */
const openedHead = async ({ opened }: FileTransport): Promise<Head | null> => {
  const sizeBytes = opened?.sizeBytes ?? null
  const isSmall = sizeBytes !== null && sizeBytes <= openingBytes
  const bytes = await opened?.head(isSmall ? sizeBytes : HEAD_BYTES)
  return bytes ? { bytes: Buffer.from(bytes), totalBytes: sizeBytes } : null
}

const fetchRange = async (
  { url, headers }: FileTransport,
  { start, end }: FileRange,
  context: OpenContext,
): Promise<(FilePart & Head) | null> => {
  const response = await requestRange({ url, headers, start, end }, context).catch(nullIfRefused)
  if (!response) return null
  try {
    const bytes = response.start === start ? Buffer.from(await readAtLeast(response, end - start)) : null
    return bytes && { start, bytes: bytes.subarray(0, end - start), totalBytes: response.totalBytes }
  } finally {
    response.discard()
  }
}

const nullIfRefused = (error: unknown): null => {
  if (error instanceof SourceFailure && error.cause === undefined) return null
  throw error
}

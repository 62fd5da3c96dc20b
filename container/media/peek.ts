import { open } from 'node:fs/promises'
import { join } from 'node:path'
import type { Egress } from '../egress/egress.ts'
import { firstBytes as openingBytes } from '../source/direct.ts'
import { SourceFailure } from '../source/failure.ts'
import { sniff } from '../source/sniff.ts'
import type { Transport } from '../source/source.ts'
import { boxAt } from './boxes.ts'
import { type Probed, probe } from './probe.ts'

export type Peeked = Pick<Probed, 'video' | 'audio' | 'subtitles' | 'extension'> & {
  durationSeconds: number | null
  sizeBytes: number | null
}

type FileTransport = Extract<Transport, { kind: 'file' }>

/** Enough for the head of every container, and for the index of most films where that is at the end. */
const HEAD_BYTES = 512 * 1024
const TAIL_BYTES = 1024 * 1024
const LONGEST_TAIL_BYTES = 32 * 1024 * 1024

/**
 * What a file is, from its first and last bytes alone: they are written where they belong into a file with
 * a hole in it. null when they don't tell.
 */
export const peek = async (
  transport: FileTransport,
  egress: Egress,
  workDir: string,
  signal: AbortSignal,
): Promise<Peeked | null> => {
  const path = join(workDir, 'peeked')
  const file = await open(path, 'w+')
  try {
    const head = (await openedHead(transport)) ?? (await readHead(transport, egress, signal))
    if (!head) return null
    await file.write(head.bytes, 0, head.bytes.length, 0)
    const sizeBytes = head.totalBytes
    if (sizeBytes !== null && sizeBytes > head.bytes.length) {
      await file.truncate(sizeBytes)
      const start = tailStart(head.bytes, sizeBytes)
      const tail = start && (await read(transport, egress, `${start}-${sizeBytes - 1}`, sizeBytes - start, signal))
      if (tail && tail.start === start) await file.write(tail.bytes, 0, tail.bytes.length, start)
    }
    const { durationSeconds, ...probed } = await probe(path, signal, { endUnknown: true })
    return { ...probed, durationSeconds: hidesDuration(head.bytes) ? null : durationSeconds || null, sizeBytes }
  } catch (error) {
    if (error instanceof SourceFailure && error.code !== 'SOURCE_UNREACHABLE') return null
    throw error
  } finally {
    await file.close()
  }
}

/** A fragmented mp4 (ISO/IEC 14496-12 8.8) that says its duration nowhere is as long as its fragments, which we have not. */
const hidesDuration = (head: Buffer): boolean =>
  head.includes('mvex') && !head.includes('mehd') && !head.includes('sidx')

/** These say at their beginning all that they say of themselves. */
const headed = new Set(['webm', 'mkv', 'flac', 'wav'])

/**
 * Where the tail that matters begins: an mp4 whose media data comes first has its index right behind it. null
 * where the head tells everything.
 */
const tailStart = (head: Buffer, sizeBytes: number): number | null => {
  if (headed.has(sniff(head)) || boxAt(head, 'moov')) return null
  const usual = Math.max(head.length, sizeBytes - TAIL_BYTES)
  const behindMedia = endOfMediaData(head)
  if (behindMedia === null || behindMedia >= sizeBytes || behindMedia < head.length) return usual
  return sizeBytes - behindMedia <= LONGEST_TAIL_BYTES ? behindMedia : usual
}

/** ISO/IEC 14496-12 4.2: boxes of a 32-bit size and a type; size 1 means that 64 bits follow. */
const endOfMediaData = (head: Buffer): number | null => {
  for (let at = 0; at + 16 <= head.length; ) {
    const type = head.toString('latin1', at + 4, at + 8)
    const small = head.readUInt32BE(at)
    const size = small === 1 ? Number(head.readBigUInt64BE(at + 8)) : small
    if (size < 8) return null
    if (type === 'mdat') return at + size
    at += size
  }
  return null
}

interface Range {
  start: number
  bytes: Buffer
  totalBytes: number | null
}

/** What the first answer brought is not asked for again; of a small file that is all. */
const openedHead = async ({ opened }: FileTransport): Promise<Range | null> => {
  const sizeBytes = opened?.sizeBytes ?? null
  const isSmall = sizeBytes !== null && sizeBytes <= openingBytes
  const bytes = await opened?.head(isSmall ? sizeBytes : HEAD_BYTES)
  return bytes ? { start: 0, bytes: Buffer.from(bytes), totalBytes: sizeBytes } : null
}

const readHead = (transport: FileTransport, egress: Egress, signal: AbortSignal): Promise<Range | null> =>
  read(transport, egress, `0-${HEAD_BYTES - 1}`, HEAD_BYTES, signal)

/** A range of the file; of an origin without ranges, its beginning. */
const read = async (
  { url, headers }: FileTransport,
  egress: Egress,
  range: string,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Range | null> => {
  const ended = new AbortController()
  const response = await egress.fetch(url, {
    headers: { ...headers, range: `bytes=${range}` },
    signal: AbortSignal.any([signal, ended.signal]),
  })
  const [, start = '0', total] = /^bytes (\d+)-\d+\/(\d+)$/.exec(response.headers.get('content-range') ?? '') ?? []
  const whole = response.status === 200 ? response.headers.get('content-length') : null
  const bytes = response.ok ? await firstBytes(response.body ?? [], maxBytes) : null
  ended.abort()
  if (!bytes) return null
  const totalBytes = total ?? whole
  return { start: Number(start), bytes, totalBytes: totalBytes ? Number(totalBytes) : null }
}

const firstBytes = async (body: AsyncIterable<Uint8Array> | Uint8Array[], maxBytes: number): Promise<Buffer> => {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size >= maxBytes) break
  }
  return Buffer.concat(chunks).subarray(0, maxBytes)
}

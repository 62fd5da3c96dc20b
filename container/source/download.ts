import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'
import { inParallel } from '../../domain/lanes.ts'
import { bytesIn, type FileRange, united, without } from './index/file-ranges.ts'
import { openDirect, requestFirstBytes } from './resolve.ts'
import type { FileTransport, Rendition, Sink } from './source.ts'
import type { RangeResponse } from './transfer/range-response.ts'
import { Interrupted } from './transfer/retry-policy.ts'
import { unpackSegments } from './transfer/segment-list.ts'
import { downloadSegments, segmentListOf } from './transfer/segments.ts'
import { type FetchContext, type FileAddress, type Identity, stream, WithoutRanges } from './transfer/stream.ts'

/** Returns how many bytes were written, as the functions do that it calls. */
export const download = async ({ transport }: Pick<Rendition, 'transport'>, sink: Sink, context: FetchContext) => {
  if (transport.kind === 'file') return await downloadFile(transport, sink, context)
  const segments = unpackSegments(await segmentListOf(transport, context))
  return await downloadSegments({ segments, headers: transport.headers }, sink, context)
}

const defaultConnections = 4

export async function downloadFile(
  transport: FileTransport,
  sink: Sink,
  context: FetchContext,
  connections = defaultConnections,
): Promise<number> {
  const { headers } = transport
  const opened = transport.opened ?? (await openDirect(transport, context))
  const first = opened.take() ?? (await requestFirstBytes({ url: opened.url, headers }, context))
  try {
    return await downloadFrom(first, headers, sink, context, connections)
  } finally {
    first.discard()
  }
}

async function downloadFrom(
  first: RangeResponse,
  headers: Record<string, string>,
  sink: Sink,
  context: FetchContext,
  connections: number,
): Promise<number> {
  const file = { url: first.url, headers }
  const whole = { ...file, start: 0, end: null }
  if (first.totalBytes !== null) sink.announce(first.totalBytes)
  const ranges = parallelRanges(first, connections)
  if (!ranges) return await stream(whole, sink.write, context, { first })
  try {
    await downloadRanges({ ...file, identity: first, ranges }, sink, context, connections)
    return ranges.at(-1)?.end ?? 0
  } catch (error) {
    if (!(error instanceof WithoutRanges)) throw error
    return await stream(whole, sink.write, context, { identity: first })
  }
}

/** null when the origin has no ranges, when nothing identifies the file, or when the first response has all of it. */
function parallelRanges(first: RangeResponse, connections: number): ByteRange[] | null {
  const { isRange, end, totalBytes, validator } = first
  if (!isRange || !validator || end === null || totalBytes === null || end === totalBytes) return null
  return [{ start: 0, end, first }, ...splitIntoRanges(end, totalBytes, connections)]
}

const minRangeBytes = 2 * 1_048_576
const maxRangeBytes = 8 * 1_048_576

interface ByteRange extends FileRange {
  first?: RangeResponse
}

export function splitIntoRanges(start: number, end: number, connections: number): ByteRange[] {
  const fairShare = Math.ceil((end - start) / connections)
  const size = Math.min(Math.max(fairShare, minRangeBytes), maxRangeBytes)
  const count = Math.ceil((end - start) / size)
  return Array.from({ length: count }, (_, i) => ({
    start: start + i * size,
    end: Math.min(end, start + (i + 1) * size),
  }))
}

interface RangedFile extends FileAddress {
  identity: Identity
  ranges: ByteRange[]
}

/** When the origin refuses some connections, the others continue. */
export async function downloadRanges(
  file: RangedFile,
  sink: Sink,
  context: FetchContext,
  connections: number,
): Promise<void> {
  const remaining = [...file.ranges]
  let active = Math.min(connections, remaining.length)
  const work = async (signal: AbortSignal) => {
    for (let range = remaining.shift(); range; range = remaining.shift()) {
      const rest = await downloadRange(file, range, sink, { ...context, signal }, () => active > 1)
      if (rest) {
        remaining.unshift(rest)
        break
      }
    }
    active -= 1
  }
  await inParallel(active, work, context.signal)
}

/** Resolves to the rest of the range when the origin is overloaded and another connection can continue with it. */
async function downloadRange(
  { url, headers, identity }: RangedFile,
  { start, end, first }: ByteRange,
  sink: Sink,
  context: FetchContext,
  yields: () => boolean,
): Promise<ByteRange | null> {
  let at = start
  const put = async (bytes: Uint8Array, offset: number) => {
    await sink.write(bytes, offset)
    at = offset + bytes.length
  }
  try {
    await stream({ url, headers, start, end }, put, context, { identity, yields, first })
    return null
  } catch (error) {
    if (error instanceof Interrupted && error.overloaded && yields()) return { start: at, end }
    throw error
  }
}

export type Spool = Awaited<ReturnType<typeof openSpool>>

interface SpoolOptions {
  digest: boolean
  /** Aborts when the step ends: the file is closed, and everything that waits for bytes is rejected. */
  signal: AbortSignal
  onAnnounce?: (totalBytes: number) => void
  /** Resolves when this many new bytes may be written. A range that is fetched twice counts once. */
  take?: (bytes: number) => Promise<void>
  onBytes?: (bytes: number) => void
}

const READ_BYTES = 1024 * 1024

/**
 * The file on disk that a download writes to, in any order. It computes the digest in order as early as possible, and lets
 * the upload wait for bytes, so that the first parts are uploaded while the last ones are still downloading.
 */
export const openSpool = async (path: string, options: SpoolOptions) => {
  const { signal } = options
  const file = await open(path, 'w+')
  const digest = options.digest ? orderedDigest(file) : null
  let written: FileRange[] = []
  let ended = false
  let reservedBytes = 0
  let change = Promise.withResolvers<void>()
  const tellWaiters = () => {
    change.resolve()
    change = Promise.withResolvers()
  }
  const close = async () => {
    tellWaiters()
    await digest?.settled()
    await file.close()
  }
  signal.addEventListener('abort', () => void close(), { once: true })
  if (signal.aborted) await close()
  const takeUnreserved = async (bytes: number) => {
    const reserved = Math.min(reservedBytes, bytes)
    reservedBytes -= reserved
    if (bytes > reserved) await options.take?.(bytes - reserved)
  }

  return {
    announce: (totalBytes: number) => options.onAnnounce?.(totalBytes),
    reserve: async (bytes: number) => {
      await options.take?.(bytes)
      reservedBytes += bytes
    },
    write: async (bytes: Uint8Array, offset: number) => {
      const range = { start: offset, end: offset + bytes.byteLength }
      await takeUnreserved(bytesIn(without([range], written)))
      await writeAll(file, bytes, offset)
      const before = bytesIn(written)
      written = united([...written, range])
      digest?.advance(prefixOf(written), bytes, offset)
      tellWaiters()
      options.onBytes?.(bytesIn(written) - before)
    },
    path,
    get prefixBytes() {
      return prefixOf(written)
    },
    get ended() {
      return ended
    },
    /** Resolves when [0, bytes) is written, or when the download has ended with fewer bytes. */
    reached: async (bytes: number): Promise<void> => {
      while (!ended && prefixOf(written) < bytes) {
        signal.throwIfAborted()
        await change.promise
      }
    },
    finish: () => {
      ended = true
      tellWaiters()
    },
    /** The digest of the whole file, in hexadecimal. null unless `digest` was set. */
    sha256: async (): Promise<string | null> => (digest ? digest.finish(prefixOf(written)) : null),
  }
}

const writeAll = async (file: FileHandle, bytes: Uint8Array, offset: number): Promise<void> => {
  for (let done = 0; done < bytes.byteLength; ) {
    const { bytesWritten } = await file.write(bytes, done, bytes.byteLength - done, offset + done)
    done += bytesWritten
  }
}

const orderedDigest = (file: FileHandle) => {
  const hash = createHash('sha256')
  let digested = 0
  let catchingUp: Promise<void> | null = null

  const readUpTo = async (target: () => number): Promise<void> => {
    const buffer = Buffer.allocUnsafe(READ_BYTES)
    while (digested < target()) {
      const { bytesRead } = await file.read(buffer, 0, Math.min(READ_BYTES, target() - digested), digested)
      if (bytesRead === 0) throw new Error('the spool is shorter than what was written')
      hash.update(buffer.subarray(0, bytesRead))
      digested += bytesRead
    }
  }
  let prefix = 0
  const catchUp = (): Promise<void> => {
    catchingUp ??= readUpTo(() => prefix).finally(() => {
      catchingUp = null
    })
    return catchingUp
  }
  return {
    advance: (newPrefix: number, bytes: Uint8Array, offset: number) => {
      prefix = newPrefix
      if (offset === digested && !catchingUp) {
        hash.update(bytes)
        digested += bytes.byteLength
      }
      // A read error occurs again in finish, which reports it.
      if (digested < prefix && !catchingUp) catchUp().catch(() => {})
    },
    finish: async (size: number): Promise<string> => {
      prefix = size
      while (digested < size) await catchUp()
      return hash.digest('hex')
    },
    settled: async () => {
      await catchingUp?.catch(() => {})
    },
  }
}

const prefixOf = ([first]: FileRange[]): number => (first?.start === 0 ? first.end : 0)

import { createDecipheriv, type Decipheriv } from 'node:crypto'
import { lanes } from '../../../domain/lanes.ts'
import { SourceFailure } from '../../failures.ts'
import { inReader } from '../../sandbox/reader.ts'
import type { FileTransport, Sink, Transport } from '../source.ts'
import type { PackedPlaylist } from './playlist.ts'
import { RefusedByOrigin } from './retry-policy.ts'
import type { MediaSegment, SegmentList } from './segment-list.ts'
import { type FetchContext, type FileAddress, stream, WithoutRanges } from './stream.ts'

const maxPlaylistBytes = 32 * 1_048_576

export const segmentListOf = async (
  transport: Exclude<Transport, FileTransport>,
  context: FetchContext,
): Promise<SegmentList> => {
  if (transport.kind === 'segments') return transport.segments
  const playlist = await fetchPlaylist(transport, context)
  if (playlist.kind === 'media') return playlist.segments
  const highest = await fetchPlaylist({ ...transport, url: playlist.highestUrl }, context)
  if (highest.kind === 'master') throw new SourceFailure('SOURCE_UNSUPPORTED')
  return highest.segments
}

const playlistReader = inReader<typeof import('./playlist.ts')>(new URL('./playlist.ts', import.meta.url))

async function fetchPlaylist({ url, headers }: FileAddress, context: FetchContext): Promise<PackedPlaylist> {
  const playlist = await fetchSmallFile({ url, headers }, context, maxPlaylistBytes)
  return await playlistReader('readPackedPlaylist', [playlist.bytes.toString('utf8'), playlist.url], context.signal)
}

const connections = 6

/** `segments` can be iterated several times. `headers` are those that the platform requires. */
interface SegmentedFile {
  segments: Iterable<MediaSegment>
  headers: Record<string, string>
}

type Write = (bytes: Uint8Array) => Promise<void>

export async function downloadSegments(
  { segments, headers }: SegmentedFile,
  sink: Sink,
  context: FetchContext,
): Promise<number> {
  let sizeBytes = 0
  const append = async (bytes: Uint8Array) => {
    if (bytes.length === 0) return
    await sink.write(bytes, sizeBytes)
    sizeBytes += bytes.length
  }
  const totalBytes = announcedBytes(segments)
  if (totalBytes !== null) sink.announce(totalBytes)
  const readSegment = createSegmentReader(headers, context)
  let previous: Promise<void> = Promise.resolve()
  const fetchNext = (segment: MediaSegment, laneSignal: AbortSignal): Promise<void> => {
    const buffered = bufferedUntil(previous, append, sink)
    previous = readSegment(segment, buffered.write, laneSignal).then(buffered.end)
    return previous
  }
  await lanes(connections, segments, fetchNext, context.signal)
  return sizeBytes
}

/** Fetches segments as separate files in memory: joined subtitle segments are not a valid file. */
export async function fetchSegmentFiles(
  { segments, headers }: SegmentedFile,
  context: FetchContext,
  maxBytes: number,
): Promise<Uint8Array[]> {
  const files: Uint8Array[] = []
  const readSegment = createSegmentReader(headers, context)
  let bytesLeft = maxBytes
  let started = 0
  const refuseAbove = (bytes: number) => {
    if (bytes > bytesLeft) throw new SourceFailure('MEDIA_TOO_LARGE')
  }
  const fetchOne = async (segment: MediaSegment, signal: AbortSignal) => {
    const index = started++
    const chunks: Uint8Array[] = []
    const write = async (bytes: Uint8Array) => {
      refuseAbove(bytes.length)
      bytesLeft -= bytes.length
      chunks.push(bytes)
    }
    refuseAbove(announcedBytes([segment]) ?? 0)
    await readSegment(segment, write, signal)
    files[index] = Buffer.concat(chunks)
  }
  await lanes(connections, segments, fetchOne, context.signal)
  return files
}

/** A segment whose predecessors are not written yet buffers this much. Then it stops reading from its origin. */
const maxBufferedBytes = 4 * 1_048_576

/** Buffers bytes until the segment before has been written. After that, writes pass straight through. */
function bufferedUntil(isBeforeWritten: Promise<void>, append: Write, { reserve }: Sink) {
  const buffered: Uint8Array[] = []
  let size = 0
  let isNext = false
  isBeforeWritten.then(
    () => {
      isNext = true
    },
    // The failed segment throws its own error; here it would be an unhandled rejection.
    () => {},
  )
  const end = async () => {
    await isBeforeWritten
    for (const bytes of buffered.splice(0)) await append(bytes)
  }
  const write: Write = async (bytes) => {
    await reserve?.(bytes.length)
    buffered.push(bytes)
    size += bytes.length
    if (isNext || size >= maxBufferedBytes) await end()
  }
  return { write, end }
}

/** Fetches each key once, however many segments use it. */
function createSegmentReader(headers: Record<string, string>, context: FetchContext) {
  const keys = new Map<string, Promise<Uint8Array>>()
  const fetched = async ({ url, iv }: NonNullable<MediaSegment['key']>) => {
    const found = keys.get(url) ?? fetchKey(url, headers, context)
    keys.set(url, found)
    return { bytes: await found, iv }
  }
  return async ({ url, range, key }: MediaSegment, write: Write, signal: AbortSignal): Promise<void> => {
    const decryption = aes128(key && (await fetched(key)))
    const start = range?.offset ?? 0
    const end = range ? start + range.length : null
    try {
      const writeMedia = rejectingPlaylists(write)
      const put = (bytes: Uint8Array) => writeMedia(decryption.add(bytes))
      await stream({ url, headers, start, end }, put, { ...context, signal })
    } catch (error) {
      throw segmentFailure(error)
    }
    await write(decryption.end())
  }
}

const playlistSignature = Buffer.from('#EXTM3U')

/** Among media segments ffmpeg would treat a playlist as minor damage and go on, so it is rejected here. */
function rejectingPlaylists(write: Write): Write {
  let head = Buffer.alloc(0)
  return async (bytes) => {
    if (head.length < playlistSignature.length) {
      head = Buffer.concat([head, bytes.subarray(0, playlistSignature.length - head.length)])
      if (head.equals(playlistSignature)) throw new SourceFailure('SOURCE_UNSUPPORTED')
    }
    await write(bytes)
  }
}

function segmentFailure(error: unknown) {
  if (error instanceof WithoutRanges) return new SourceFailure('SOURCE_UNSUPPORTED')
  // The playlist lists this segment, so the rest would be an incomplete file.
  const isMissing = error instanceof RefusedByOrigin && (error.status === 404 || error.status === 410)
  return isMissing ? new SourceFailure('SOURCE_TRUNCATED', 'A segment of the source is missing.') : error
}

async function fetchKey(url: string, headers: Record<string, string>, context: FetchContext): Promise<Uint8Array> {
  const { bytes } = await fetchSmallFile({ url, headers }, context, 1_024)
  if (bytes.length !== 16) throw new SourceFailure('SOURCE_DRM')
  return bytes
}

/** RFC 8216, section 4.3.2.4: AES-128 in CBC mode with PKCS7 padding, separately for each segment. */
function aes128(key: { bytes: Uint8Array; iv: Uint8Array } | null) {
  let decipher: Decipheriv | null | undefined
  return {
    add(bytes: Uint8Array): Uint8Array {
      // Some packagers declare a key for an initialization section but do not encrypt it.
      if (decipher === undefined)
        decipher = key && !isPlain(bytes) ? createDecipheriv('aes-128-cbc', key.bytes, key.iv) : null
      return decipher ? decipher.update(bytes) : bytes
    },
    end(): Uint8Array {
      try {
        return decipher ? decipher.final() : new Uint8Array()
      } catch (cause) {
        // The segment was cut within a block, or the key is wrong.
        throw new SourceFailure('SOURCE_TRUNCATED', 'A segment of the source could not be decrypted.', { cause })
      }
    },
  }
}

const isPlain = (bytes: Uint8Array) => Buffer.from(bytes.subarray(4, 8)).toString('latin1') === 'ftyp'

export async function fetchSmallFile(
  address: FileAddress,
  context: FetchContext,
  maxBytes: number,
): Promise<{ bytes: Buffer; url: string }> {
  const chunks: Uint8Array[] = []
  let { url } = address
  const put = async (bytes: Uint8Array, offset: number) => {
    if (offset + bytes.length > maxBytes) throw new SourceFailure('SOURCE_UNSUPPORTED')
    chunks.push(bytes)
  }
  const onIdentity = (response: { url: string }) => {
    url = response.url
  }
  await stream({ ...address, start: 0, end: null }, put, context, { onIdentity })
  return { bytes: Buffer.concat(chunks), url }
}

/** Known only when every segment is a byte range and none has encryption padding. */
function announcedBytes(segments: Iterable<MediaSegment>): number | null {
  let total = 0
  for (const { range, key } of segments) {
    if (!range || key) return null
    total += range.length
  }
  return total
}

import type { Egress } from '../../egress/egress.ts'
import { SourceFailure } from '../failure.ts'
import type { Downloaded, Segment, Sink, Transport } from '../source.ts'
import { Refused } from './answer.ts'
import { aes128, type Decryption, noDecryption } from './decrypt.ts'
import { type DownloadOptions, limitedTo } from './limits.ts'
import { usualPatience } from './patience.ts'
import { together } from './pieces.ts'
import { fetchSmall } from './small.ts'
import { stream, type Way, WithoutRanges } from './stream.ts'
import { heldUntil } from './turns.ts'

const usualConnections = 6

/** Fetches the segments of HLS and DASH, several at a time, and writes them one after the other. */
export async function downloadSegments(
  { segments, headers }: Extract<Transport, { kind: 'segments' }>,
  egress: Egress,
  sink: Sink,
  signal: AbortSignal,
  { maxBytes = Number.POSITIVE_INFINITY, connections = usualConnections, patience = {} }: DownloadOptions = {},
): Promise<Downloaded> {
  const outer: Way = { egress, signal, patience: { ...usualPatience, ...patience } }
  const output = inOrder(limitedTo(maxBytes, sink))
  const totalBytes = announcedBytes(segments)
  if (totalBytes !== null) output.announce(totalBytes)
  const decryptionOf = createKeyring(headers, outer)

  const waiting = segments.values()
  let previous: Promise<void> = Promise.resolve()
  const work = async (inner: AbortSignal) => {
    for (const segment of waiting) {
      const line = heldUntil(previous, output.write)
      previous = fetchSegment(segment, line.put, { ...outer, signal: inner }).then(line.end)
      await previous
    }
  }
  const fetchSegment = async (segment: Segment, put: (bytes: Uint8Array) => Promise<void>, way: Way) =>
    readSegment({ ...segment, headers }, await decryptionOf(segment), put, way)

  await together(connections, work, signal)
  return { sizeBytes: output.sizeBytes(), filename: null, contentType: null }
}

function inOrder(sink: Sink) {
  let at = 0
  return {
    announce: sink.announce,
    sizeBytes: () => at,
    async write(bytes: Uint8Array) {
      if (bytes.length === 0) return
      await sink.write(bytes, at)
      at += bytes.length
    },
  }
}

async function readSegment(
  { url, headers, range }: Pick<Segment, 'url' | 'range'> & { headers: Record<string, string> },
  decryption: Decryption,
  put: (bytes: Uint8Array) => Promise<void>,
  way: Way,
) {
  const start = range?.offset ?? 0
  const end = range ? start + range.length : null
  try {
    const putMedia = refusingPlaylists(put)
    await stream({ url, headers, start, end }, (bytes) => putMedia(decryption.add(bytes)), way)
  } catch (error) {
    throw segmentFailure(error)
  }
  await put(decryption.end())
}

const playlistMark = Buffer.from('#EXTM3U')

/** A playlist where media should be leads nowhere; among real segments it would pass for a little damage. */
function refusingPlaylists(put: (bytes: Uint8Array) => Promise<void>) {
  let head = Buffer.alloc(0)
  return async (bytes: Uint8Array) => {
    if (head.length < playlistMark.length) {
      head = Buffer.concat([head, bytes.subarray(0, playlistMark.length - head.length)])
      if (head.equals(playlistMark)) throw new SourceFailure('SOURCE_UNSUPPORTED')
    }
    await put(bytes)
  }
}

function segmentFailure(error: unknown) {
  if (error instanceof WithoutRanges) return new SourceFailure('SOURCE_UNSUPPORTED')
  // The list says that it exists: what is left is not the whole.
  const isMissing = error instanceof Refused && (error.status === 404 || error.status === 410)
  return isMissing ? new SourceFailure('SOURCE_TRUNCATED', 'A segment of the source is missing.') : error
}

/** Each key is fetched once, however many segments it opens. */
function createKeyring(headers: Record<string, string>, way: Way) {
  const keys = new Map<string, Promise<Uint8Array>>()
  return async ({ key }: Segment): Promise<Decryption> => {
    if (!key) return noDecryption
    const found = keys.get(key.url) ?? fetchKey(key.url, headers, way)
    keys.set(key.url, found)
    return aes128(await found, key.iv)
  }
}

async function fetchKey(url: string, headers: Record<string, string>, way: Way): Promise<Uint8Array> {
  const { bytes } = await fetchSmall({ url, headers }, way, 1_024)
  if (bytes.length !== 16) throw new SourceFailure('SOURCE_DRM')
  return bytes
}

/** Known when every segment is a range, and none is padded by encryption. */
function announcedBytes(segments: Segment[]): number | null {
  let total = 0
  for (const { range, key } of segments) {
    if (!range || key) return null
    total += range.length
  }
  return total
}

import type { Egress } from '../../egress/egress.ts'
import { SourceFailure } from '../../failures.ts'
import { inReader } from '../../sandbox/reader.ts'
import type { Downloaded, FileTransport, Sink, Transport } from '../source.ts'
import type { DownloadOptions } from './limits.ts'
import type { PackedPlaylist } from './playlist.ts'
import { defaultRetryPolicy } from './retry-policy.ts'
import { type MediaSegment, type SegmentList, unpackSegments } from './segment-list.ts'
import { downloadSegments } from './segments.ts'
import { type FileAddress, fetchSmallFile } from './small-file.ts'
import type { FetchContext } from './stream.ts'

/** A day of one-second segments with long signed URLs. */
const maxPlaylistBytes = 32 * 1_048_576

/** Fetches the initialization sections and segments of an HLS media playlist as one file. */
export async function downloadHls(
  { url, headers }: FileAddress,
  egress: Egress,
  sink: Sink,
  signal: AbortSignal,
  options: DownloadOptions = {},
): Promise<Downloaded> {
  const context = { egress, signal, retryPolicy: { ...defaultRetryPolicy, ...options.retryPolicy } }
  const segments = await listSegments({ url, headers }, context)
  return await downloadSegments({ segments, headers }, egress, sink, signal, options)
}

export async function listSegments(address: FileAddress, context: FetchContext): Promise<Iterable<MediaSegment>> {
  return unpackSegments(await fetchSegmentList(address, context))
}

/** The segments of a media playlist. For a master playlist, those of its highest variant. */
async function fetchSegmentList(address: FileAddress, context: FetchContext): Promise<SegmentList> {
  const playlist = await fetchPlaylist(address, context)
  if (playlist.kind === 'media') return playlist.segments
  const highest = await fetchPlaylist({ ...address, url: playlist.highestUrl }, context)
  if (highest.kind === 'master') throw new SourceFailure('SOURCE_UNSUPPORTED')
  return highest.segments
}

/** The segments of a rendition that is not a file. */
export const segmentListOf = async (
  transport: Exclude<Transport, FileTransport>,
  context: FetchContext,
): Promise<SegmentList> =>
  transport.kind === 'segments' ? transport.segments : await fetchSegmentList(transport, context)

const read = inReader<typeof import('./playlist.ts')>(new URL('./playlist.ts', import.meta.url))

async function fetchPlaylist(address: FileAddress, context: FetchContext): Promise<PackedPlaylist> {
  const { bytes, url } = await fetchSmallFile(address, context, maxPlaylistBytes)
  return await read('readPackedPlaylist', [bytes.toString('utf8'), url], context.signal)
}

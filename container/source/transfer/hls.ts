import type { Egress } from '../../egress/egress.ts'
import { SourceFailure } from '../failure.ts'
import type { Downloaded, Segment, Sink } from '../source.ts'
import type { DownloadOptions } from './limits.ts'
import { usualPatience } from './patience.ts'
import { type Playlist, readPlaylist } from './playlist.ts'
import { downloadSegments } from './segments.ts'
import { type Address, fetchSmall } from './small.ts'
import type { Way } from './stream.ts'

/** A day of one-second segments with long signed addresses. */
const maxPlaylistBytes = 32 * 1_048_576

/** Fetches what an HLS media playlist lists, as one file: the initialization section and every segment. */
export async function downloadHls(
  { url, headers }: Address,
  egress: Egress,
  sink: Sink,
  signal: AbortSignal,
  options: DownloadOptions = {},
): Promise<Downloaded> {
  const way = { egress, signal, patience: { ...usualPatience, ...options.patience } }
  const segments = await listSegments({ url, headers }, way)
  return await downloadSegments({ kind: 'segments', segments, headers }, egress, sink, signal, options)
}

/** The segments of a media playlist; of a master's highest variant where a master was found instead. */
export async function listSegments(address: Address, way: Way): Promise<Segment[]> {
  const playlist = await fetchPlaylist(address, way)
  if (playlist.kind === 'media') return playlist.segments
  const highest = await fetchPlaylist({ ...address, url: playlist.highestUrl }, way)
  if (highest.kind === 'master') throw new SourceFailure('SOURCE_UNSUPPORTED')
  return highest.segments
}

async function fetchPlaylist(address: Address, way: Way): Promise<Playlist> {
  const { bytes, url } = await fetchSmall(address, way, maxPlaylistBytes)
  return readPlaylist(bytes.toString('utf8'), url)
}

import { SourceFailure } from '../../failures.ts'
import { inReader } from '../../sandbox/reader.ts'
import type { FileTransport, Transport } from '../source.ts'
import type { PackedPlaylist } from './playlist.ts'
import type { SegmentList } from './segment-list.ts'
import { fetchSmallFile } from './segments.ts'
import type { FetchContext, FileAddress } from './stream.ts'

/** A day of one-second segments with long signed URLs. */
const maxPlaylistBytes = 32 * 1_048_576

/** The initialization sections and segments of a rendition that is not a file. */
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

const read = inReader<typeof import('./playlist.ts')>(new URL('./playlist.ts', import.meta.url))

async function fetchPlaylist({ url, headers }: FileAddress, context: FetchContext): Promise<PackedPlaylist> {
  const playlist = await fetchSmallFile({ url, headers }, context, maxPlaylistBytes)
  return await read('readPackedPlaylist', [playlist.bytes.toString('utf8'), playlist.url], context.signal)
}

import type { Egress } from '../egress/egress.ts'
import type { Downloaded, Rendition, Sink } from './source.ts'
import { downloadFile } from './transfer/file.ts'
import { downloadHls } from './transfer/hls.ts'
import type { DownloadOptions } from './transfer/limits.ts'
import { unpackSegments } from './transfer/segment-list.ts'
import { downloadSegments, type SegmentedFile } from './transfer/segments.ts'

/** Fetches a rendition's bytes by its kind of transport. */
export function download(
  { transport }: Pick<Rendition, 'transport'>,
  egress: Egress,
  sink: Sink,
  signal: AbortSignal,
  options: DownloadOptions = {},
): Promise<Downloaded> {
  switch (transport.kind) {
    case 'file':
      return downloadFile(transport, egress, sink, signal, options)
    case 'hls':
      return downloadHls(transport, egress, sink, signal, options)
    case 'segments':
      return downloadSegments(unpacked(transport), egress, sink, signal, options)
  }
}

const unpacked = ({ segments, headers }: Extract<Rendition['transport'], { kind: 'segments' }>): SegmentedFile => ({
  segments: unpackSegments(segments),
  headers,
})

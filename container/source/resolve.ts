import type { Egress } from '../egress/egress.ts'
import { SourceFailure, UrlIsPlaylist } from '../failures.ts'
import type { OpenedUrl } from './direct.ts'
import { openOrExtract } from './open-or-extract.ts'
import { hasNoVideo, isMedia } from './sniff.ts'
import type { Source } from './source.ts'

/** Resolves pages and manifests. */
export interface Extractor {
  /** Throws UrlIsPlaylist. */
  extract(url: string, egress: Egress, signal: AbortSignal): Promise<Source>
}

/** Finds out what a URL offers. A direct file is recognized by its bytes; the extractor handles everything else. */
export async function resolve(url: string, egress: Egress, extractor: Extractor, signal: AbortSignal): Promise<Source> {
  const found = await openOrExtract(url, egress, signal, () => extractor.extract(url, egress, signal))
  if ('extracted' in found) return found.extracted
  const { opened } = found
  if (isMedia(opened.kind)) return directSource(opened)
  opened.discard()
  throw opened.kind === 'feed' ? new UrlIsPlaylist() : new SourceFailure('SOURCE_UNSUPPORTED')
}

function directSource(opened: OpenedUrl): Source {
  return {
    title: opened.title,
    durationSeconds: null,
    thumbnailUrl: null,
    platform: 'direct',
    isLive: false,
    direct: true,
    renditions: [
      {
        id: 'direct',
        container: opened.kind,
        videoCodec: hasNoVideo(opened.kind) ? null : 'unknown',
        audioCodec: 'unknown',
        width: null,
        height: null,
        bitrate: null,
        audioBitrate: null,
        sizeBytes: opened.sizeBytes,
        sizeIsEstimate: false,
        language: null,
        preference: 0,
        transport: { kind: 'file', url: opened.url, headers: {}, opened },
      },
    ],
    captions: [],
    chapters: [],
    note: null,
  }
}

import type { Egress } from '../egress/egress.ts'
import { type Opened, openDirect } from './direct.ts'
import { SourceFailure } from './failure.ts'
import { hasNoVideo, isMedia } from './sniff.ts'
import type { Source } from './source.ts'

/** What reads pages and manifests. */
export interface Extractor {
  extract(url: string, egress: Egress, signal: AbortSignal): Promise<Source>
}

/** Finds out what a URL offers. A direct file is recognized by its bytes; all else is the extractor's. */
export async function resolve(url: string, egress: Egress, extractor: Extractor, signal: AbortSignal): Promise<Source> {
  const opened = await openDirect(url, egress, signal).catch(async (refusal) => {
    if (!mayBeForBrowsersOnly(refusal)) throw refusal
    return await extractor.extract(url, egress, signal).catch((error) => Promise.reject(clearer(refusal, error)))
  })
  if (!('kind' in opened)) return opened
  if (isMedia(opened.kind)) return directSource(opened)
  opened.discard()
  if (extracted.has(opened.kind)) return await extractor.extract(url, egress, signal)
  throw new SourceFailure('SOURCE_UNSUPPORTED')
}

/** A platform that turns away all but browsers may still have a door that the extractor knows. */
const mayBeForBrowsersOnly = (error: unknown) =>
  error instanceof SourceFailure && (error.code === 'SOURCE_BLOCKED' || error.code === 'SOURCE_RATE_LIMITED')

/** That the extractor knows no such site says less than how the origin refused. */
const clearer = (refusal: unknown, error: unknown) =>
  error instanceof SourceFailure && error.code === 'SOURCE_UNSUPPORTED' ? refusal : error

const extracted: ReadonlySet<string> = new Set(['html', 'm3u8', 'mpd'])

function directSource(opened: Opened): Source {
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

import type { StoredSource } from '../../domain/protocol/protocol.ts'
import type { Egress } from '../egress/egress.ts'
import { SourceProxyFailed } from '../egress/tunnel.ts'
import { SourceFailure, UrlIsPlaylist } from '../failures.ts'
import { type OpenedUrl, openDirect } from './direct.ts'
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

/** Opens a URL. For pages and manifests, `extract` is called instead. */
export async function openOrExtract<T>(
  url: string,
  egress: Egress,
  signal: AbortSignal,
  extract: () => Promise<T>,
): Promise<{ opened: OpenedUrl } | { extracted: T }> {
  const opened = await openDirect(url, egress, signal).catch(async (refusal) => {
    if (!mayBeForBrowsersOnly(refusal)) throw refusal
    const extracted = await extract().catch((error) => Promise.reject(moreSpecificError(refusal, error)))
    return { extracted }
  })
  if ('extracted' in opened) return opened
  if (!extractedKinds.has(opened.kind)) return { opened }
  opened.discard()
  return { extracted: await extract() }
}

const extractedKinds: ReadonlySet<string> = new Set(['html', 'm3u8', 'mpd'])

/** Some platforms refuse every client except browsers. The extractor may know another way to fetch the media. */
const mayBeForBrowsersOnly = (error: unknown) =>
  error instanceof SourceFailure &&
  (error.code === 'SOURCE_BLOCKED' || error.code === 'SOURCE_RATE_LIMITED') &&
  !(error.cause instanceof SourceProxyFailed)

/** The origin's refusal is more specific than SOURCE_UNSUPPORTED from an extractor that does not know the site. */
const moreSpecificError = (refusal: unknown, error: unknown) => {
  const isVague =
    error instanceof SourceFailure && error.code === 'SOURCE_UNSUPPORTED' && !(error instanceof UrlIsPlaylist)
  return isVague ? refusal : error
}

/** A file in our own storage, as a source. No page and no manifest is looked for: it is media, or it is nothing. */
export async function openStored(
  url: string,
  { title }: StoredSource,
  egress: Egress,
  signal: AbortSignal,
): Promise<Source> {
  const opened = await openDirect(url, egress, signal)
  if (isMedia(opened.kind)) return { ...directSource(opened), title }
  opened.discard()
  throw new SourceFailure('SOURCE_UNSUPPORTED')
}

function directSource(opened: OpenedUrl): Source {
  return {
    title: opened.title,
    durationSeconds: null,
    thumbnailUrl: null,
    platform: 'direct',
    extractor: 'direct',
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

import type { Egress } from '../egress/egress.ts'
import { SourceProxyFailed } from '../egress/tunnel.ts'
import { SourceFailure, UrlIsPlaylist } from '../failures.ts'
import { type OpenedUrl, openDirect } from './direct.ts'

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

import type { StoredSource } from '../../domain/protocol/protocol.ts'
import { retry } from '../../domain/retry.ts'
import type { Egress } from '../egress/egress.ts'
import { SourceTooSlow } from '../egress/least-speed.ts'
import { SourceProxyFailed } from '../egress/tunnel.ts'
import { SourceFailure, UrlIsPlaylist } from '../failures.ts'
import { aboutFile } from './about.ts'
import { fileNameOf, nameInUrl, stemOf } from './filename.ts'
import { hasNoVideo, isMedia, sniff } from './sniff.ts'
import type { OpenedUrl, Source } from './source.ts'
import { type RangeResponse, readAtLeast } from './transfer/range-response.ts'
import { defaultRetryPolicy, Interrupted, RefusedByOrigin, retryOptions } from './transfer/retry-policy.ts'
import { type FetchContext, type FileAddress, requestRange } from './transfer/stream.ts'

export interface Extractor {
  /** Throws UrlIsPlaylist. */
  extract(url: string, egress: Egress, signal: AbortSignal): Promise<Source>
}

type SourceContext = FetchContext & { extractor: Extractor }

/** Finds out what a URL offers. A direct file is recognized by its bytes; the extractor handles everything else. */
export async function resolve(url: string, context: SourceContext): Promise<Source> {
  const { egress, extractor, signal } = context
  const found = await openOrExtract(url, context, (page) => {
    page?.discard()
    return extractor.extract(url, egress, signal)
  })
  if ('extracted' in found) return found.extracted
  const { opened } = found
  if (isMedia(opened.kind)) return directSource(opened, url)
  opened.discard()
  throw opened.kind === 'feed' ? new UrlIsPlaylist() : new SourceFailure('SOURCE_UNSUPPORTED')
}

/** Like `resolve`. A file in our own storage must be media: it is not read as a page or a manifest. */
export async function openSource(
  { url, stored }: { url: string; stored?: StoredSource | undefined },
  context: SourceContext,
): Promise<Source> {
  if (!stored) return await resolve(url, context)
  const opened = await openDirect({ url, headers: {} }, context)
  // The query of a presigned URL is a signature, which the next request for the file does not have.
  const [unsigned = url] = url.split('?', 1)
  if (isMedia(opened.kind)) return { ...directSource(opened, unsigned), title: stored.title }
  opened.discard()
  throw new SourceFailure('SOURCE_UNSUPPORTED')
}

/** `extract` gets pages and manifests, and discards them. null: the origin refused to send what is at the URL. */
export async function openOrExtract<T>(
  url: string,
  context: FetchContext,
  extract: (page: OpenedUrl | null) => Promise<T>,
) {
  const opened = await openDirect({ url, headers: {} }, context).catch(async (refusal) => {
    if (!mayBeForBrowsersOnly(refusal)) throw refusal
    const extracted = await extract(null).catch((error) => Promise.reject(moreSpecificError(refusal, error)))
    return { extracted }
  })
  if ('extracted' in opened) return opened
  if (!['html', 'm3u8', 'mpd'].includes(opened.kind)) return { opened }
  return { extracted: await extract(opened) }
}

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

/** `url`: before redirects, which may lead to another URL each time. */
function directSource(opened: OpenedUrl, url: string): Source {
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
    about: aboutFile(url),
    note: null,
  }
}

/** A small file arrives complete with the first response. For a large one this is enough to start with. */
export const openingBytes = 1_048_576
const sniffedBytes = 4_096
/** Fewer than for a download, because a caller may be waiting for the response. */
const openingAttempts = 3

/** Identifies a URL with one request. Only the bytes count: the Content-Type is ignored. */
export async function openDirect({ url, headers }: FileAddress, context: FetchContext): Promise<OpenedUrl> {
  const { head, first } = await openWithRetries({ url, headers }, context)
  const { isRange, totalBytes, tag, validator } = first
  let response: RangeResponse | null = first
  return {
    url: first.url,
    kind: sniff(head),
    title: stemOf(fileNameOf(first.headers.get('content-disposition')) ?? nameInUrl(first.url)),
    contentType: first.headers.get('content-type'),
    sizeBytes: totalBytes,
    etag: first.headers.get('etag'),
    lastModified: first.headers.get('last-modified'),
    identity: isRange && totalBytes !== null && tag !== null ? { totalBytes, tag, validator } : null,
    head: async (bytes) => {
      const head = response && (await readAtLeast(response, bytes))
      if (head) response?.unread(head)
      return head
    },
    take: () => {
      const taken = response
      response = null
      return taken
    },
    discard: () => response?.discard(),
  }
}

/**
 * Retries when the origin is overloaded, too slow, or cuts the connection, and when its source proxy fails, but not
 * when it is unreachable.
 */
const openWithRetries = (address: FileAddress, context: FetchContext) => {
  const policy = { ...defaultRetryPolicy, ...context.retryPolicy }
  const open = async () => {
    const first = await requestFirstBytes(address, context)
    const head = await readAtLeast(first, sniffedBytes)
    first.unread(head)
    return { first, head }
  }
  return retry(open, {
    ...retryOptions({ ...policy, attempts: Math.min(policy.attempts, openingAttempts) }, context.signal),
    isRetryable: (error) => error instanceof Interrupted && isPassing(error.cause),
  })
}

const isPassing = (cause: unknown): boolean =>
  cause instanceof SourceTooSlow || cause instanceof SourceProxyFailed || !(cause instanceof SourceFailure)

export async function requestFirstBytes(address: FileAddress, context: FetchContext): Promise<RangeResponse> {
  const whole = { ...address, start: 0, end: null }
  const response = await requestRange({ ...whole, end: openingBytes }, context).catch((error) => {
    // No range of an empty file can be satisfied (416).
    if (error instanceof RefusedByOrigin && error.status === 416) return null
    throw error
  })
  const isUsable = response && response.start === 0 && !(response.isRange && response.totalBytes === null)
  if (isUsable) return response
  response?.discard()
  return await requestRange(whole, context)
}

import { Forbidden, type Outbound } from '../../outbound.ts'

/** What the source said of itself when it was asked for its first bytes. */
export interface Reached {
  /** The media's size, where the address is a media file that announces it. */
  sizeBytes: number | null
}

const TIMEOUT_MS = 5_000
const MOST_REDIRECTS = 5
const FIRST_BYTES = 'bytes=0-1023'

/**
 * Whether a URL answers at all. null for everything that must look the same from outside: no such name, a
 * refused connection, a time-out, 404 or 410, and an address that must never be reached.
 */
export const reach = async (outbound: Outbound, url: string): Promise<Reached | null> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await follow(outbound, new URL(url), signal)
    await response.body?.cancel()
    return response.status === 404 || response.status === 410 ? null : { sizeBytes: announcedSize(response) }
  } catch (cause) {
    if (!(cause instanceof Forbidden)) console.warn('unreachable', new URL(url).host, `${cause}`)
    return null
  }
}

const follow = async (outbound: Outbound, start: URL, signal: AbortSignal): Promise<Response> => {
  let url = start
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects++) {
    const headers = {
      range: FIRST_BYTES,
      'accept-encoding': 'identity',
      'user-agent': 'Mozilla/5.0 (compatible; Haul)',
    }
    const response = await outbound.fetch(url, { headers, signal })
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null) return response
    await response.body?.cancel()
    url = new URL(location, url)
  }
  throw new Error('too many redirects')
}

const MEDIA = /^(?:video|audio)\/(?!.*mpegurl)|^application\/(?:octet-stream|ogg|mp4|x-matroska)/i

/** Only what is the media itself: the length of a page or a playlist says nothing about the bytes to come. */
export const announcedSize = ({ status, headers }: Response): number | null => {
  if (!MEDIA.test(headers.get('content-type') ?? '') || headers.has('content-encoding')) return null
  if (status === 206) return wholeNumber(/\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1])
  return status === 200 ? wholeNumber(headers.get('content-length') ?? undefined) : null
}

const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null

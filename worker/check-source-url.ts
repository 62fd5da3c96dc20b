import type { ItemRequest } from '../domain/batches/batch.ts'
import { firstStep } from '../domain/jobs/job.ts'
import { announcedDiskBytes, largestMediaBytes } from '../domain/jobs/step-resources.ts'
import { importHold, transcriptionHold } from '../domain/money/bill.ts'
import type { Admission } from './account/calls.ts'
import { configOf, expectedDiskBytes } from './env.ts'
import { createOutbound, Forbidden, type Outbound, Unchecked } from './outbound.ts'

/** What the job of a source needs when it is admitted. */
export type SourceAssessment = Pick<Admission, 'hold' | 'diskBytes'>

export interface SourceCheck {
  /** The size that a media file announces; null for pages, playlists and unknown sizes. */
  sizeBytes: number | null
}

const TIMEOUT_MS = 5_000
const MAX_REDIRECTS = 5
const FIRST_BYTES = 'bytes=0-1023'

/**
 * null: the URL could not be reached. A job with media that is too large is accepted, holds nothing for its size and fails
 * with MEDIA_TOO_LARGE, because no container has the disk space. Otherwise a caller would be told to pay for media that is
 * then refused. How much of the media a clip needs is not known yet, so it is treated as media of unknown size.
 */
export const assessSource = async (
  env: Env,
  url: string,
  { kind, request }: ItemRequest,
): Promise<SourceAssessment | null> => {
  const config = configOf(env)
  const source = await checkSourceUrl(createOutbound(config), url)
  if (!source) return null
  const sizeBytes = request.clip ? null : source.sizeBytes
  const isTooLarge = sizeBytes !== null && sizeBytes > largestMediaBytes(expectedDiskBytes(config), 'oneFile')
  const billedBytes = isTooLarge ? null : sizeBytes
  const hold = kind === 'import' ? importHold(billedBytes) : transcriptionHold(request, billedBytes)
  return { hold, diskBytes: announcedDiskBytes(firstStep(kind, request), sizeBytes) }
}

/**
 * Requests the first bytes of a URL. Returns null for an unknown host, a refused connection, a timeout, a 404 or 410,
 * and a private address: if callers could tell them apart, they could map our network. A host that has a source proxy
 * may refuse connections from here, so only the container finds out whether it answers. Throws if no container can check
 * the address (development), because nothing is wrong with the URL.
 */
export const checkSourceUrl = async (outbound: Outbound, url: string): Promise<SourceCheck | null> => {
  const signal = AbortSignal.timeout(TIMEOUT_MS)
  try {
    const response = await fetchFollowing(outbound, new URL(url), signal)
    if (!response) return { sizeBytes: null }
    await response.body?.cancel()
    return response.status === 404 || response.status === 410 ? null : { sizeBytes: announcedSize(response) }
  } catch (cause) {
    if (cause instanceof Unchecked) throw cause
    if (!(cause instanceof Forbidden)) console.warn('source URL is unreachable', new URL(url).host, `${cause}`)
    return null
  }
}

/**
 * Follows redirects itself, so that every target is checked for a public address. null: there was no response, from a
 * host that has a source proxy.
 */
const fetchFollowing = async (outbound: Outbound, start: URL, signal: AbortSignal): Promise<Response | null> => {
  let url = start
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    const headers = {
      range: FIRST_BYTES,
      'accept-encoding': 'identity',
      'user-agent': 'Mozilla/5.0 (compatible; Haul)',
    }
    const target = url
    const response = await outbound.fetch(target, { headers, signal }).catch(async (cause) => {
      if (cause instanceof Forbidden || !(await outbound.hasSourceProxy(target))) throw cause
      return null
    })
    if (!response) return null
    const location = response.headers.get('location')
    if (response.status < 300 || response.status >= 400 || location === null) return response
    await response.body?.cancel()
    url = new URL(location, url)
  }
  throw new Error('too many redirects')
}

const MEDIA = /^(?:video|audio)\/(?!.*mpegurl)|^application\/(?:octet-stream|ogg|mp4|x-matroska)/i

/** The length of a page or playlist is unrelated to the size of its media. */
export const announcedSize = ({ status, headers }: Response): number | null => {
  if (!MEDIA.test(headers.get('content-type') ?? '') || headers.has('content-encoding')) return null
  if (status === 206) return wholeNumber(/\/(\d+)$/.exec(headers.get('content-range') ?? '')?.[1])
  return status === 200 ? wholeNumber(headers.get('content-length') ?? undefined) : null
}

const wholeNumber = (text: string | undefined): number | null =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : null

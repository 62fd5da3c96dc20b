import type { Transport } from '../source.ts'
import {
  createUrlResolver,
  type MediaSegment,
  maxSegments,
  maxUrlCharacters,
  packSegments,
} from '../transfer/segment-list.ts'
import type { Located } from './extractor-answer.ts'

/** How to fetch one of the files of an answer; null when its protocol is not supported. */
export type ReadTransport = (located: Located) => Transport | null

/** The limit on URLs applies to all files of an answer together. */
export const createTransportReader = (): ReadTransport => {
  const resolveFrom = createUrlResolver()
  return (located) => {
    const headers = headersOf(located)
    if (Object.entries(headers).flat().join('').length > maxHeaderCharacters) return null
    const { url = '', protocol = 'http', fragments, fragment_seconds = [], fragment_base_url } = located
    if (protocol === 'http_dash_segments') {
      return segmentsOf(fragments ?? [], fragment_seconds, resolveFrom(fragment_base_url ?? url), headers)
    }
    if (!isWebUrl(url)) return null
    if (isHls(located)) return { kind: 'hls', url, headers }
    // Other protocols with fragments, such as Smooth Streaming or a live chat, are not files.
    return ['http', 'https'].includes(protocol) && !fragments ? { kind: 'file', url, headers } : null
  }
}

export const isHls = ({ protocol }: Located): boolean => protocol === 'm3u8' || protocol === 'm3u8_native'
export const isWebUrl = (url: string): boolean => url.length <= maxUrlCharacters && /^https?:\/\//i.test(url)

/** How long the names and values of a request may be. Servers accept about 16,000 characters in all. */
const maxHeaderCharacters = 16_384

const segmentsOf = (
  fragments: (string | null)[],
  seconds: (number | null)[],
  resolve: (uri: string) => string | null,
  headers: Record<string, string>,
): Transport | null => {
  if (fragments.length === 0 || fragments.length > maxSegments) return null
  const segments: MediaSegment[] = []
  for (const [index, path] of fragments.entries()) {
    const url = path === null ? null : resolve(path)
    // A media file with a missing segment is useless.
    if (url === null || !isWebUrl(url)) return null
    segments.push({ url, range: null, key: null, seconds: seconds[index] ?? null })
  }
  return { kind: 'segments', segments: packSegments(segments), headers }
}

/** The encoding is negotiated between the egress and the origin. */
const headersOf = ({ http_headers = {} }: Located): Record<string, string> =>
  Object.fromEntries(Object.entries(http_headers).filter(([name]) => name.toLowerCase() !== 'accept-encoding'))

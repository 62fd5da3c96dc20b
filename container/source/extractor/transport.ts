import type { Transport } from '../source.ts'
import { maxSegments, maxUrlCharacters, packSegments } from '../transfer/segment-list.ts'
import type { Located } from './extractor-answer.ts'

/** null when the protocol is not supported. */
export const transportOf = (located: Located): Transport | null => {
  const headers = headersOf(located)
  if (areTooLong(headers)) return null
  if (located.protocol === 'http_dash_segments') return segmentsOf(located, headers)
  const { url = '' } = located
  if (!isWebUrl(url)) return null
  if (isHls(located)) return { kind: 'hls', url, headers }
  // Other protocols with fragments, such as Smooth Streaming or a live chat, are not files.
  const isFile = located.protocol === undefined || located.protocol === 'http' || located.protocol === 'https'
  return isFile && !located.fragments ? { kind: 'file', url, headers } : null
}

export const isHls = ({ protocol }: Located): boolean => protocol === 'm3u8' || protocol === 'm3u8_native'
export const isWebUrl = (url: string): boolean => url.length <= maxUrlCharacters && /^https?:\/\//i.test(url)

/** Of the names and values that a request needs. Servers accept about 16,000 in all. */
const maxHeaderCharacters = 16_384

const segmentsOf = (
  { url, fragments, fragment_base_url }: Located,
  headers: Record<string, string>,
): Transport | null => {
  if (!fragments || fragments.length === 0 || fragments.length > maxSegments) return null
  const urls = fragments.map((path) => (path === null ? null : URL.parse(path, fragment_base_url ?? url)?.href))
  // A media file with a missing segment is useless.
  if (!urls.every((each) => typeof each === 'string' && isWebUrl(each))) return null
  const segments = packSegments(urls.map((each) => ({ url: String(each), range: null, key: null })))
  return { kind: 'segments', segments, headers }
}

/** The encoding is negotiated between the egress and the origin. */
const headersOf = ({ http_headers = {} }: Located): Record<string, string> =>
  Object.fromEntries(Object.entries(http_headers).filter(([name]) => name.toLowerCase() !== 'accept-encoding'))

const areTooLong = (headers: Record<string, string>): boolean =>
  Object.entries(headers).flat().join('').length > maxHeaderCharacters

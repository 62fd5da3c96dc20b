import { milliseconds } from '../../../domain/words/segment.ts'
import { SourceFailure } from '../../failures.ts'

export interface MediaSegment {
  url: string
  range: { offset: number; length: number } | null
  /** AES-128-CBC, as in HLS. */
  key: { url: string; iv: Uint8Array } | null
  seconds: number | null
}

/** From the reader process: a few large values, because copying a hundred thousand small objects would block the event loop. */
export interface SegmentList {
  urls: string
  /** Offset and length of each; -1 for a whole file. */
  ranges: Float64Array
  /** Index of each segment's key in `keyUrls`; -1 for none. */
  keys: Int32Array
  keyUrls: string[]
  ivs: Uint8Array
  /** The duration of each; -1 for an initialization section, or if the manifest does not say. */
  seconds: Float64Array
}

/** A day of one-second segments, and half as much again. */
export const maxSegments = 130_000
/** Each key is a request and stays in memory. One for each six seconds of twelve hours is 7,200. */
export const maxKeys = 10_000

/** A day. A segment that is said to be longer, or has a negative duration, says nothing. */
const maxSegmentSeconds = 86_400

const IV_BYTES = 16

export const packSegments = (segments: MediaSegment[]): SegmentList => {
  const keyIndexes = new Map<string, number>()
  const list: SegmentList = {
    urls: segments.map(({ url }) => url).join('\n'),
    ranges: new Float64Array(segments.length * 2).fill(-1),
    keys: new Int32Array(segments.length).fill(-1),
    keyUrls: [],
    ivs: new Uint8Array(segments.length * IV_BYTES),
    seconds: new Float64Array(segments.length).fill(-1),
  }
  for (const [index, { range, key, seconds }] of segments.entries()) {
    if (seconds !== null && seconds >= 0 && seconds <= maxSegmentSeconds) list.seconds[index] = seconds
    if (range) list.ranges.set([range.offset, range.length], index * 2)
    if (!key) continue
    const keyIndex = keyIndexes.get(key.url) ?? keyIndexes.size
    if (keyIndex === keyIndexes.size) list.keyUrls.push(key.url)
    if (keyIndex >= maxKeys) throw new SourceFailure('SOURCE_UNSUPPORTED')
    keyIndexes.set(key.url, keyIndex)
    list.keys[index] = keyIndex
    list.ivs.set(key.iv, index * IV_BYTES)
  }
  return list
}

export const unpackSegments = (list: SegmentList): Iterable<MediaSegment> => ({
  *[Symbol.iterator]() {
    let from = 0
    for (const [index, keyIndex] of list.keys.entries()) {
      const newline = list.urls.indexOf('\n', from)
      const to = newline === -1 ? list.urls.length : newline
      yield {
        url: list.urls.slice(from, to),
        range: rangeAt(list, index),
        key: keyAt(list, index, keyIndex),
        seconds: secondsAt(list, index),
      }
      from = to + 1
    }
  },
})

export const announcedSeconds = ({ seconds }: SegmentList): number | null => {
  let sum = 0
  let isUnknown = false
  for (const [index, each] of seconds.entries()) {
    if (each >= 0) sum += each
    // Initialization sections have no duration, and are followed by a segment that has one.
    else if (!((seconds[index + 1] ?? -1) >= 0)) isUnknown = true
  }
  return isUnknown || sum === 0 ? null : milliseconds(sum)
}

const secondsAt = ({ seconds }: SegmentList, index: number): number | null => {
  const value = seconds[index] ?? -1
  return value < 0 ? null : value
}

const rangeAt = ({ ranges }: SegmentList, index: number): MediaSegment['range'] => {
  const [offset = -1, length = -1] = ranges.subarray(index * 2, index * 2 + 2)
  return length === -1 ? null : { offset, length }
}

const keyAt = ({ keyUrls, ivs }: SegmentList, index: number, keyIndex: number): MediaSegment['key'] => {
  const url = keyUrls[keyIndex]
  return url === undefined ? null : { url, iv: ivs.slice(index * IV_BYTES, (index + 1) * IV_BYTES) }
}

/** The longest URL. Signed URLs of real platforms have up to 2,000. */
export const maxUrlCharacters = 16_384
/** The length of all URLs of a manifest together: 500 for each segment of the longest list. */
export const maxUrlsCharacters = 500 * maxSegments

/**
 * Makes URLs absolute, for one base and then for each URI; null for one that is invalid or above the limits. Each contains
 * its base, so without a limit on their sum a small manifest with a long base would make gigabytes.
 */
export const createUrlResolver = () => {
  let leftCharacters = maxUrlsCharacters
  return (base: string | undefined) => {
    const whole = base && base.length <= maxUrlCharacters ? base : undefined
    // Without the query, which may be long and is not part of the URLs.
    const folder = whole && URL.parse('.', whole)?.href
    return (uri: string): string | null => {
      if (uri.length > maxUrlCharacters || leftCharacters < 0) return null
      const from = /^\s*(?:[?#]|$)/.test(uri) ? whole : folder
      const url = URL.parse(uri, from)?.href ?? ''
      leftCharacters -= Math.max(url.length, from?.length ?? 0)
      return url !== '' && url.length <= maxUrlCharacters && leftCharacters >= 0 ? url : null
    }
  }
}

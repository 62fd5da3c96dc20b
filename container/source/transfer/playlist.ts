import hls from 'hls-parser'
import { SourceFailure } from '../../failures.ts'
import { createUrlResolver, type MediaSegment, maxSegments, packSegments, type SegmentList } from './segment-list.ts'

// Many real playlists break rules that players ignore. The parser accepts them and does not print warnings.
hls.setOptions({ strictMode: false, silent: true })

export type Playlist = { kind: 'master'; highestUrl: string } | { kind: 'media'; segments: MediaSegment[] }

export type PackedPlaylist = Exclude<Playlist, { kind: 'media' }> | { kind: 'media'; segments: SegmentList }

export function readPackedPlaylist(text: string, url: string): PackedPlaylist {
  const playlist = readPlaylist(text, url)
  return playlist.kind === 'media' ? { kind: 'media', segments: packSegments(playlist.segments) } : playlist
}

export function readPlaylist(text: string, url: string): Playlist {
  if (hasMoreLines(text, maxLines)) throw new SourceFailure('SOURCE_UNSUPPORTED')
  // The parser trims lines too, so a tag after a space is a tag.
  const lines = text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((line) => line.trim())
  if (!lines[0]?.startsWith('#EXTM3U')) throw new SourceFailure('SOURCE_UNSUPPORTED')
  if (lines.some(isDrm)) throw new SourceFailure('SOURCE_DRM')
  if (lines.some(isVariant)) return { kind: 'master', highestUrl: absoluteUrls(url)(highest(lines)) }
  const playlist = parsed(lines)
  if (playlist.segments.some(({ uri }) => uri && isPlaylistUrl(uri, url))) {
    throw new SourceFailure('SOURCE_UNSUPPORTED')
  }
  if (!playlist.endlist) throw new SourceFailure('SOURCE_LIVE')
  return { kind: 'media', segments: segmentsOf(playlist, url) }
}

/** Five for each of a day's one-second segments. */
const maxLines = 500_000

function hasMoreLines(text: string, limit: number): boolean {
  let count = 1
  for (let at = text.indexOf('\n'); at !== -1 && count <= limit; at = text.indexOf('\n', at + 1)) count++
  return count > limit
}

/** A segment URL that points to this playlist, or to another one according to its extension. */
const isPlaylistUrl = (uri: string, url: string) =>
  /^[^?#]+\.m3u8?($|[?#])/i.test(uri) || URL.parse(uri, url)?.href === url

const isVariant = (line: string) => /^#EXT-X-(I-FRAME-)?STREAM-INF:/.test(line)

/** The URI of the variant with the highest bandwidth. Not by the parser, which reads the whole playlist per variant. */
function highest(lines: string[]): string {
  let best: { uri: string; bandwidth: number } | null = null
  let bandwidth: number | null = null
  for (const line of lines) {
    if (line.startsWith('#EXT-X-STREAM-INF:')) bandwidth = bandwidthOf(line)
    if (bandwidth === null || line === '' || line.startsWith('#')) continue
    if (!best || bandwidth > best.bandwidth) best = { uri: line, bandwidth }
    bandwidth = null
  }
  if (!best) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return best.uri
}

const bandwidthOf = (line: string): number => Number(/[:,]\s*BANDWIDTH=(\d{1,15})/.exec(line)?.[1] ?? 0)

/** Everything except AES-128 with a plain key is a DRM system. */
function isDrm(line: string): boolean {
  const [, attributes] = /^#EXT-X-(?:SESSION-)?KEY:(.*)$/.exec(line) ?? []
  if (attributes === undefined) return false
  const [, method = 'NONE'] = /(?:^|,)\s*METHOD=([^,\s]*)/.exec(attributes) ?? []
  const [, format = 'identity'] = /(?:^|,)\s*KEYFORMAT="([^"]*)"/.exec(attributes) ?? []
  return method !== 'NONE' && (method !== 'AES-128' || format.toLowerCase() !== 'identity')
}

type Media = Extract<ReturnType<typeof hls.parse>, { isMasterPlaylist: false }>

function parsed(lines: string[]): Media {
  try {
    const playlist = hls.parse(lines.filter(isNeeded).map(parsable).join('\n'))
    if (!playlist.isMasterPlaylist) return playlist
  } catch (cause) {
    throw new SourceFailure('SOURCE_UNSUPPORTED', undefined, { cause })
  }
  throw new SourceFailure('SOURCE_UNSUPPORTED')
}

const isNeeded = (line: string) => !/^#EXT-X-(DATERANGE|SESSION-DATA|SESSION-KEY|MEDIA(?!-))/.test(line)

/** The parser fails on titles that are not ASCII, and on apostrophes within quotes. */
function parsable(line: string): string {
  if (line.startsWith('#EXTINF')) return line.replace(/,.*/, ',')
  return line.startsWith('#') ? line.replaceAll("'", '%27') : line
}

function absoluteUrls(base: string): (uri: string) => string {
  const resolve = createUrlResolver()(base)
  return (uri) => {
    const url = resolve(uri)
    if (url === null) throw new SourceFailure('SOURCE_UNSUPPORTED')
    return url
  }
}

function segmentsOf({ segments }: Media, playlistUrl: string): MediaSegment[] {
  const all: MediaSegment[] = []
  const absoluteUrl = absoluteUrls(playlistUrl)
  let lastMap: Media['segments'][number]['map'] | null = null
  const keyUrls = new Map<object, string>()
  // For tags after the last URI the parser adds a segment without a URI.
  for (const { uri, byterange, map, key, gap, mediaSequenceNumber, duration } of segments.filter(({ uri }) => uri)) {
    if (gap) throw new SourceFailure('SOURCE_TRUNCATED', 'A segment of the source is missing.')
    // The parser gives the segments after a tag the same object. A long URI must not be read once for each of them.
    if (key && key.method !== 'NONE' && key.uri && !keyUrls.has(key)) keyUrls.set(key, absoluteUrl(key.uri))
    const keyUrl = key && keyUrls.get(key)
    const segmentKey = keyUrl ? { url: keyUrl, iv: ivOf(key.iv, mediaSequenceNumber) } : null
    // A tag without a URI is ignored.
    if (map?.uri && map !== lastMap) {
      const isRepeated = JSON.stringify(map) === JSON.stringify(lastMap)
      lastMap = map
      // RFC 8216, section 4.3.2.5: an initialization section is encrypted only if the key has an explicit IV.
      const mapKey = key?.iv ? segmentKey : null
      if (!isRepeated)
        all.push({ url: absoluteUrl(map.uri), range: mapRangeOf(map.byterange), key: mapKey, seconds: null })
    }
    all.push({ url: absoluteUrl(uri), range: rangeOf(byterange), key: segmentKey, seconds: duration })
  }
  if (all.length === 0 || all.length > maxSegments) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return all
}

/** RFC 8216, section 4.3.2.4: without an IV, it is the sequence number, big-endian. */
function ivOf(given: ArrayBuffer | Uint8Array | undefined, sequenceNumber: number): Uint8Array {
  if (given && given.byteLength !== 16) throw new SourceFailure('SOURCE_UNSUPPORTED')
  if (given) return new Uint8Array(given)
  if (!isCount(sequenceNumber)) throw new SourceFailure('SOURCE_UNSUPPORTED')
  const iv = Buffer.alloc(16)
  iv.writeBigUInt64BE(BigInt(sequenceNumber), 8)
  return new Uint8Array(iv)
}

const isCount = (number: number) => Number.isSafeInteger(number) && number >= 0

function rangeOf(range: { offset: number; length: number } | undefined): MediaSegment['range'] {
  if (!range) return null
  const { offset, length } = range
  if (!isCount(offset) || !isCount(length) || length === 0) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return { offset, length }
}

/** EXT-X-MAP may omit the offset, which then is 0. The parser reports -1. */
const mapRangeOf = (range: { offset: number; length: number } | undefined): MediaSegment['range'] =>
  rangeOf(range && { ...range, offset: range.offset === -1 ? 0 : range.offset })

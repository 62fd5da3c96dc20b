import hls from 'hls-parser'
import { SourceFailure } from '../../failures.ts'
import { type MediaSegment, maxSegments, packSegments, type SegmentList } from './segment-list.ts'

// Many real playlists break rules that players ignore. The parser accepts them and does not print warnings.
hls.setOptions({ strictMode: false, silent: true })

export type Playlist = { kind: 'master'; highestUrl: string } | { kind: 'media'; segments: MediaSegment[] }

export type PackedPlaylist = Exclude<Playlist, { kind: 'media' }> | { kind: 'media'; segments: SegmentList }

/** Called in the reader process. */
export function readPackedPlaylist(text: string, url: string): PackedPlaylist {
  const playlist = readPlaylist(text, url)
  return playlist.kind === 'media' ? { kind: 'media', segments: packSegments(playlist.segments) } : playlist
}

/** Parses an HLS playlist. Throws SOURCE_LIVE, SOURCE_DRM, or SOURCE_UNSUPPORTED for text that is not a playlist. */
export function readPlaylist(text: string, url: string): Playlist {
  if (hasMoreLines(text, maxLines)) throw new SourceFailure('SOURCE_UNSUPPORTED')
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (!lines[0]?.startsWith('#EXTM3U')) throw new SourceFailure('SOURCE_UNSUPPORTED')
  if (lines.filter(isVariant).length > maxVariants) throw new SourceFailure('SOURCE_UNSUPPORTED')
  if (lines.some(isDrm)) throw new SourceFailure('SOURCE_DRM')
  const playlist = parsed(lines)
  if (playlist.isMasterPlaylist) return { kind: 'master', highestUrl: absolute(highest(playlist), url) }
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

/** The parser reads the whole master playlist once per variant. Real ones have about a dozen variants. */
const maxVariants = 500
const isVariant = (line: string) => line.startsWith('#EXT-X-STREAM-INF') || line.startsWith('#EXT-X-I-FRAME-STREAM-INF')

/** Everything except AES-128 with a plain key is a DRM system. */
function isDrm(line: string): boolean {
  const [, attributes] = /^#EXT-X-(?:SESSION-)?KEY:(.*)$/.exec(line) ?? []
  if (attributes === undefined) return false
  const [, method = 'NONE'] = /(?:^|,)\s*METHOD=([^,\s]*)/.exec(attributes) ?? []
  const [, format = 'identity'] = /(?:^|,)\s*KEYFORMAT="([^"]*)"/.exec(attributes) ?? []
  return method !== 'NONE' && (method !== 'AES-128' || format.toLowerCase() !== 'identity')
}

type Parsed = ReturnType<typeof hls.parse>
type Master = Extract<Parsed, { isMasterPlaylist: true }>
type Media = Extract<Parsed, { isMasterPlaylist: false }>

function parsed(lines: string[]): Parsed {
  try {
    return hls.parse(lines.filter(isNeeded).map(parsable).join('\n'))
  } catch (cause) {
    throw new SourceFailure('SOURCE_UNSUPPORTED', undefined, { cause })
  }
}

/** The parser compares these lines pairwise or reads them again for each variant. They are not needed here. */
const isNeeded = (line: string) => !/^#EXT-X-(DATERANGE|SESSION-DATA|SESSION-KEY|MEDIA(?!-))/.test(line)

/** The parser fails on titles that are not ASCII, and on apostrophes within quotes. */
function parsable(line: string): string {
  if (line.startsWith('#EXTINF')) return line.replace(/,.*/, ',')
  return line.startsWith('#') ? line.replaceAll("'", '%27') : line
}

function highest({ variants }: Master): string {
  const playable = variants.filter(({ uri, isIFrameOnly }) => uri && !isIFrameOnly)
  const best = playable.sort((a, b) => (b.bandwidth ?? 0) - (a.bandwidth ?? 0))[0]
  if (!best) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return best.uri
}

/** The segments in order, with each initialization section before the first segment that uses it. */
function segmentsOf({ segments }: Media, playlistUrl: string): MediaSegment[] {
  const all: MediaSegment[] = []
  let lastMap = ''
  // For tags after the last URI the parser adds a segment without a URI.
  for (const { uri, byterange, map, key, gap, mediaSequenceNumber } of segments.filter(({ uri }) => uri)) {
    if (gap) throw new SourceFailure('SOURCE_TRUNCATED', 'A segment of the source is missing.')
    const declared =
      key && key.method !== 'NONE' && key.uri ? { url: absolute(key.uri, playlistUrl), iv: key.iv } : null
    const segmentKey = declared && { url: declared.url, iv: ivOf(declared.iv, mediaSequenceNumber) }
    if (map && JSON.stringify(map) !== lastMap) {
      lastMap = JSON.stringify(map)
      // RFC 8216, section 4.3.2.5: an initialization section is encrypted only if the key has an explicit IV.
      all.push({
        url: absolute(map.uri, playlistUrl),
        range: mapRangeOf(map.byterange),
        key: declared?.iv ? segmentKey : null,
      })
    }
    all.push({ url: absolute(uri, playlistUrl), range: rangeOf(byterange), key: segmentKey })
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

function absolute(uri: string, base: string): string {
  const url = URL.parse(uri, base)
  if (!url) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return url.href
}

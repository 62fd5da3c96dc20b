import hls from 'hls-parser'
import { SourceFailure } from '../failure.ts'
import type { Segment } from '../source.ts'

// What is out there breaks rules that players do not mind. The parser goes on, and need not tell us.
hls.setOptions({ strictMode: false, silent: true })

export type Playlist = { kind: 'master'; highestUrl: string } | { kind: 'media'; segments: Segment[] }

/** Reads an HLS playlist. Throws SOURCE_LIVE and SOURCE_DRM, and SOURCE_UNSUPPORTED for what is none. */
export function readPlaylist(text: string, url: string): Playlist {
  const lines = text.replace(/^\ufeff/, '').split(/\r?\n/)
  if (!lines[0]?.startsWith('#EXTM3U')) throw new SourceFailure('SOURCE_UNSUPPORTED')
  if (lines.filter(isVariant).length > maxVariants) throw new SourceFailure('SOURCE_UNSUPPORTED')
  if (lines.some(isDrm)) throw new SourceFailure('SOURCE_DRM')
  const playlist = parsed(lines)
  if (playlist.isMasterPlaylist) return { kind: 'master', highestUrl: absolute(highest(playlist), url) }
  if (playlist.segments.some(({ uri }) => uri && leadsToPlaylist(uri, url)))
    throw new SourceFailure('SOURCE_UNSUPPORTED')
  if (!playlist.endlist) throw new SourceFailure('SOURCE_LIVE')
  return { kind: 'media', segments: segmentsOf(playlist, url) }
}

/** Where media should be there is the playlist itself, or another one by its name. */
const leadsToPlaylist = (uri: string, url: string) =>
  /^[^?#]+\.m3u8?($|[?#])/i.test(uri) || URL.parse(uri, url)?.href === url

/** The parser reads the whole master for each variant. A real one has a dozen. */
const maxVariants = 500
const isVariant = (line: string) => line.startsWith('#EXT-X-STREAM-INF') || line.startsWith('#EXT-X-I-FRAME-STREAM-INF')

/** Anything but AES-128 with a key that is simply there is a system of somebody's. */
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
    return hls.parse(lines.filter(isWanted).map(digestible).join('\n'))
  } catch (cause) {
    throw new SourceFailure('SOURCE_UNSUPPORTED', undefined, { cause })
  }
}

/** The parser compares each date range and each session's data with every other: time that we need not give. */
const isWanted = (line: string) => !/^#EXT-X-(DATERANGE|SESSION-DATA)/.test(line)

/** Two things that it cannot take: titles beyond ASCII, and apostrophes within quotes. */
function digestible(line: string): string {
  if (line.startsWith('#EXTINF')) return line.replace(/,.*/, ',')
  return line.startsWith('#') ? line.replaceAll("'", '%27') : line
}

function highest({ variants }: Master): string {
  const playable = variants.filter(({ uri, isIFrameOnly }) => uri && !isIFrameOnly)
  const best = playable.sort((a, b) => (b.bandwidth ?? 0) - (a.bandwidth ?? 0))[0]
  if (!best) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return best.uri
}

/** Segments in order, each initialization section before the first segment that needs it. */
function segmentsOf({ segments }: Media, playlistUrl: string): Segment[] {
  const all: Segment[] = []
  let lastMap = ''
  // Tags after the last address make one more, without an address.
  for (const { uri, byterange, map, key, gap, mediaSequenceNumber } of segments.filter(({ uri }) => uri)) {
    if (gap) throw new SourceFailure('SOURCE_TRUNCATED', 'A segment of the source is missing.')
    const keyed = key && key.method !== 'NONE' && key.uri ? { url: absolute(key.uri, playlistUrl), iv: key.iv } : null
    const withIv = keyed && { url: keyed.url, iv: ivOf(keyed.iv, mediaSequenceNumber) }
    if (map && JSON.stringify(map) !== lastMap) {
      lastMap = JSON.stringify(map)
      // RFC 8216 4.3.2.5: only with an IV of its own can it be encrypted.
      all.push({ url: absolute(map.uri, playlistUrl), range: rangeOf(map.byterange), key: keyed?.iv ? withIv : null })
    }
    all.push({ url: absolute(uri, playlistUrl), range: rangeOf(byterange), key: withIv })
  }
  if (all.length === 0) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return all
}

/** RFC 8216 4.3.2.4: without an IV, the sequence number as a big-endian number. */
function ivOf(given: ArrayBuffer | Uint8Array | undefined, sequenceNumber: number): Uint8Array {
  if (given) return new Uint8Array(given)
  const iv = Buffer.alloc(16)
  iv.writeBigUInt64BE(BigInt(sequenceNumber), 8)
  return iv
}

/** EXT-X-MAP may leave the offset out; it is then the file's beginning. */
const rangeOf = (range: { offset: number; length: number } | undefined): Segment['range'] =>
  range ? { offset: Math.max(0, range.offset), length: range.length } : null

function absolute(uri: string, base: string): string {
  const url = URL.parse(uri, base)
  if (!url) throw new SourceFailure('SOURCE_UNSUPPORTED')
  return url.href
}

export type FileKind = MediaKind | 'm3u8' | 'mpd' | 'feed' | 'html' | 'image' | 'other'
export type MediaKind = (typeof mediaKinds)[number]

const mediaKinds = [
  ...(['mp4', 'mov', 'm4a', 'webm', 'mkv', 'ogg', 'avi', 'flv', 'ts'] as const),
  ...(['mp3', 'flac', 'wav', 'aac'] as const),
]
const audioOnly: ReadonlySet<FileKind> = new Set<FileKind>(['m4a', 'mp3', 'flac', 'wav', 'aac'])

export const isMedia = (kind: FileKind): kind is MediaKind => (mediaKinds as readonly string[]).includes(kind)
export const hasNoVideo = (kind: FileKind): boolean => audioOnly.has(kind)

/** The Content-Type is not a parameter on purpose: it is often wrong. */
export function sniff(head: Uint8Array): FileKind {
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  const known = signatureOf(bytes) ?? textKindOf(bytes)
  if (known) return known
  if (isAdts(bytes)) return 'aac'
  return isMpegAudio(bytes) ? 'mp3' : 'other'
}

type Test = (bytes: Buffer) => boolean

const at =
  (offset: number, text: string): Test =>
  (bytes) =>
    bytes.toString('latin1', offset, offset + text.length) === text
const both =
  (one: Test, other: Test): Test =>
  (bytes) =>
    one(bytes) && other(bytes)

/** The first match counts, so special forms come before general ones. */
const signatures: [FileKind, Test][] = [
  ['image', both(at(4, 'ftyp'), (bytes) => /^(avi[fs]|hei[cfmsx]|hev[cx]|mif1|msf1)$/.test(brandOf(bytes)))],
  ['m4a', both(at(4, 'ftyp'), (bytes) => /^(M4A |M4B |F4A )$/.test(brandOf(bytes)))],
  ['mov', both(at(4, 'ftyp'), (bytes) => brandOf(bytes) === 'qt  ')],
  ['mp4', at(4, 'ftyp')],
  ['mp4', (bytes) => ['styp', 'moof', 'sidx'].includes(bytes.toString('latin1', 4, 8))],
  // QuickTime before 2001 had no ftyp.
  ['mov', (bytes) => ['moov', 'mdat', 'wide', 'free', 'skip', 'pnot'].includes(bytes.toString('latin1', 4, 8))],
  ['webm', both(at(0, '\x1a\x45\xdf\xa3'), (bytes) => bytes.subarray(0, 4096).includes('webm'))],
  ['mkv', at(0, '\x1a\x45\xdf\xa3')],
  ['flac', at(0, 'fLaC')],
  ['ogg', at(0, 'OggS')],
  ['wav', both(at(0, 'RIFF'), at(8, 'WAVE'))],
  ['wav', both(at(0, 'RF64'), at(8, 'WAVE'))],
  ['avi', both(at(0, 'RIFF'), at(8, 'AVI '))],
  ['image', both(at(0, 'RIFF'), at(8, 'WEBP'))],
  ['flv', at(0, 'FLV\x01')],
  ['flac', (bytes) => bytes.toString('latin1', afterId3(bytes), afterId3(bytes) + 4) === 'fLaC'],
  ['aac', both(at(0, 'ID3'), (bytes) => isAdts(bytes, afterId3(bytes)))],
  ['mp3', at(0, 'ID3')],
  ['image', at(0, '\xff\xd8\xff')],
  ['image', at(0, '\x89PNG\r\n\x1a\n')],
  ['image', at(0, 'GIF8')],
  ['image', at(0, 'BM')],
  ['image', at(0, 'II*\0')],
  ['image', at(0, 'MM\0*')],
  ['ts', (bytes) => isTransportStream(bytes)],
]

const signatureOf = (bytes: Buffer): FileKind | null => signatures.find(([, test]) => test(bytes))?.[0] ?? null

const brandOf = (bytes: Buffer) => bytes.toString('latin1', 8, 12)

/** Packets of 188 bytes, each starting with a sync byte. Three in a row are not a coincidence. */
const isTransportStream: Test = (bytes) =>
  bytes[0] === 0x47 &&
  [188, 376].every((offset) => offset >= bytes.length || bytes[offset] === 0x47) &&
  bytes.length >= 188

/** ID3v2.4, section 3.1: the length of the tag is stored in four bytes of seven bits. */
function afterId3(bytes: Buffer): number {
  if (!at(0, 'ID3')(bytes) || bytes.length < 10) return 0
  return 10 + [6, 7, 8, 9].reduce((length, i) => length * 128 + ((bytes[i] ?? 0) & 0x7f), 0)
}

function textKindOf(bytes: Buffer): FileKind | null {
  const text = decoded(bytes).trimStart()
  if (text.startsWith('#EXTM3U')) return 'm3u8'
  if (!text.startsWith('<')) return null
  const withoutComments = text.replace(/<!--[\s\S]*?(-->|$)/g, '').replace(/<\?[\s\S]*?(\?>|$)/g, '')
  const root = /^\s*<(?:!doctype\s+)?([a-z][\w:]*)/i.exec(withoutComments)?.[1]?.toLowerCase() ?? ''
  if (root === 'mpd' || root.endsWith(':mpd')) return 'mpd'
  if (/^(([\w-]+:)?(rss|feed)|rdf:rdf)$/.test(root)) return 'feed'
  return htmlRoots.has(root) ? 'html' : null
}

/** WHATWG MIME Sniffing, section 7.1, and other elements that start pages without a head. */
const htmlRoots = new Set(
  'html head body script iframe h1 div font table a style title b br p meta link noscript main section article video base'.split(
    ' ',
  ),
)

function decoded(bytes: Buffer): string {
  const even = bytes.subarray(0, bytes.length & ~1)
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return even.toString('utf16le', 2)
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return Buffer.from(even).swap16().toString('utf16le', 2)
  return bytes.toString('utf8').replace(/^\ufeff/, '')
}

/** Random bytes may contain the sync word of a raw audio frame, so two consecutive frames must match. */
const hasTwoFrames =
  (lengthAt: (bytes: Buffer, offset: number) => number | null, headerBytes: number) =>
  (bytes: Buffer, offset = 0): boolean => {
    const length = lengthAt(bytes, offset)
    const next = offset + (length ?? 0)
    return length !== null && (next + headerBytes > bytes.length || lengthAt(bytes, next) !== null)
  }

const isAdts = hasTwoFrames(adtsLength, 7)
const isMpegAudio = hasTwoFrames(mpegAudioLength, 4)

/** ISO/IEC 13818-7, section 6.2: syncword, layer 0, frame length. */
function adtsLength(bytes: Buffer, offset: number): number | null {
  const [a = 0, b = 0, , d = 0, e = 0, f = 0] = bytes.subarray(offset, offset + 6)
  if (a !== 0xff || (b & 0xf6) !== 0xf0) return null
  const length = ((d & 3) << 11) | (e << 3) | (f >> 5)
  return length > 7 ? length : null
}

const kilobits = {
  mpeg1: [0, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320],
  mpeg2: [0, 8, 16, 24, 32, 40, 48, 56, 64, 80, 96, 112, 128, 144, 160],
}
const sampleRates = [44_100, 48_000, 32_000]

/** ISO/IEC 11172-3, section 2.4.1.3: syncword, layer III, a valid bitrate and sampling rate. */
function mpegAudioLength(bytes: Buffer, offset: number): number | null {
  const [a = 0, b = 0, c = 0] = bytes.subarray(offset, offset + 3)
  const isLayer3 = a === 0xff && (b & 0xe6) === 0xe2
  const version = (b >> 3) & 3
  const isMpeg1 = version === 3
  const bitrate = (isMpeg1 ? kilobits.mpeg1 : kilobits.mpeg2)[c >> 4]
  const sampleRate = sampleRates[(c >> 2) & 3]
  if (!isLayer3 || version === 1 || !bitrate || !sampleRate) return null
  const divisor = isMpeg1 ? 1 : version === 2 ? 2 : 4
  return Math.floor(((isMpeg1 ? 144_000 : 72_000) * bitrate) / (sampleRate / divisor)) + ((c >> 1) & 1)
}

import { type Box, boxAt, boxesIn, boxSize } from '../../../media/boxes.ts'
import { timescaleOf, uint32, uint64 } from '../../formats/mp4-samples.ts'
import { malformed, type SparseFile } from '../sparse-file.ts'
import { type EmbeddedTrack, maxTracks, type TextFormat } from '../track.ts'

/** The index of an MP4 or QuickTime file (ISO/IEC 14496-12, section 8.2), wherever it is in the file. */
export interface Movie {
  content: Buffer
  /** Offset of the box after it. */
  end: number
}

/** A box of the file whose content may be unknown. */
export interface FileBox {
  type: string
  at: number
  contentAt: number
  end: number
}

/** The box at an offset; null at the end of the file. */
export const boxInFile = (file: SparseFile, at: number): FileBox | null => {
  const head = file.readUpTo(at, at + 16)
  if (head.length < 8) return null
  const { headerBytes, size } = boxSize(head, 0, (file.sizeBytes ?? at) - at)
  if (size < headerBytes) throw malformed('box')
  return { type: head.toString('latin1', 4, 8), at, contentAt: at + headerBytes, end: at + size }
}

/** Real files have about five boxes before it. */
const maxBoxesBefore = 64

export const readMovie = (file: SparseFile): Movie => {
  let at = 0
  for (let count = 0; count < maxBoxesBefore; count++) {
    const box = boxInFile(file, at)
    if (!box) break
    if (box.type === 'moov') return { content: file.read(box.contentAt, box.end), end: box.end }
    at = box.end
  }
  throw malformed('file: no moov box')
}

/** The text tracks. A track of chapter titles is none, although it has the same format. */
export const movieTracks = ({ content }: Movie): EmbeddedTrack[] => {
  const tracks = trackBoxes(content)
  const chapters = new Set(tracks.flatMap(chapterTracks))
  return tracks.flatMap((trak) => {
    const track = textTrack(trak)
    return track && !chapters.has(track.id) ? [track] : []
  })
}

export const trackBox = (movie: Movie, id: number): Buffer => {
  const found = trackBoxes(movie.content).find((trak) => idOf(trak) === id)
  if (!found) throw malformed('track')
  return found
}

const trackBoxes = (moov: Buffer): Buffer[] => {
  const found: Buffer[] = []
  for (const { type, content } of boxesIn(moov)) {
    if (type === 'trak') found.push(content)
    if (found.length === maxTracks) break
  }
  return found
}

const idOf = (trak: Buffer): number => {
  const header = boxAt(trak, 'tkhd')?.content
  return uint32(header, header?.[0] === 1 ? 20 : 12)
}

const chapterTracks = (trak: Buffer): number[] => {
  const ids = boxAt(trak, 'tref/chap')?.content ?? Buffer.alloc(0)
  return Array.from({ length: Math.min(maxTracks, Math.floor(ids.length / 4)) }, (_, index) => uint32(ids, index * 4))
}

/** Sample entries that hold text. The others are images (`mp4s`), caption data for decoders (`c608`), or encrypted. */
const formats: Record<string, TextFormat> = { tx3g: 'tx3g', text: 'tx3g', wvtt: 'mp4', stpp: 'mp4' }

const textTrack = (trak: Buffer): EmbeddedTrack | null => {
  const descriptions = boxAt(trak, 'mdia/minf/stbl/stsd')?.content.subarray(8) ?? Buffer.alloc(0)
  const entry: Box | undefined = boxesIn(descriptions).next().value ?? undefined
  const format = entry && formats[entry.type]
  if (!format) return null
  return {
    id: idOf(trak),
    language: languageOf(trak),
    // The track is enabled (`tkhd`).
    isDefault: (uint32(boxAt(trak, 'tkhd')?.content, 0) & 1) === 1,
    // Of tx3g: all samples are forced.
    isForced: entry.type === 'tx3g' && (uint32(entry.content, 8) & 0x80000000) !== 0,
    format,
  }
}

/** QuickTime's language codes (QuickTime File Format, "Language code values"), by number. Later ones are not in use. */
const macintoshLanguages: readonly (string | undefined)[] = (
  'en fr de it nl sv es da pt no he ja ar fi el is mt tr hr zh-Hant ur hi th ko lt pl hu et lv se fo fa ru zh-Hans ' +
  'nl-BE ga sq ro cs sk sl yi sr mk bg uk be uz kk az'
).split(' ')

/** `elng` has a BCP 47 tag. `mdhd` has three letters of five bits each, or in QuickTime a number below 0x400. */
const languageOf = (trak: Buffer): string | null => {
  const extended = boxAt(trak, 'mdia/elng')?.content.toString('latin1', 4, 40).split('\0')[0]
  if (extended) return extended
  const header = boxAt(trak, 'mdia/mdhd')?.content
  const packed = uint32(header, header?.[0] === 1 ? 32 : 20) >>> 16
  if (packed < 0x400) return macintoshLanguages[packed] ?? null
  const letters = [10, 5, 0].map((shift) => String.fromCharCode(((packed >> shift) & 31) + 0x60))
  return letters.join('')
}

/** What the edit list adds to a track's times, in seconds: a pause before it, or a part at its start that is skipped. */
export const editShift = (movie: Movie, trak: Buffer): number => {
  const list = boxAt(trak, 'edts/elst')?.content
  if (!list) return 0
  const movieScale = timescaleOf(boxAt(movie.content, 'mvhd')?.content)
  const trackScale = timescaleOf(boxAt(trak, 'mdia/mdhd')?.content)
  const isLong = list[0] === 1
  const [fieldBytes, entryBytes] = isLong ? [8, 20] : [4, 12]
  let pause = 0
  for (let at = 8; at + entryBytes <= list.length; at += entryBytes) {
    // -1, of 32 or 64 bits.
    const isPause = uint32(list, at + fieldBytes) === 0xffffffff
    if (!isPause) return pause - numberAt(list, at + fieldBytes, isLong) / trackScale
    pause += numberAt(list, at, isLong) / movieScale
  }
  return pause
}

const numberAt = (content: Buffer, at: number, isLong: boolean): number =>
  isLong ? uint64(content, at) : uint32(content, at)

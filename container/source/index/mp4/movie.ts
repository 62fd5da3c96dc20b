import type { FileRange } from '../file-ranges.ts'
import { Missing, malformed, type SparseFile } from '../sparse-file.ts'
import { boxAt, boxesIn, boxSize, type FileBox, integer, timescaleOf, uint32 } from './boxes.ts'

/** ffmpeg opens no more tracks. */
const maxTracks = 100

/** The index of an MP4 or QuickTime file (ISO/IEC 14496-12, section 8.2), wherever it is in the file. */
export interface Movie {
  content: Buffer
  /** Offset of the box after it. */
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

/** Real files have about five, before and after the index. */
const maxFirstBoxes = 64

export const readMovie = (file: SparseFile): Movie => {
  let at = 0
  for (let count = 0; count < maxFirstBoxes; count++) {
    const box = boxInFile(file, at)
    if (!box) break
    if (box.type === 'moov') return { content: file.read(box.contentAt, box.end), end: box.end }
    at = box.end
  }
  throw malformed('file: no moov box')
}

/** After the media data there is mostly the index. */
const aheadBytes = { index: 256 * 1024, other: 4_096 }

/** The boxes up to the first fragment. The index is fetched together with the headers of those after it. */
export const layoutOf = (file: SparseFile): FileBox[] => {
  const sizeBytes = file.sizeBytes ?? 0
  const boxes: FileBox[] = []
  const index: FileRange[] = []
  for (let at = 0; at < sizeBytes; ) {
    const last = boxes.at(-1)
    const ahead = last?.type === 'mdat' && index.length === 0 ? aheadBytes.index : aheadBytes.other
    if (!file.has({ start: at, end: Math.min(at + 16, sizeBytes) })) {
      throw new Missing([...index, { start: at, end: Math.min(at + ahead, sizeBytes) }])
    }
    const box = boxInFile(file, at)
    if (!box || boxes.length === maxFirstBoxes) throw malformed('file')
    if (box.type === 'moof') break
    boxes.push(box)
    const range = { start: box.at, end: box.end }
    if (box.type === 'moov' && !file.has(range)) index.push(range)
    at = box.end
  }
  file.require(index)
  return boxes
}

export const isFragmented = (movie: Movie): boolean => boxAt(movie.content, 'mvex') !== null

export const trackBox = (movie: Movie, id: number): Buffer => {
  const found = trackBoxes(movie.content).find((trak) => trackId(trak) === id)
  if (!found) throw malformed('track')
  return found
}

export const trackBoxes = (moov: Buffer): Buffer[] => {
  const tracks = boxesIn(moov).filter(({ type }) => type === 'trak')
  return Array.from(tracks.take(maxTracks), ({ content }) => content)
}

export const trackId = (trak: Buffer): number => {
  const header = boxAt(trak, 'tkhd')?.content
  return uint32(header, header?.[0] === 1 ? 20 : 12)
}

/** The tracks of pictures, sound and text, without those that others name as their chapters. */
export const mediaTracks = ({ content }: Movie): Buffer[] => {
  const tracks = trackBoxes(content)
  const chapters = new Set(tracks.flatMap(chapterTracks))
  return tracks.filter((trak) => !chapters.has(trackId(trak)))
}

const chapterTracks = (trak: Buffer): number[] => {
  const ids = boxAt(trak, 'tref/chap')?.content ?? Buffer.alloc(0)
  return Array.from({ length: Math.min(maxTracks, Math.floor(ids.length / 4)) }, (_, index) => uint32(ids, index * 4))
}

/** ISO/IEC 14496-12, section 8.6.6: the parts of a timeline, in seconds. Without any, the track is shown as it is. */
export const editsOf = (movie: Movie, trak: Buffer) => {
  const list = boxAt(trak, 'edts/elst')?.content ?? Buffer.alloc(0)
  const movieScale = timescaleOf(boxAt(movie.content, 'mvhd')?.content)
  const trackScale = timescaleOf(boxAt(trak, 'mdia/mdhd')?.content)
  const isLong = list[0] === 1
  const [fieldBytes, entryBytes] = isLong ? [8, 20] : [4, 12]
  return Array.from({ length: Math.max(0, Math.floor((list.length - 8) / entryBytes)) }, (_, entry) => {
    const at = 8 + entry * entryBytes
    // -1, of 32 or 64 bits.
    const isPause = uint32(list, at + fieldBytes) === 0xffffffff
    return {
      duration: integer(list, at, isLong) / movieScale,
      mediaStart: isPause ? null : integer(list, at + fieldBytes, isLong) / trackScale,
      // 1 for real files.
      rate: uint32(list, at + 2 * fieldBytes) / 65_536,
    }
  })
}

/** What the edit list adds to a track's times, in seconds: a pause before it, or a part at its start that is skipped. */
export const editShift = (movie: Movie, trak: Buffer): number => {
  const edits = editsOf(movie, trak)
  const first = edits.findIndex(({ mediaStart }) => mediaStart !== null)
  const pauses = first === -1 ? edits : edits.slice(0, first)
  return pauses.reduce((sum, { duration }) => sum + duration, 0) - (edits[first]?.mediaStart ?? 0)
}

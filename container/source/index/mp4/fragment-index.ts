import { malformed, OutOfReach, type SparseFile } from '../sparse-file.ts'
import { boxesIn, type FileBox, integer, uint32 } from './boxes.ts'
import { boxInFile, type Movie } from './movie.ts'

/** The indexes of a fragmented file: `sidx` boxes before the fragments, and `mfra` at the end of the file. */

/** A part of the file that a `sidx` box lists: one fragment or more, or another index. */
export interface IndexedSegment {
  at: number
  end: number
  seconds: number
  endSeconds: number
  isIndex: boolean
  /** It starts with a picture that can be decoded without earlier ones. */
  startsWithSync: boolean
}

/** A fragment takes two boxes and lasts a second or more: ten hours. */
export const maxBoxes = 80_000

/** From a box to the next, up to the end of the file. */
export function* boxesFrom(file: SparseFile, start: number): Generator<FileBox> {
  if (file.sizeBytes === null) throw new OutOfReach('fragments in a file of unknown size')
  let at = start
  for (let count = 0; at < file.sizeBytes; count++) {
    const box = count < maxBoxes ? boxInFile(file, at) : null
    if (!box) throw malformed('fragments')
    yield box
    at = box.end
  }
}

/** Boxes such as `styp` and `sidx` before a `moof`. */
const maxBoxesBefore = 8

/** The first `moof` from an offset on; null if there is none before the media data. */
export const fragmentFrom = (file: SparseFile, at: number): FileBox | null => {
  let count = 0
  for (const box of boxesFrom(file, at)) {
    if (box.type === 'moof') return box
    if (box.type === 'mdat' || ++count === maxBoxesBefore) break
  }
  return null
}

/** The `sidx` boxes before the first fragment. */
export const segmentIndexes = (file: SparseFile, { end: start }: Movie) => {
  const found: ReturnType<typeof segmentIndex>[] = []
  for (const box of boxesFrom(file, start)) {
    if (box.type === 'moof' || box.type === 'mdat') break
    if (box.type === 'sidx') found.push(segmentIndex(file, box))
  }
  return found
}

/** ISO/IEC 14496-12, section 8.16.3: sizes and durations of what follows the box. */
const segmentIndex = (file: SparseFile, { contentAt, end }: FileBox) => {
  const content = file.read(contentAt, end)
  const isLong = content[0] === 1
  const references = isLong ? 28 : 20
  const timescale = uint32(content, 8) || 1000
  let at = end + integer(content, isLong ? 20 : 16, isLong)
  let ticks = integer(content, 12, isLong)
  const segments: IndexedSegment[] = []
  for (let entry = references + 4; entry + 12 <= content.length && segments.length < maxBoxes; entry += 12) {
    const size = uint32(content, entry)
    const [segmentAt, seconds] = [at, ticks / timescale]
    // The highest bit says that the reference is to another index.
    at += size & 0x7fffffff
    ticks += uint32(content, entry + 4)
    segments.push({
      ...{ at: segmentAt, end: at, seconds, endSeconds: ticks / timescale },
      isIndex: size >>> 31 === 1,
      startsWithSync: uint32(content, entry + 8) >>> 31 === 1,
    })
  }
  return { trackId: uint32(content, 4), segments }
}

export type RandomAccessIndex = NonNullable<ReturnType<typeof randomAccessIndex>>

/** ISO/IEC 14496-12, section 8.8.9: the `moof` boxes that start with a sync sample. The last four bytes have its size. */
export const randomAccessIndex = (file: SparseFile) => {
  const sizeBytes = file.sizeBytes ?? 0
  if (sizeBytes < 16) return null
  const last = file.read(sizeBytes - 16, sizeBytes)
  const size = uint32(last, 12)
  if (last.toString('latin1', 4, 8) !== 'mfro' || size > sizeBytes || size < 16) return null
  const content = file.read(sizeBytes - size, sizeBytes).subarray(8)
  const lists = boxesIn(content).filter(({ type }) => type === 'tfra')
  /** By track id. */
  const tracks = new Map(lists.map(({ content }) => [uint32(content, 4), randomAccessPoints(content)]))
  /** `at`: offset of the `mfra` box. */
  return { at: sizeBytes - size, tracks }
}

const randomAccessPoints = (content: Buffer) => {
  const isLong = content[0] === 1
  const lengths = uint32(content, 8)
  const numberBytes = [4, 2, 0].reduce((sum, shift) => sum + ((lengths >> shift) & 3) + 1, 0)
  const entryBytes = (isLong ? 16 : 8) + numberBytes
  const points: { at: number; ticks: number }[] = []
  for (let entry = 16; entry + entryBytes <= content.length && points.length < maxBoxes; entry += entryBytes) {
    points.push({ ticks: integer(content, entry, isLong), at: integer(content, entry + (isLong ? 8 : 4), isLong) })
  }
  return points
}

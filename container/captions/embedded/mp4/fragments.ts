import { boxAt, boxesIn } from '../../../media/boxes.ts'
import {
  placesInFragment,
  type SamplePlace,
  sampleDefaults,
  timescaleOf,
  uint32,
  uint64,
} from '../../formats/mp4-samples.ts'
import { type FileRange, Missing, malformed, OutOfReach, type SparseFile } from '../sparse-file.ts'
import { boxInFile, type FileBox, type Movie } from './movie-index.ts'

/**
 * The samples of a fragmented file are listed in each of its `moof` boxes. These are found by going from box to box. An
 * index of the fragments (`sidx` at the beginning, `mfra` at the end) only says what to fetch beforehand: it may leave
 * out some of them. Without an index each box would take a request, so the file is out of reach unless it is known.
 */
export function* placesInFragments(file: SparseFile, movie: Movie, trak: Buffer, id: number): Generator<SamplePlace> {
  const track = {
    trackId: id,
    timescale: timescaleOf(boxAt(trak, 'mdia/mdhd')?.content),
    ...sampleDefaults(extensionOf(movie, id)),
  }
  const hints = fragmentOffsets(file, movie)
  fetchFragments(file, hints)
  try {
    for (const { type, at, contentAt, end } of boxesFrom(file, movie.end)) {
      if (type === 'moof') yield* placesInFragment({ type, at, content: file.read(contentAt, end) }, track)
    }
  } catch (error) {
    if (error instanceof Missing && hints.length === 0) throw new OutOfReach('fragments without an index')
    throw error
  }
}

export const isFragmented = (movie: Movie): boolean => boxAt(movie.content, 'mvex') !== null

const extensionOf = (movie: Movie, id: number): Buffer | undefined => {
  for (const { type, content } of boxesIn(boxAt(movie.content, 'mvex')?.content ?? Buffer.alloc(0))) {
    if (type === 'trex' && uint32(content, 4) === id) return content
  }
  return undefined
}

/** A fragment takes two boxes and lasts a second or more: ten hours. */
const maxBoxes = 80_000

function* boxesFrom(file: SparseFile, start: number): Generator<FileBox> {
  if (file.sizeBytes === null) throw new OutOfReach('fragments in a file of unknown size')
  let at = start
  for (let count = 0; at < file.sizeBytes; count++) {
    const box = count < maxBoxes ? boxInFile(file, at) : null
    if (!box) throw malformed('fragments')
    yield box
    at = box.end
  }
}

/** A `moof` with a few streams takes one or two kilobytes, and perhaps there is a `styp` or `sidx` before it. */
const fragmentHeadBytes = 4_096

/** Fetches the `moof` boxes at these offsets, with the header of the box after each. */
const fetchFragments = (file: SparseFile, offsets: number[]): void => {
  const sizeBytes = file.sizeBytes ?? 0
  const inFile = (start: number, bytes: number): FileRange => ({ start, end: Math.min(start + bytes, sizeBytes) })
  const starts = offsets.filter((offset) => offset < sizeBytes)
  file.require(starts.map((offset) => inFile(offset, fragmentHeadBytes)))
  file.require(
    starts.flatMap((offset) => {
      const moof = fragmentNear(file, offset)
      return moof ? [inFile(moof.at, moof.end - moof.at + 16)] : []
    }),
  )
}

/** The `moof` at an offset or within the bytes that are known after it. */
const fragmentNear = (file: SparseFile, offset: number): FileBox | null => {
  for (let at = offset; file.has({ start: at, end: Math.min(at + 16, file.sizeBytes ?? at) }); ) {
    const box = boxInFile(file, at)
    if (!box || box.type === 'mdat') return null
    if (box.type === 'moof') return box
    at = box.end
  }
  return null
}

const fragmentOffsets = (file: SparseFile, movie: Movie): number[] => {
  const found = new Set(segmentIndexOffsets(file, movie.end).concat(randomAccessOffsets(file)))
  return [...found].slice(0, maxBoxes)
}

/** ISO/IEC 14496-12, section 8.16.3: the sizes of the segments after the `sidx` box. */
const segmentIndexOffsets = (file: SparseFile, start: number): number[] => {
  const offsets: number[] = []
  for (const { type, contentAt, end } of boxesFrom(file, start)) {
    if (type === 'moof' || type === 'mdat') break
    if (type === 'sidx') for (const offset of segmentsIn(file.read(contentAt, end), end)) offsets.push(offset)
  }
  return offsets
}

function* segmentsIn(content: Buffer, end: number): Generator<number> {
  const isLong = content[0] === 1
  const references = isLong ? 28 : 20
  let offset = end + (isLong ? uint64(content, 20) : uint32(content, 16))
  for (let at = references + 4; at + 12 <= content.length; at += 12) {
    yield offset
    // The highest bit says that the reference is to another index.
    offset += uint32(content, at) & 0x7fffffff
  }
}

/** ISO/IEC 14496-12, section 8.8.9: the offsets of the `moof` boxes, in a box whose size is in the last four bytes. */
const randomAccessOffsets = (file: SparseFile): number[] => {
  const sizeBytes = file.sizeBytes ?? 0
  if (sizeBytes < 16) return []
  const last = file.read(sizeBytes - 16, sizeBytes)
  const size = uint32(last, 12)
  if (last.toString('latin1', 4, 8) !== 'mfro' || size > sizeBytes || size < 16) return []
  const content = file.read(sizeBytes - size, sizeBytes).subarray(8)
  return Array.from(boxesIn(content)).flatMap((box) => (box.type === 'tfra' ? offsetsIn(box.content) : []))
}

const offsetsIn = (content: Buffer): number[] => {
  const isLong = content[0] === 1
  const lengths = uint32(content, 8)
  const numberBytes = [4, 2, 0].reduce((sum, shift) => sum + ((lengths >> shift) & 3) + 1, 0)
  const entryBytes = (isLong ? 16 : 8) + numberBytes
  const offsets: number[] = []
  for (let at = 16; at + entryBytes <= content.length; at += entryBytes) {
    offsets.push(isLong ? uint64(content, at + 8) : uint32(content, at + 4))
  }
  return offsets
}

import { boxAt, boxesIn } from '../../../source/index/mp4/boxes.ts'
import { boxesFrom, maxBoxes, randomAccessIndex, segmentIndexes } from '../../../source/index/mp4/fragment-index.ts'
import {
  placesInFragment,
  type SamplePlace,
  sampleDefaults,
  timescaleOf,
  uint32,
} from '../../../source/index/mp4/fragment-samples.ts'
import { boxInFile, type FileBox, type Movie } from '../../../source/index/mp4/movie.ts'
import { type FileRange, Missing, OutOfReach, type SparseFile } from '../../../source/index/sparse-file.ts'

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

const extensionOf = (movie: Movie, id: number): Buffer | undefined => {
  for (const { type, content } of boxesIn(boxAt(movie.content, 'mvex')?.content ?? Buffer.alloc(0))) {
    if (type === 'trex' && uint32(content, 4) === id) return content
  }
  return undefined
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
  const segments = segmentIndexes(file, movie).flatMap(({ segments }) => segments)
  const points = [...(randomAccessIndex(file)?.tracks.values() ?? [])].flat()
  return [...new Set([...segments, ...points].map(({ at }) => at))].slice(0, maxBoxes)
}

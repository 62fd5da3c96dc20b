import type { Budget } from '../index/file-ranges.ts'
import { isMatroska, openMatroska } from '../index/matroska/matroska-file.ts'
import { isFragmented, layoutOf, readMovie } from '../index/mp4/movie.ts'
import { answerOf, type KnownBytes, OutOfReach, SparseFile } from '../index/sparse-file.ts'
import { clipOfWave } from './clip-of-wave.ts'
import { type ClipRanges, packed, type WantedClip } from './clip-ranges.ts'
import { clipOfMatroska } from './matroska/clip-of-matroska.ts'
import { clipOfFragments } from './mp4/clip-of-fragments.ts'
import { clipOfMovie } from './mp4/clip-of-movie.ts'

/**
 * Finds the bytes of a clip by the index of a media file of which only some bytes are known. Out of reach: the index
 * does not say where they are. Throws CLIP_OUT_OF_RANGE if the media ends before the clip. Called in the reader process.
 */
export const findClip = (known: KnownBytes, clip: WantedClip, budget: Budget) =>
  answerOf(budget, () => {
    if (known.sizeBytes === null) throw new OutOfReach('the size of the file is not known')
    const { ranges, holes, ...found } = rangesIn(new SparseFile(known), clip)
    return { ...found, ranges: packed(ranges), holes: packed(holes) }
  })

const rangesIn = (file: SparseFile, clip: WantedClip): ClipRanges => {
  const head = file.readUpTo(0, 12)
  if (isMatroska(file)) return clipOfMatroska(file, openMatroska(file), clip)
  if (head.toString('latin1', 0, 4) === 'RIFF') return clipOfWave(file, clip)
  const boxes = layoutOf(file)
  const movie = readMovie(file)
  return isFragmented(movie) ? clipOfFragments(file, movie, clip) : clipOfMovie(file, movie, boxes, clip)
}

import { united, without } from '../../index/file-ranges.ts'
import { boxAt, boxesIn } from '../../index/mp4/boxes.ts'
import {
  fragmentFrom,
  type IndexedSegment,
  type RandomAccessIndex,
  randomAccessIndex,
  segmentIndexes,
} from '../../index/mp4/fragment-index.ts'
import { boxInFile, type Movie } from '../../index/mp4/movie.ts'
import { positionsInTable } from '../../index/mp4/samples.ts'
import { OutOfReach, type SparseFile } from '../../index/sparse-file.ts'
import { type ClipRanges, type ClipTimes, refuseOutOfRange, type WantedClip, windowOf } from '../clip-ranges.ts'
import { type ClipTrack, clipTracks } from './clip-tracks.ts'

/**
 * A fragmented MP4 with an index of its fragments: `sidx` boxes at the beginning, or `mfra` at the end. The local file
 * has the first fragment, from which ffmpeg learns what is in the file, and those of the clip. A hole starts where a
 * fragment would, and is made to look like an empty box.
 */
export const clipOfFragments = (file: SparseFile, movie: Movie, clip: WantedClip): ClipRanges => {
  const { seekTrack, chosen } = clipTracks(movie, clip)
  // Samples in the first part of a file are found by its table, and the others by their fragments.
  if (chosen.some(({ trak }) => !positionsInTable(trak).next().done)) throw new OutOfReach('samples in two indexes')
  const randomAccess = randomAccessIndex(file)
  const mediaEnd = randomAccess?.at ?? file.sizeBytes ?? 0
  const index = segmentsOf(file, movie, seekTrack, mediaEnd) ?? fragmentsOf(randomAccess, seekTrack)
  if (!index) throw new OutOfReach('fragments without an index')
  checkOrder(index.segments, mediaEnd)
  const { first, keyframe, segments } = clipSegments(index.segments, clip)
  if (index.mediaSeconds !== null) refuseOutOfRange(clip, index.mediaSeconds)
  checkFragment(file, segments[0] as IndexedSegment)
  const whole = { start: 0, end: file.sizeBytes ?? index.end }
  const chosenRange = { start: segments[0]?.at ?? 0, end: segments.at(-1)?.end ?? 0 }
  const ranges = united([{ ...whole, end: first.end }, chosenRange, { ...whole, start: index.end }], minHoleBytes)
  return {
    ranges,
    holes: without([whole], ranges),
    holeFormat: 'mp4',
    mediaSeconds: index.mediaSeconds,
    fileStartSeconds: first.seconds,
    completeFromSeconds: Math.max(0, keyframe.seconds - first.seconds),
    earliestSeconds: (segments[0]?.seconds ?? 0) - first.seconds,
  }
}

/** A shorter hole is not worth it, and the header of an empty box needs 16 bytes. */
const minHoleBytes = 64

interface FragmentIndex {
  segments: IndexedSegment[]
  /** Where the last segment ends. */
  end: number
  mediaSeconds: number | null
}

/** More than this after the last fragment is not read. */
const maxTailBytes = 8 * 1024 * 1024

/** By `sidx`. null if these boxes do not list all fragments, or list further indexes, which ffmpeg does not read. */
const segmentsOf = (file: SparseFile, movie: Movie, { id }: ClipTrack, mediaEnd: number): FragmentIndex | null => {
  const indexes = segmentIndexes(file, movie)
  const index = indexes.find(({ trackId }) => trackId === id) ?? indexes[0]
  const [first, last] = [index?.segments[0], index?.segments.at(-1)]
  const isFlat = index?.segments.every(({ isIndex }) => !isIndex)
  if (!index || !first || !last || !isFlat || !isMediaEnd(file, last.end, mediaEnd)) return null
  return { segments: index.segments, end: last.end, mediaSeconds: last.endSeconds - first.seconds }
}

const fragmentTypes = new Set(['moof', 'styp', 'sidx', 'mdat', 'emsg', 'prft'])

/** There are no more fragments at this offset. */
const isMediaEnd = (file: SparseFile, at: number, mediaEnd: number): boolean => {
  if (at >= mediaEnd) return at === mediaEnd
  const box = mediaEnd - at <= maxTailBytes ? boxInFile(file, at) : null
  return box !== null && !fragmentTypes.has(box.type)
}

/** By `mfra`, which lists the fragments that start with a keyframe of the track. */
const fragmentsOf = (randomAccess: RandomAccessIndex | null, { id, timescale, shift }: ClipTrack) => {
  const points = randomAccess?.tracks.get(id) ?? []
  if (!randomAccess || points.length === 0) return null
  const fragments = points.filter(({ at }, index) => index === 0 || at !== points[index - 1]?.at)
  const segments = fragments.map(({ at, ticks }, index) => {
    const next = fragments[index + 1]
    return {
      ...{ at, seconds: ticks / timescale + shift },
      end: next?.at ?? randomAccess.at,
      endSeconds: next ? next.ticks / timescale + shift : Number.POSITIVE_INFINITY,
      ...{ isIndex: false, startsWithSync: true },
    }
  })
  return { segments, end: randomAccess.at, mediaSeconds: null }
}

const checkOrder = (segments: IndexedSegment[], mediaEnd: number): void => {
  const isOrdered = segments.every(({ at, end, seconds, endSeconds }, index) => {
    const next = segments[index + 1]
    return end > at && endSeconds >= seconds && (!next || (next.at === end && next.seconds >= seconds))
  })
  if (!isOrdered || (segments.at(-1)?.end ?? 0) > mediaEnd) throw new OutOfReach('a wrong index')
}

/** From the last segment before the clip that starts with a keyframe. */
const clipSegments = (segments: IndexedSegment[], clip: ClipTimes) => {
  const first = segments[0] as IndexedSegment
  const { from, to } = windowOf(clip, first.seconds)
  let start = segments.findLastIndex(({ seconds }) => seconds <= from)
  while (start > 0 && !segments[start]?.startsWithSync) start--
  start = Math.max(0, start)
  const after = segments.findIndex(({ seconds }, at) => at > start && seconds > to)
  // The sound of the keyframe's time may begin in the fragment before.
  const chosen = segments.slice(Math.max(0, start - 1), after === -1 ? segments.length : after)
  return { first, keyframe: segments[start] as IndexedSegment, segments: chosen }
}

/** Without their own times, fragments are at the time at which the one before ends. That one may be in a hole. */
const checkFragment = (file: SparseFile, { at }: IndexedSegment): void => {
  const moof = fragmentFrom(file, at)
  const fragments = moof ? Array.from(boxesIn(file.read(moof.contentAt, moof.end))) : []
  const tracks = fragments.filter(({ type }) => type === 'traf')
  if (tracks.length === 0 || !tracks.every(({ content }) => boxAt(content, 'tfdt'))) {
    throw new OutOfReach('fragments without times')
  }
}

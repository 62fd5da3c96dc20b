import { SourceFailure } from '../../failures.ts'
import type { FileRange } from '../index/file-ranges.ts'
import type { TimeRange } from './choose-segments.ts'

/** The clip that is looked for, in seconds from the start of the media. */
export interface ClipTimes {
  startSeconds: number
  /** null: to the end of the media. */
  endSeconds: number | null
}

export const refuseOutOfRange = ({ startSeconds }: ClipTimes, mediaSeconds: number): void => {
  if (startSeconds >= mediaSeconds) throw new SourceFailure('CLIP_OUT_OF_RANGE')
}

/** The kinds of streams that the clip will have: the first of each kind in the file. */
export interface ClipStreams {
  includeVideo: boolean
  includeAudio: boolean
}

export type WantedClip = ClipTimes & ClipStreams

/** What an index says about a clip. */
export interface ClipRanges {
  /** What the local file must have, besides the bytes that were read for the index. */
  ranges: FileRange[]
  /** Each has to look like an empty element, so that a demuxer skips it. */
  holes: FileRange[]
  /** `none`: the index of the file never leads into a hole. */
  holeFormat: 'none' | 'mp4' | 'matroska'
  /** How long the media is, from its index; null if it does not say. */
  mediaSeconds: number | null
  /** When the media starts, in the file's own time. */
  fileStartSeconds: number
  /** From this time of the media on, all streams are complete: a keyframe at or before the start of the clip. */
  completeFromSeconds: number
  /** Nothing of the clip is before this time, not even the sound of that keyframe. */
  earliestSeconds: number
}

/** Demuxers seek a little early if pictures are reordered, and streams are interleaved with some distance. */
const BEFORE_SECONDS = 1
const AFTER_SECONDS = 2

/** A clip with these margins, in the file's own time. */
export const windowOf = ({ startSeconds, endSeconds }: ClipTimes, fileStartSeconds: number): TimeRange => ({
  from: fileStartSeconds + startSeconds - BEFORE_SECONDS,
  to: endSeconds === null ? Number.POSITIVE_INFINITY : fileStartSeconds + endSeconds + AFTER_SECONDS,
})

/** The reader process sends one large value: many small objects would be slow to copy. */
export const packed = (ranges: FileRange[]): Float64Array =>
  Float64Array.from(ranges.flatMap(({ start, end }) => [start, end]))

export const unpacked = (pairs: Float64Array): FileRange[] =>
  Array.from({ length: pairs.length / 2 }, (_, at) => ({ start: pairs[2 * at] ?? 0, end: pairs[2 * at + 1] ?? 0 }))

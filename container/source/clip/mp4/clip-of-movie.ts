import { bytesIn, type FileRange, mergeRanges, united } from '../../index/file-ranges.ts'
import { boxAt, type FileBox, uint32 } from '../../index/mp4/boxes.ts'
import { type Movie, trackBoxes } from '../../index/mp4/movie.ts'
import { entryCount, positionsInTable } from '../../index/mp4/samples.ts'
import { malformed, OutOfReach, type SparseFile } from '../../index/sparse-file.ts'
import type { TimeRange } from '../choose-segments.ts'
import { type ClipRanges, refuseOutOfRange, type WantedClip, windowOf } from '../clip-ranges.ts'
import { type ClipTrack, clipTracks } from './clip-tracks.ts'

/**
 * An MP4 or QuickTime file whose `moov` box lists all samples. The clip needs the samples of its tracks, from the
 * keyframe before it on, and the first samples, from which ffmpeg learns what is in the file.
 */
export const clipOfMovie = (file: SparseFile, movie: Movie, boxes: FileBox[], clip: WantedClip): ClipRanges => {
  const { seekTrack, chosen } = clipTracks(movie, clip)
  const read = [seekTrack, ...chosen]
  const fileStartSeconds = Math.min(...read.map(({ startSeconds }) => startSeconds))
  const mediaSeconds = Math.max(...read.map(endOf)) - fileStartSeconds
  refuseOutOfRange(clip, mediaSeconds)
  const window = windowOf(clip, fileStartSeconds)
  const keyframeSeconds = keyframeBefore(seekTrack, window.from)
  // Sound is sought by the time of the keyframe.
  const soundFrom = Math.min(keyframeSeconds, window.from) - SOUND_BEFORE_SECONDS
  const clipRanges = chosen.flatMap((track) =>
    samplesIn(track, { from: track === seekTrack ? keyframeSeconds : soundFrom, to: window.to }),
  )
  const firstRanges = chosen.flatMap((track) => {
    const from = keyframeBefore(track, fileStartSeconds)
    return samplesIn(track, { from, to: from + FIRST_SECONDS }, FIRST_BYTES)
  })
  const others = [...outsideMedia(boxes), ...firstSampleOfOthers(movie)]
  const ranges = united([...others, ...firstRanges, ...requests(clipRanges)])
  if ((ranges.at(-1)?.end ?? 0) > (file.sizeBytes ?? 0)) throw malformed('sample table')
  return {
    ranges,
    holes: [],
    holeFormat: 'none',
    mediaSeconds,
    fileStartSeconds,
    completeFromSeconds: Math.max(0, keyframeSeconds - fileStartSeconds),
    earliestSeconds: keyframeSeconds - fileStartSeconds - SOUND_BEFORE_SECONDS,
  }
}

const SOUND_BEFORE_SECONDS = 1
/** ffmpeg reads the first samples of each track until it knows its parameters. */
const [FIRST_SECONDS, FIRST_BYTES] = [0.5, 512 * 1024]

/** Each range takes a request. */
const maxRanges = 1_000

/** Between the samples of a track are those of the others. They are fetched too where that takes fewer requests. */
const requests = (ranges: FileRange[]): FileRange[] => {
  const merged = mergeRanges(ranges, { bytes: bytesIn(ranges) * 2 + 1_000_000, requests: maxRanges })
  return merged ?? united(ranges, Number.POSITIVE_INFINITY)
}

/** A day of pictures, 100 a second. */
const maxSamples = 10_000_000
/** Samples that are near each other are in one range from the start, because there may be millions. */
const nearBytes = 32 * 1024

const samplesIn = (track: ClipTrack, { from, to }: TimeRange, maxBytes = Number.POSITIVE_INFINITY): FileRange[] => {
  const ranges: FileRange[] = []
  let bytes = 0
  for (const { start, end, at, size } of samplesOf(track)) {
    if (start < from && end <= from) continue
    if (start > to || bytes > maxBytes) break
    bytes += size
    const last = ranges.at(-1)
    if (last && at >= last.start && at - last.end <= nearBytes) last.end = Math.max(last.end, at + size)
    else ranges.push({ start: at, end: at + size })
  }
  return ranges
}

function* samplesOf({ trak, shift }: ClipTrack) {
  let count = 0
  for (const { start, end, at, size } of positionsInTable(trak)) {
    if (++count > maxSamples) throw new OutOfReach('too many samples')
    yield { start: start + shift, end: end + shift, at, size }
  }
}

/** The time of the last sample up to this time from which decoding can start, or of the first sample. */
const keyframeBefore = (track: ClipTrack, seconds: number): number => {
  const sync = syncSamples(track.trak)
  let number = 0
  let found: number | null = null
  for (const { start } of samplesOf(track)) {
    number++
    if (found === null) found = start
    if (start > seconds) break
    if (sync.has(number)) found = start
  }
  if (found === null) throw malformed('sample table')
  return found
}

/** The numbers of the sync samples, counted from 1. Without a list, all samples are. */
const syncSamples = (trak: Buffer): { has(number: number): boolean } => {
  const list = boxAt(trak, 'mdia/minf/stbl/stss')?.content
  if (!list) return { has: () => true }
  return new Set(Array.from({ length: entryCount(list, 4, 4) }, (_, entry) => uint32(list, 8 + entry * 4)))
}

const endOf = ({ trak, timescale, shift }: ClipTrack): number => {
  const list = boxAt(trak, 'mdia/minf/stbl/stts')?.content ?? Buffer.alloc(0)
  let ticks = 0
  for (let entry = 0; entry < entryCount(list, 4, 8); entry++) {
    ticks += uint32(list, 8 + entry * 8) * uint32(list, 12 + entry * 8)
  }
  return ticks / timescale + shift
}

const skipped = new Set(['mdat', 'free', 'skip', 'wide'])
const maxOtherBytes = 64 * 1024
const headerBytes = 16

/** The boxes outside of the media data, which ffmpeg reads up to the end of the file. */
const outsideMedia = (boxes: FileBox[]): FileRange[] =>
  boxes.map(({ type, at, end }) => {
    const isRead = type === 'moov' || (!skipped.has(type) && end - at <= maxOtherBytes)
    return { start: at, end: isRead ? end : Math.min(end, at + headerBytes) }
  })

const maxSampleBytes = 1_024

/** A sample with a time code or a chapter's title becomes metadata of the file. */
const firstSampleOfOthers = (movie: Movie): FileRange[] =>
  trackBoxes(movie.content).flatMap((trak) => {
    const first = positionsInTable(trak).next().value
    return first && first.size <= maxSampleBytes ? { start: first.at, end: first.at + first.size } : []
  })

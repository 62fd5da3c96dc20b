import { bytesIn, type FileRange, united, without } from '../../index/file-ranges.ts'
import { elementAt, fieldsIn, unsigned } from '../../index/matroska/ebml.ts'
import {
  type Cue,
  clusterHeadBytes,
  cuesIn,
  ids,
  type MatroskaFile,
  readCluster,
  trackEntries,
} from '../../index/matroska/matroska-file.ts'
import { malformed, OutOfReach, type SparseFile } from '../../index/sparse-file.ts'
import { type ClipRanges, type ClipStreams, refuseOutOfRange, type WantedClip, windowOf } from '../clip-ranges.ts'

/**
 * A Matroska or WebM file with Cues. The local file has the first clusters, from which ffmpeg learns what is in the
 * file, the clusters of the clip, and all other elements. A hole starts where a cluster would, and is made to look like
 * an empty element.
 */
export const clipOfMatroska = (file: SparseFile, matroska: MatroskaFile, clip: WantedClip): ClipRanges => {
  const { offsets, firstCluster, secondsPerTick, mediaSeconds } = matroska
  if (!offsets.has(ids.cues) || firstCluster === null) throw new OutOfReach('no Cues')
  if (mediaSeconds !== null) refuseOutOfRange(clip, mediaSeconds)
  const cues = cuesIn(file, matroska)
  const track = seekTrack(trackEntries(file, matroska), clip)
  const mediaEnd = endOfClusters(file, matroska, cues)
  const clusters = clusterOffsets(cues, firstCluster, mediaEnd)
  const fileStartSeconds = readCluster(file, firstCluster).ticks * secondsPerTick
  const { from, to } = windowOf(clip, fileStartSeconds)
  const keyframe = lastBefore(cues, track, from / secondsPerTick)
  const start = keyframe?.clusterAt ?? firstCluster
  const end = clipEnd(file, cues, clusters, start, to / secondsPerTick) ?? mediaEnd
  const completeFromSeconds = Math.max(0, (keyframe?.ticks ?? 0) * secondsPerTick - fileStartSeconds)
  const elements = otherElements(file, matroska)
  const needed = united(
    [...without([{ start: 0, end: clusters[1] ?? mediaEnd }], elements.skipped), { start, end }, ...elements.needed],
    // Shorter holes cannot be made to look like an element.
    minHoleBytes,
  )
  return {
    ranges: needed,
    holes: holesBetween(needed, elements.skipped, file.sizeBytes ?? 0),
    holeFormat: 'matroska',
    mediaSeconds,
    fileStartSeconds,
    completeFromSeconds,
    // Cues have the times of pictures. Sound is stored with the pictures that it is played with.
    earliestSeconds: completeFromSeconds - SOUND_BEFORE_SECONDS,
  }
}

const minHoleBytes = 64
const SOUND_BEFORE_SECONDS = 1

/** Demuxers seek by the pictures, also if only sound is wanted. */
const seekTrack = (entries: Buffer[], { includeVideo, includeAudio }: ClipStreams): number => {
  const tracks = entries.map((entry) => {
    const fields = fieldsIn(entry)
    const [type, number] = [fields.get(0x83), fields.get(0xd7)].map((field) => unsigned(field ?? Buffer.alloc(0)))
    return { type, number }
  })
  const first = (wanted: number) => tracks.find(({ type }) => type === wanted)?.number ?? null
  // RFC 9559, section 5.1.4.1.3: 1 is video, 2 is audio.
  const [video, audio] = [first(1), first(2)]
  const track = video ?? audio
  if (track === null || !((includeVideo && video !== null) || (includeAudio && audio !== null))) {
    throw new OutOfReach('no such track')
  }
  return track
}

const lastBefore = (cues: Cue[], track: number, ticks: number): Cue | null => {
  const ofTrack = cues.filter((cue) => cue.track === track)
  if (ofTrack.length === 0) throw new OutOfReach('no Cues of the track')
  let found: Cue | null = null
  for (const cue of ofTrack) if (cue.ticks <= ticks && cue.ticks >= (found?.ticks ?? 0)) found = cue
  return found
}

const clusterOffsets = (cues: Cue[], firstCluster: number, mediaEnd: number): number[] => {
  const offsets = [...new Set([firstCluster, ...cues.map(({ clusterAt }) => clusterAt)])].toSorted((a, b) => a - b)
  if (offsets[0] !== firstCluster || (offsets.at(-1) ?? 0) >= mediaEnd) throw new OutOfReach('wrong Cues')
  return offsets
}

/** The first cluster after those of the clip. One that has a later keyframe may begin within the clip. */
const clipEnd = (file: SparseFile, cues: Cue[], clusters: number[], start: number, to: number): number | null => {
  const later = new Set(cues.filter(({ ticks }) => ticks > to).map(({ clusterAt }) => clusterAt))
  const candidates = clusters.filter((at) => at > start && later.has(at))
  file.require([start, ...candidates.slice(0, 2)].map((at) => ({ start: at, end: at + clusterHeadBytes })))
  // A wrong offset would lead into the middle of a cluster.
  readCluster(file, start)
  return candidates.find((at) => readCluster(file, at).ticks > to) ?? null
}

/** Where the elements after the last cued cluster start. */
const endOfClusters = (file: SparseFile, { offsets, segmentEnd }: MatroskaFile, cues: Cue[]): number => {
  const last = cues.reduce((latest, { clusterAt }) => Math.max(latest, clusterAt), 0)
  const after = [...offsets.values()].filter((at) => at > last)
  return Math.min(segmentEnd ?? file.sizeBytes ?? 0, ...after)
}

const attachments = 0x1941a469
const maxElementBytes = 4 * 1024 * 1024

/** The elements that a SeekHead lists: ffmpeg reads them all, and a cover or a font is not part of the clip. */
const otherElements = (file: SparseFile, { offsets }: MatroskaFile) => {
  const needed: FileRange[] = []
  const skipped: FileRange[] = []
  for (const [id, at] of offsets) {
    if (id === ids.cluster) continue
    const element = elementAt(file, at, null)
    if (element?.id !== id || element.end === null) throw malformed('SeekHead')
    const range = { start: at, end: Math.min(element.end, file.sizeBytes ?? element.end) }
    if (id === attachments && bytesIn([range]) > clusterHeadBytes) skipped.push(range)
    else needed.push(range)
  }
  if (bytesIn(needed) > maxElementBytes + (file.sizeBytes ?? 0) / 20) throw new OutOfReach('much besides the clusters')
  return { needed, skipped: united(skipped) }
}

/** The holes, each up to the next element that a SeekHead leads to. */
const holesBetween = (needed: FileRange[], skipped: FileRange[], sizeBytes: number): FileRange[] =>
  without([{ start: 0, end: sizeBytes }], needed).flatMap((hole) => {
    const starts = skipped.map(({ start }) => start).filter((start) => start > hole.start && start < hole.end)
    const edges = [hole.start, ...starts, hole.end]
    return edges.slice(1).map((end, index) => ({ start: edges[index] ?? 0, end }))
  })

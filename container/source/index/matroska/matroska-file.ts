import { malformed, type SparseFile } from '../sparse-file.ts'
import { elementAt, elementsIn, fieldsIn, unsigned } from './ebml.ts'

/** Element ids (RFC 9559, section 5). */
export const ids = {
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  info: 0x1549a966,
  tracks: 0x1654ae6b,
  cues: 0x1c53bb6b,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
} as const

export type MatroskaFile = ReturnType<typeof openMatroska>

/** Real files have about ten before the first cluster, and two SeekHeads. */
const maxElementsBefore = 100
const maxSeekHeads = 4

export const isMatroska = (file: SparseFile): boolean => file.readUpTo(0, 4).toString('hex') === '1a45dfa3'

export const openMatroska = (file: SparseFile) => {
  const header = elementAt(file, 0, null)
  const segment = header?.end ? elementAt(file, header.end, null) : null
  if (segment?.id !== ids.segment) throw malformed('file: no Segment')
  /** Offsets of elements on the first level, by id: those before the first cluster and those that a SeekHead lists. */
  const offsets = new Map<number, number>()
  const seekHeads = new Set<number>()
  let firstCluster: number | null = null
  let at = segment.contentAt
  for (let count = 0; count < maxElementsBefore && firstCluster === null; count++) {
    const element = elementAt(file, at, segment.end)
    if (!element || (element.end === null && element.id !== ids.cluster)) break
    if (element.id === ids.cluster) firstCluster = at
    if (element.id === ids.seekHead) seekHeads.add(at)
    offsets.set(element.id, at)
    at = element.end ?? at
  }
  followSeekHeads(file, seekHeads, segment.contentAt, offsets)
  const segmentEnd = segment.end === null ? file.sizeBytes : Math.min(segment.end, file.sizeBytes ?? segment.end)
  return { segmentAt: segment.contentAt, segmentEnd, offsets, firstCluster, ...infoOf(file, offsets.get(ids.info)) }
}

/** A SeekHead may list another one, also itself. */
const followSeekHeads = (file: SparseFile, seekHeads: Set<number>, segmentAt: number, offsets: Map<number, number>) => {
  let count = 0
  // The loop also reaches what it adds.
  for (const at of seekHeads) {
    if (++count > maxSeekHeads) return
    for (const { id, content } of elementsIn(contentAt(file, at, ids.seekHead))) {
      if (id !== 0x4dbb) continue
      const entry = fieldsIn(content)
      const [target, position] = [entry.get(0x53ab), entry.get(0x53ac)].map((number) => number && unsigned(number))
      if (target === undefined || position === undefined) continue
      if (target === ids.seekHead) seekHeads.add(segmentAt + position)
      else if (!offsets.has(target)) offsets.set(target, segmentAt + position)
    }
  }
}

export const contentAt = (file: SparseFile, at: number, id: number): Buffer => {
  const element = elementAt(file, at, null)
  if (element?.id !== id || element.end === null) throw malformed('element')
  return file.read(element.contentAt, element.end)
}

/** `mediaSeconds` is null if the file does not say how long it is. */
const infoOf = (file: SparseFile, at: number | undefined) => {
  const fields = at === undefined ? new Map<number, Buffer>() : fieldsIn(contentAt(file, at, ids.info))
  const scale = fields.get(0x2ad7b1)
  const secondsPerTick = (scale ? unsigned(scale) : 1_000_000) / 1e9
  const duration = fields.get(0x4489)
  const ticks = duration?.length === 8 ? duration.readDoubleBE() : duration?.length === 4 ? duration.readFloatBE() : 0
  return { secondsPerTick, mediaSeconds: ticks > 0 && Number.isFinite(ticks) ? ticks * secondsPerTick : null }
}

/** ffmpeg opens no more tracks. */
const maxTracks = 100

export const trackEntries = (file: SparseFile, { offsets }: MatroskaFile): Buffer[] => {
  const tracks = offsets.get(ids.tracks)
  if (tracks === undefined) throw malformed('file: no Tracks')
  const entries = elementsIn(contentAt(file, tracks, ids.tracks)).filter(({ id }) => id === 0xae)
  return Array.from(entries.take(maxTracks), ({ content }) => content)
}

/** RFC 9559, section 5.1.5: when a block of a track is shown, and where it is. */
export interface Cue {
  ticks: number
  track: number
  clusterAt: number
  /** From the first element of the cluster; null: anywhere in it. */
  offset: number | null
}

const [cuePoint, cueTime, cueTrackPositions] = [0xbb, 0xb3, 0xb7]
const [cueTrack, cueClusterPosition, cueRelativePosition] = [0xf7, 0xf1, 0xf0]

/** In the order of the file. None if it has no Cues. Those that name no track or no cluster are left out. */
export const cuesIn = (file: SparseFile, { offsets, segmentAt }: MatroskaFile): Cue[] => {
  const at = offsets.get(ids.cues)
  const cues: Cue[] = []
  for (const point of at === undefined ? [] : elementsIn(contentAt(file, at, ids.cues))) {
    if (point.id !== cuePoint) continue
    let ticks = 0
    for (const { id, content } of elementsIn(point.content)) {
      if (id === cueTime) ticks = unsigned(content)
      if (id !== cueTrackPositions) continue
      const fields = fieldsIn(content)
      const number = (id: number) => (fields.has(id) ? unsigned(fields.get(id) as Buffer) : null)
      const [track, position, offset] = [number(cueTrack), number(cueClusterPosition), number(cueRelativePosition)]
      if (track !== null && position !== null) cues.push({ ticks, track, clusterAt: segmentAt + position, offset })
    }
  }
  return cues
}

/** Enough for the header of a cluster and its timestamp, which is among its first elements. */
export const clusterHeadBytes = 64

export type Cluster = ReturnType<typeof readCluster>

export const readCluster = (file: SparseFile, at: number) => {
  const element = elementAt(file, at, null)
  if (element?.id !== ids.cluster) throw malformed('Cues')
  const { contentAt, end } = element
  const timestamp = fieldsIn(file.readUpTo(contentAt, at + clusterHeadBytes)).get(ids.timestamp)
  if (!timestamp) throw malformed('cluster')
  return { contentAt, end, ticks: unsigned(timestamp) }
}

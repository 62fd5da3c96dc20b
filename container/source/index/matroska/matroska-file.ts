import { malformed, type SparseFile } from '../sparse-file.ts'
import { type Element, elementAt, elementsIn, unsigned } from './ebml.ts'

/** Element ids (RFC 9559, section 5). */
export const ids = {
  segment: 0x18538067,
  seekHead: 0x114d9b74,
  info: 0x1549a966,
  tracks: 0x1654ae6b,
  cues: 0x1c53bb6b,
  cluster: 0x1f43b675,
} as const

/** The index of a Matroska or WebM file: where its parts are. */
export interface MatroskaFile {
  segmentAt: number
  segmentEnd: number | null
  /** Offsets of elements on the first level, by id: those before the first cluster and those that a SeekHead lists. */
  places: Map<number, number>
  firstCluster: number | null
  secondsPerTick: number
}

/** Real files have about ten before the first cluster, and two SeekHeads. */
const maxElementsBefore = 100
const maxSeekHeads = 4

/** Whether the file starts with an EBML header. */
export const isMatroska = (file: SparseFile): boolean => file.readUpTo(0, 4).toString('hex') === '1a45dfa3'

export const openMatroska = (file: SparseFile): MatroskaFile => {
  const header = elementAt(file, 0, null)
  const segment = header?.end ? elementAt(file, header.end, null) : null
  if (segment?.id !== ids.segment) throw malformed('file: no Segment')
  const places = new Map<number, number>()
  const seekHeads = new Set<number>()
  let firstCluster: number | null = null
  let at = segment.contentAt
  for (let count = 0; count < maxElementsBefore && firstCluster === null; count++) {
    const element = elementAt(file, at, segment.end)
    if (!element || (element.end === null && element.id !== ids.cluster)) break
    if (element.id === ids.cluster) firstCluster = at
    if (element.id === ids.seekHead) seekHeads.add(at)
    places.set(element.id, at)
    at = element.end ?? at
  }
  followSeekHeads(file, seekHeads, segment.contentAt, places)
  const info = places.get(ids.info)
  return {
    segmentAt: segment.contentAt,
    segmentEnd: segment.end === null ? file.sizeBytes : Math.min(segment.end, file.sizeBytes ?? segment.end),
    places,
    firstCluster,
    secondsPerTick: info === undefined ? 0.001 : secondsPerTick(contentAt(file, info, ids.info)),
  }
}

/** A SeekHead may list another one, also itself. */
const followSeekHeads = (file: SparseFile, seekHeads: Set<number>, segmentAt: number, places: Map<number, number>) => {
  let count = 0
  // The loop also reaches what it adds.
  for (const at of seekHeads) {
    if (++count > maxSeekHeads) return
    for (const { id, content } of elementsIn(contentAt(file, at, ids.seekHead))) {
      if (id !== 0x4dbb) continue
      const entry = new Map(Array.from(elementsIn(content), ({ id, content }) => [id, content]))
      const [target, position] = [entry.get(0x53ab), entry.get(0x53ac)].map((number) => number && unsigned(number))
      if (target === undefined || position === undefined) continue
      if (target === ids.seekHead) seekHeads.add(segmentAt + position)
      else if (!places.has(target)) places.set(target, segmentAt + position)
    }
  }
}

/** The content of the element at an offset, which must have this id. */
export const contentAt = (file: SparseFile, at: number, id: number): Buffer => {
  const element: Element | null = elementAt(file, at, null)
  if (element?.id !== id || element.end === null) throw malformed('element')
  return file.read(element.contentAt, element.end)
}

const secondsPerTick = (info: Buffer): number => {
  const scale = Array.from(elementsIn(info)).find(({ id }) => id === 0x2ad7b1)
  return (scale ? unsigned(scale.content) : 1_000_000) / 1e9
}

/** As many tracks as ffmpeg opens. */
const maxTracks = 100

/** The contents of the TrackEntry elements. */
export const trackEntries = (file: SparseFile, { places }: MatroskaFile): Buffer[] => {
  const tracks = places.get(ids.tracks)
  if (tracks === undefined) throw malformed('file: no Tracks')
  const entries = Array.from(elementsIn(contentAt(file, tracks, ids.tracks))).filter(({ id }) => id === 0xae)
  return entries.slice(0, maxTracks).map(({ content }) => content)
}

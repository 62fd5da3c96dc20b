import { inflateSync } from 'node:zlib'
import { type Element, elementAt, elementsIn, leadingNumber, unsigned } from '../../../source/index/matroska/ebml.ts'
import { contentAt, ids, type MatroskaFile } from '../../../source/index/matroska/matroska-file.ts'
import { Missing, malformed, OutOfReach, type SparseFile } from '../../../source/index/sparse-file.ts'
import { CaptionsTooLarge, maxCaptionBytes } from '../../cue.ts'
import type { Sample } from '../../formats/mp4-samples.ts'
import type { Compression, MatroskaTrack } from './text-tracks.ts'

/**
 * The blocks of a text track. They are between those of the video, and nothing in a cluster says which tracks it has
 * blocks of. So they are found by the Cues, in which ffmpeg and mkvmerge list each block of a text track. If the Cues
 * list none, all clusters have to be read.
 */
export function* matroskaSamples(file: SparseFile, matroska: MatroskaFile, track: MatroskaTrack): Generator<Sample> {
  const cues = cuesOf(file, matroska, track.id)
  const blocks = cues.length > 0 ? blocksAtCues(file, cues, track.id) : allBlocks(file, matroska, track.id)
  for (const { ticks, duration, data } of blocks) {
    // Without a duration nothing says how long the text is shown.
    if (duration === null) continue
    const start = ticks * matroska.secondsPerTick
    yield { start, end: start + duration * matroska.secondsPerTick, data: decompressed(data, track.compression) }
  }
}

const decompressed = (data: Buffer, compression: Compression | null): Buffer => {
  if (compression === null) return data
  if (compression.algorithm === 'strippedHeader') return Buffer.concat([compression.header, data])
  try {
    return inflateSync(data, { maxOutputLength: maxCaptionBytes })
  } catch {
    throw malformed('compressed block')
  }
}

/** Where the Cues say that a block is. */
interface CuedPlace {
  clusterAt: number
  /** From the first element of the cluster; null: anywhere in it. */
  offset: number | null
}

const cuesOf = (file: SparseFile, { places, segmentAt }: MatroskaFile, trackId: number): CuedPlace[] => {
  const at = places.get(ids.cues)
  if (at === undefined) return []
  const found: CuedPlace[] = []
  for (const point of elementsIn(contentAt(file, at, ids.cues))) {
    if (point.id !== 0xbb) continue
    for (const { id, content } of elementsIn(point.content)) {
      if (id !== 0xb7) continue
      const fields = new Map(Array.from(elementsIn(content), ({ id, content }) => [id, unsignedOrNull(content)]))
      const position = fields.get(0xf1) ?? null
      if (fields.get(0xf7) !== trackId || position === null) continue
      found.push({ clusterAt: segmentAt + position, offset: fields.get(0xf0) ?? null })
    }
  }
  return found
}

/** The longer elements of a cue are of other kinds. */
const unsignedOrNull = (content: Buffer): number | null => (content.length > 8 ? null : unsigned(content))

/** Enough for the header of a cluster and its timestamp, which is among its first elements. */
const clusterHeadBytes = 64
/** The size of a header is not known before it is read. */
const [minHeaderBytes, maxHeaderBytes] = [5, 12]
/** Larger than nearly all blocks of text. */
const blockBytes = 1_024

function* blocksAtCues(file: SparseFile, cues: CuedPlace[], trackId: number): Generator<Block> {
  const inFile = (start: number, end: number) => ({ start, end: Math.min(end, file.sizeBytes ?? end) })
  file.require(
    cues.flatMap(({ clusterAt, offset }) => {
      const head = inFile(clusterAt, clusterAt + clusterHeadBytes)
      if (offset === null) return [head]
      const at = clusterAt + offset
      return [head, inFile(at + minHeaderBytes, at + maxHeaderBytes + blockBytes)]
    }),
  )
  const clusters = new Map<number, Cluster>()
  for (const { clusterAt } of cues) if (!clusters.has(clusterAt)) clusters.set(clusterAt, clusterHead(file, clusterAt))
  const located = cues.map(({ clusterAt, offset }) => locate(file, clusters.get(clusterAt) as Cluster, offset))
  file.require(located.map(({ at, end }) => ({ start: at, end })))
  const seen = new Set<number>()
  for (const place of located) yield* blocksFrom(file, place, trackId, seen)
}

interface Cluster {
  contentAt: number
  end: number | null
  ticks: number
}

const clusterHead = (file: SparseFile, at: number): Cluster => {
  const element = elementAt(file, at, null)
  if (element?.id !== ids.cluster) throw malformed('cue')
  const { contentAt, end } = element
  const head = file.readUpTo(contentAt, at + clusterHeadBytes)
  const timestamp = Array.from(elementsIn(head)).find(({ id }) => id === 0xe7)
  if (!timestamp) throw malformed('cluster')
  return { contentAt, end, ticks: unsigned(timestamp.content) }
}

/** A cue without an offset stands for all of its cluster. */
const locate = (file: SparseFile, cluster: Cluster, offset: number | null) => {
  if (offset === null) {
    if (cluster.end === null) throw new OutOfReach('a cluster of unknown size')
    return { at: cluster.contentAt, end: cluster.end, cluster }
  }
  const at = cluster.contentAt + offset
  const element = elementAt(file, at, null)
  if (!element || element.end === null) throw malformed('cue')
  return { at, end: element.end, cluster }
}

/**
 * The blocks from a cue on. Earlier versions of ffmpeg listed only the first of several blocks with the same time, so
 * the blocks right after it are read too, as far as their bytes were fetched with it.
 */
function* blocksFrom(
  file: SparseFile,
  { at, end, cluster }: ReturnType<typeof locate>,
  trackId: number,
  seen: Set<number>,
): Generator<Block> {
  for (let next = at; !seen.has(next) && next < (cluster.end ?? Number.POSITIVE_INFINITY); ) {
    const isCued = next < end
    const block = isCued ? blockAt(file, next, cluster.ticks) : knownBlockAt(file, next, cluster.ticks)
    if (!block || (!isCued && block.trackId !== trackId)) return
    seen.add(next)
    if (block.trackId === trackId) yield block
    next = block.end
  }
}

const knownBlockAt = (file: SparseFile, at: number, clusterTicks: number): Block | null => {
  try {
    return blockAt(file, at, clusterTicks)
  } catch (error) {
    if (error instanceof Missing) return null
    throw error
  }
}

/** Elements of a file of 32 MB, audio included, are a tenth of this. */
const maxElements = 2_000_000

/**
 * From the first cluster to the end. The elements of a cluster follow its header, so clusters need no nesting, and
 * their sizes may be unknown.
 */
function* allBlocks(file: SparseFile, { firstCluster, segmentEnd }: MatroskaFile, trackId: number): Generator<Block> {
  const end = segmentEnd ?? file.sizeBytes
  if (end === null || !file.has({ start: firstCluster ?? end, end })) throw new OutOfReach('clusters without cues')
  let ticks = 0
  let count = 0
  for (let at = firstCluster ?? end; at < end; ) {
    if (++count > maxElements) throw new CaptionsTooLarge(`more than ${maxElements} elements`)
    const element = elementAt(file, at, end)
    if (!element) return
    if (element.id === ids.cluster) {
      at = element.contentAt
      continue
    }
    if (element.id === 0xe7 && element.end !== null) ticks = unsigned(file.read(element.contentAt, element.end))
    const block = blockOf(file, element, ticks)
    if (block.trackId === trackId) yield block
    at = block.end
  }
}

interface Block {
  /** null for an element that is not a block. */
  trackId: number | null
  end: number
  /** Of the cluster and the block together. */
  ticks: number
  duration: number | null
  data: Buffer
}

const blockAt = (file: SparseFile, at: number, clusterTicks: number): Block | null => {
  const element = elementAt(file, at, null)
  return element && blockOf(file, element, clusterTicks)
}

const [simpleBlock, blockGroup] = [0xa3, 0xa0]

const blockOf = (file: SparseFile, { id, contentAt, end }: Element, clusterTicks: number): Block => {
  if (end === null) throw malformed('element of unknown size')
  const other = { trackId: null, end, ticks: 0, duration: null, data: Buffer.alloc(0) }
  if (id !== simpleBlock && id !== blockGroup) return other
  const content = file.read(contentAt, end)
  if (id === simpleBlock) return { ...other, ...blockHeader(content, clusterTicks) }
  const fields = new Map(Array.from(elementsIn(content), ({ id, content }) => [id, content]))
  const [block, duration] = [fields.get(0xa1), fields.get(0x9b)]
  if (!block) return other
  return { ...other, ...blockHeader(block, clusterTicks), duration: duration ? unsigned(duration) : null }
}

/** RFC 9559, section 10.1: the number of the track, a time relative to the cluster's, flags. Text has no lacing. */
const blockHeader = (content: Buffer, clusterTicks: number) => {
  const track = leadingNumber(content)
  if (content.length < track.bytes + 3) throw malformed('block')
  return {
    trackId: track.value,
    ticks: clusterTicks + content.readInt16BE(track.bytes),
    data: content.subarray(track.bytes + 3),
  }
}

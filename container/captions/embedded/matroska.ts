import { inflateSync } from 'node:zlib'
import {
  type Element,
  elementAt,
  elementsIn,
  fieldsIn,
  leadingNumber,
  unsigned,
} from '../../source/index/matroska/ebml.ts'
import {
  type Cluster,
  type Cue,
  clusterHeadBytes,
  cuesIn,
  ids,
  type MatroskaFile,
  readCluster,
  trackEntries,
} from '../../source/index/matroska/matroska-file.ts'
import { ifKnown, malformed, OutOfReach, type SparseFile } from '../../source/index/sparse-file.ts'
import { CaptionsTooLarge, maxCaptionBytes } from '../cue.ts'
import type { Sample } from '../formats/mp4.ts'
import type { EmbeddedTrack, TextFormat } from './text.ts'

export interface MatroskaTrack extends EmbeddedTrack {
  compression: Compression | null
}

type Compression = { algorithm: 'zlib' } | { algorithm: 'strippedHeader'; header: Buffer }

const formats: Record<string, TextFormat> = {
  'S_TEXT/UTF8': 'plain',
  'S_TEXT/ASCII': 'plain',
  'S_TEXT/WEBVTT': 'plain',
  'D_WEBVTT/SUBTITLES': 'webm',
  'D_WEBVTT/CAPTIONS': 'webm',
  'S_TEXT/ASS': 'ass',
  'S_TEXT/SSA': 'ass',
  S_ASS: 'ass',
  S_SSA: 'ass',
}

export const matroskaTracks = (file: SparseFile, matroska: MatroskaFile): MatroskaTrack[] =>
  trackEntries(file, matroska).flatMap((entry) => textTrack(entry) ?? [])

const subtitleType = 0x11

const textTrack = (entry: Buffer): MatroskaTrack | null => {
  const fields = fieldsIn(entry)
  const text = (id: number) => fields.get(id)?.toString('latin1').split('\0')[0]
  const number = (id: number, otherwise: number) => unsigned(fields.get(id) ?? Buffer.of(otherwise))
  const format = formats[text(0x86) ?? '']
  const compression = compressionOf(fields.get(0x6d80))
  if (number(0x83, 0) !== subtitleType || !format || compression === 'unknown') return null
  return {
    id: number(0xd7, 0),
    language: text(0x22b59d) ?? text(0x22b59c) ?? 'eng',
    isDefault: number(0x88, 1) === 1,
    isForced: number(0x55aa, 0) === 1,
    format,
    compression,
  }
}

/** RFC 9559, section 5.1.4.1.31: mkvmerge compresses text with zlib by default. Encryption cannot be read. */
const compressionOf = (encodings: Buffer | undefined): Compression | null | 'unknown' => {
  const all = Array.from(elementsIn(encodings ?? Buffer.alloc(0)))
  const [first, ...others] = all.filter(({ id }) => id === 0x6240)
  if (!first) return null
  const compression = fieldsIn(first.content).get(0x5034)
  if (!compression || others.length > 0) return 'unknown'
  const settings = fieldsIn(compression)
  const algorithm = unsigned(settings.get(0x4254) ?? Buffer.of(0))
  if (algorithm === 0) return { algorithm: 'zlib' }
  return algorithm === 3 ? { algorithm: 'strippedHeader', header: settings.get(0x4255) ?? Buffer.alloc(0) } : 'unknown'
}

/**
 * Text blocks are between those of the video, and nothing in a cluster says which tracks it has blocks of. They are found
 * by the Cues, in which ffmpeg and mkvmerge list each of them. If the Cues list none, all clusters have to be read.
 */
export function* matroskaSamples(file: SparseFile, matroska: MatroskaFile, track: MatroskaTrack): Generator<Sample> {
  const cues = cuesIn(file, matroska).filter((cue) => cue.track === track.id)
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

/** The size of a header is not known before it is read. */
const [minHeaderBytes, maxHeaderBytes] = [5, 12]
const blockBytes = 1_024

function* blocksAtCues(file: SparseFile, cues: Cue[], trackId: number): Generator<Block> {
  file.require(
    cues.flatMap(({ clusterAt, offset }) => {
      const head = { start: clusterAt, end: clusterAt + clusterHeadBytes }
      if (offset === null) return [head]
      const at = clusterAt + offset
      return [head, { start: at + minHeaderBytes, end: at + maxHeaderBytes + blockBytes }]
    }),
  )
  const clusters = new Map<number, Cluster>()
  for (const { clusterAt } of cues) if (!clusters.has(clusterAt)) clusters.set(clusterAt, readCluster(file, clusterAt))
  const located = cues.map(({ clusterAt, offset }) => locate(file, clusters.get(clusterAt) as Cluster, offset))
  file.require(located.map(({ at, end }) => ({ start: at, end })))
  const seen = new Set<number>()
  for (const block of located) yield* blocksFrom(file, block, trackId, seen)
}

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
 * Earlier versions of ffmpeg listed only the first of several blocks with the same time, so the blocks right after it are
 * read too, as far as their bytes were fetched with it.
 */
function* blocksFrom(
  file: SparseFile,
  { at, end, cluster }: ReturnType<typeof locate>,
  trackId: number,
  seen: Set<number>,
): Generator<Block> {
  for (let next = at; !seen.has(next) && next < (cluster.end ?? Number.POSITIVE_INFINITY); ) {
    const isCued = next < end
    const read = () => blockAt(file, next, cluster.ticks)
    const block = isCued ? read() : ifKnown(read)
    if (!block || (!isCued && block.trackId !== trackId)) return
    seen.add(next)
    if (block.trackId === trackId) yield block
    next = block.end
  }
}

/** Elements of a file of 32 MB, audio included, are a tenth of this. */
const maxElements = 2_000_000

/** The elements of a cluster follow its header, so clusters need no nesting, and their sizes may be unknown. */
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
    if (element.id === ids.timestamp && element.end !== null)
      ticks = unsigned(file.read(element.contentAt, element.end))
    const block = blockOf(file, element, ticks)
    if (block.trackId === trackId) yield block
    at = block.end
  }
}

interface Block {
  trackId: number | null
  end: number
  /** The ticks of the cluster and the block together. */
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
  const fields = fieldsIn(content)
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

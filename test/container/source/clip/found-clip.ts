import { type ClipRanges, unpacked } from '../../../../container/source/clip/clip-ranges.ts'
import { findClip } from '../../../../container/source/clip/find-clip.ts'
import type { Clip } from '../../../../domain/protocol/protocol.ts'
import { box, element, number, words } from '../../../doubles/origin/media-bytes.ts'
import { knownParts } from '../../captions/embedded/reading.ts'
import { bothStreams } from './clipping.ts'

/** Finds a clip as the container does. */
export const foundClip = (
  file: Buffer,
  { startSeconds, endSeconds }: Clip,
  streams = bothStreams,
  headBytes = 1_024,
): ClipRanges => {
  const { known, budget, answered } = knownParts(file, headBytes, 12)
  const found = answered(() => findClip(known, { ...streams, startSeconds: startSeconds ?? 0, endSeconds }, budget))
  return { ...found, ranges: unpacked(found.ranges), holes: unpacked(found.holes) }
}

export const list = <T>(count: number, part: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => part(index))

const ftyp = box('ftyp', Buffer.from('isom'))
const handler = (type: string) => box('hdlr', words(0, 0), Buffer.from(type, 'latin1'), words(0, 0, 0))

/** A track of pictures with the number 1. Times are in milliseconds. */
const pictureTrak = (...tables: Uint8Array[]): Buffer =>
  box(
    'trak',
    box('tkhd', words(1, 0, 0, 1)),
    box(
      'mdia',
      box('mdhd', words(0, 0, 0, 1_000, 0, 0x15c70000)),
      handler('vide'),
      box('minf', box('stbl', box('stsd', words(0, 0)), ...tables)),
    ),
  )

export interface MovieShape {
  seconds: number
  /** Of each second. */
  sampleBytes: number
  keyframes?: number[]
  offsets?: 'stco' | 'co64'
  /** Where a sample is claimed to be. */
  placeOf?: (index: number, at: number) => number
}

/** A movie with a picture each second, its index at the end. */
export const movieOf = ({ seconds, sampleBytes, keyframes, offsets = 'stco', placeOf = (_, at) => at }: MovieShape) => {
  const at = (index: number) => placeOf(index, ftyp.length + 8 + index * sampleBytes)
  const places = list(seconds, (index) => (offsets === 'stco' ? words(at(index)) : number(at(index))))
  const sync = keyframes ? [box('stss', words(0, keyframes.length, ...keyframes))] : []
  const tables = [
    box('stts', words(0, 1, seconds, 1_000)),
    box('stsz', words(0, sampleBytes, seconds)),
    box('stsc', words(0, 1, 1, 1, 1)),
    box(offsets, words(0, seconds), ...places),
  ]
  return Buffer.concat([
    ftyp,
    box('mdat', Buffer.alloc(seconds * sampleBytes)),
    box('moov', pictureTrak(...tables, ...sync)),
  ])
}

/** A fragment of a second. */
export const fragmentOf = (second: number, bytes: number, hasTime = true): Buffer => {
  const time = hasTime ? [box('tfdt', words(0, second * 1_000))] : []
  const moof = (offset: number) =>
    box('moof', box('traf', box('tfhd', words(0x020000, 1)), ...time, box('trun', words(0x201, 1, offset, bytes))))
  return Buffer.concat([moof(moof(0).length + 8), box('mdat', Buffer.alloc(bytes))])
}

export const fragmentedHead = Buffer.concat([
  ftyp,
  box('moov', pictureTrak(), box('mvex', box('trex', words(0, 1, 1, 1_000, 0, 0)))),
])

/** References to parts of the file by their sizes, each of this many milliseconds. */
export const sidx = (sizes: number[], { ms = 1_000, firstMs = 0, isIndex = false, sap = 0x90000000 } = {}): Buffer => {
  const references = sizes.map((size) => words(size + (isIndex ? 0x80000000 : 0), ms, sap))
  return box('sidx', words(0, 1, 1_000, firstMs, 0, sizes.length), ...references)
}

/** A video track with the number 1. */
export const pictures = element(0x1654ae6b, element(0xae, element(0xd7, number(1)), element(0x83, number(1))))

export const cue = (ms: number, position: number): Buffer =>
  element(0xbb, element(0xb3, number(ms)), element(0xb7, element(0xf7, number(1)), element(0xf1, number(position))))

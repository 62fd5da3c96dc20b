import { type Box, boxAt, boxesIn } from '../../media/boxes.ts'

/** What is shown from one moment to another, in seconds. */
export interface Sample {
  start: number
  end: number
  data: Uint8Array
}

/** What the initialization section says once for all fragments. */
interface Track {
  timescale: number
  /** Where a fragment is silent about its own. */
  sampleDuration: number
  sampleSize: number
}

/** The samples of the one track in an initialization section and its fragments, in files of any number. */
export function* samplesOf(files: Uint8Array[]): Generator<Sample> {
  let track: Track = { timescale: 1000, sampleDuration: 0, sampleSize: 0 }
  for (const file of files) {
    for (const box of boxesIn(file)) {
      if (box.type === 'moov') track = trackOf(box)
      if (box.type === 'moof') yield* fragmentSamples(file, box, track)
    }
  }
}

const trackOf = ({ content }: Box): Track => {
  const header = boxAt(content, 'trak/mdia/mdhd')?.content
  const defaults = boxAt(content, 'mvex/trex')?.content
  const isLong = header?.[0] === 1
  return {
    timescale: number(header, isLong ? 20 : 12) || 1000,
    sampleDuration: number(defaults, 12),
    sampleSize: number(defaults, 16),
  }
}

/** 0 behind the end: a box that is too short says nothing. */
const number = (content: Buffer | undefined, at: number): number =>
  content && at >= 0 && at + 4 <= content.length ? content.readUInt32BE(at) : 0

const flagsOf = (content: Buffer): number => number(content, 0) & 0xffffff

/** ISO/IEC 14496-12, 8.8: a `moof` says when its samples are and where, the `mdat` behind it holds them. */
function* fragmentSamples(file: Uint8Array, moof: Box, track: Track): Generator<Sample> {
  for (const traf of boxesIn(moof.content)) {
    const header = boxAt(traf.content, 'tfhd')
    if (traf.type !== 'traf' || !header) continue
    const defaults = headerOf(header.content, track)
    let ticks = decodeTime(boxAt(traf.content, 'tfdt')?.content)
    for (const run of boxesIn(traf.content)) {
      if (run.type !== 'trun') continue
      for (const { duration, at, size } of runSamples(run.content, defaults.offset ?? moof.at, defaults)) {
        if (at + size > file.length) return
        const [start, end] = [ticks / track.timescale, (ticks + duration) / track.timescale]
        ticks += duration
        yield { start, end, data: file.subarray(at, at + size) }
      }
    }
  }
}

const decodeTime = (content: Buffer | undefined): number =>
  content?.[0] === 1 ? number(content, 4) * 2 ** 32 + number(content, 8) : number(content, 4)

/** Each flag says that a field is there; the fields come in this order. */
const fieldReader = (content: Buffer, start: number) => {
  const flags = flagsOf(content)
  let at = start
  return (flag: number, bytes = 4): number | null => {
    if ((flags & flag) === 0) return null
    at += bytes
    return number(content, at - 4)
  }
}

const headerOf = (content: Buffer, track: Track) => {
  const field = fieldReader(content, 8)
  // The upper half of a 64-bit offset is zero in whatever fits into memory.
  const offset = field(0x1, 8)
  field(0x2)
  const sampleDuration = field(0x8) ?? track.sampleDuration
  return { offset, sampleDuration, sampleSize: field(0x10) ?? track.sampleSize }
}

/** As many samples as the run has entries for, whatever its count says; those that hold nothing are one. */
function* runSamples(content: Buffer, base: number, { sampleDuration, sampleSize }: ReturnType<typeof headerOf>) {
  const flags = flagsOf(content)
  const header = fieldReader(content, 8)
  let at = base + (header(0x1) ?? 0)
  const first = 8 + bytesOf(flags, [0x1, 0x4])
  const count = number(content, 4)
  const entryBytes = bytesOf(flags, [0x100, 0x200, 0x400, 0x800])
  if (entryBytes === 0 && sampleSize === 0) {
    yield { duration: count * sampleDuration, at, size: 0 }
    return
  }
  const field = fieldReader(content, first)
  const entries = entryBytes === 0 ? count : Math.floor((content.length - first) / entryBytes)
  for (let left = Math.min(count, entries); left > 0; left--) {
    const duration = field(0x100) ?? sampleDuration
    const size = field(0x200) ?? sampleSize
    field(0x400)
    field(0x800)
    yield { duration, at, size }
    at += size
  }
}

const bytesOf = (flags: number, fields: number[]): number => fields.filter((flag) => flags & flag).length * 4

import { type Box, boxAt, boxesIn } from '../../media/boxes.ts'

/** One sample of a text track, times in seconds. */
export interface Sample {
  start: number
  end: number
  data: Uint8Array
}

/** Defaults from the initialization section, for all fragments. */
interface Track {
  timescale: number
  /** Used by fragments that do not set their own. */
  sampleDuration: number
  sampleSize: number
}

/** The samples of a single-track initialization section and its fragments, in one or more files. */
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
    timescale: uint32(header, isLong ? 20 : 12) || 1000,
    sampleDuration: uint32(defaults, 12),
    sampleSize: uint32(defaults, 16),
  }
}

/** The 32-bit integer at an offset, 0 if the box is too short. */
const uint32 = (content: Buffer | undefined, at: number): number =>
  content && at >= 0 && at + 4 <= content.length ? content.readUInt32BE(at) : 0

const flagsOf = (content: Buffer): number => uint32(content, 0) & 0xffffff

/** ISO/IEC 14496-12, section 8.8: a `moof` has the samples' times and offsets, the `mdat` after it their data. */
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
  content?.[0] === 1 ? uint32(content, 4) * 2 ** 32 + uint32(content, 8) : uint32(content, 4)

/** Reads optional fields in order. A field is present if its flag is set. */
const fieldReader = (content: Buffer, start: number) => {
  const flags = flagsOf(content)
  let at = start
  return (flag: number, bytes = 4): number | null => {
    if ((flags & flag) === 0) return null
    at += bytes
    return uint32(content, at - 4)
  }
}

const headerOf = (content: Buffer, track: Track) => {
  const field = fieldReader(content, 8)
  // Only the lower half of the 64-bit offset: files that fit into memory need no more.
  const offset = field(0x1, 8)
  field(0x2)
  const sampleDuration = field(0x8) ?? track.sampleDuration
  return { offset, sampleDuration, sampleSize: field(0x10) ?? track.sampleSize }
}

/**
 * The declared sample count is not trusted: it is limited to the entries that fit into the box. Samples without
 * entries and without bytes become one sample: a declared count may be four billion.
 */
function* runSamples(content: Buffer, base: number, { sampleDuration, sampleSize }: ReturnType<typeof headerOf>) {
  const flags = flagsOf(content)
  const header = fieldReader(content, 8)
  let at = base + (header(0x1) ?? 0)
  const firstEntry = 8 + bytesOf(flags, [0x1, 0x4])
  const count = uint32(content, 4)
  const entryBytes = bytesOf(flags, [0x100, 0x200, 0x400, 0x800])
  if (entryBytes === 0 && sampleSize === 0) {
    yield { duration: count * sampleDuration, at, size: 0 }
    return
  }
  const field = fieldReader(content, firstEntry)
  const entries = entryBytes === 0 ? count : Math.floor((content.length - firstEntry) / entryBytes)
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

import { type Box, boxAt, boxesIn } from './boxes.ts'

/** Where a sample is, times in seconds. */
export interface SamplePlace {
  start: number
  end: number
  at: number
  size: number
}

/** Defaults from the initialization section, for all fragments. */
export interface FragmentDefaults {
  /** null: the file has only one track, whatever its number. */
  trackId: number | null
  timescale: number
  /** Used by fragments that do not set their own. */
  sampleDuration: number
  sampleSize: number
}

/** Of an `mdhd` or `mvhd` box. */
export const timescaleOf = (header: Buffer | undefined): number => uint32(header, header?.[0] === 1 ? 20 : 12) || 1000

/** Of a `trex` box. */
export const sampleDefaults = (content: Buffer | undefined) => ({
  sampleDuration: uint32(content, 12),
  sampleSize: uint32(content, 16),
})

/** The 32-bit integer at an offset, 0 if the box is too short. */
export const uint32 = (content: Buffer | undefined, at: number): number =>
  content && at >= 0 && at + 4 <= content.length ? content.readUInt32BE(at) : 0

const flagsOf = (content: Buffer): number => uint32(content, 0) & 0xffffff

/**
 * ISO/IEC 14496-12, section 8.8: a `moof` has the samples' times and offsets, the `mdat` after it their data. The
 * offsets are in the bytes in which `at` is the offset of the `moof`.
 */
export function* placesInFragment({ content, at: moofAt }: Box, track: FragmentDefaults): Generator<SamplePlace> {
  for (const traf of boxesIn(content)) {
    const header = traf.type === 'traf' ? boxAt(traf.content, 'tfhd') : null
    if (!header || (track.trackId !== null && uint32(header.content, 4) !== track.trackId)) continue
    const defaults = headerOf(header.content, track)
    let ticks = uint32Or64(boxAt(traf.content, 'tfdt')?.content, 4)
    for (const run of boxesIn(traf.content)) {
      if (run.type !== 'trun') continue
      for (const { duration, at, size } of runSamples(run.content, defaults.offset ?? moofAt, defaults)) {
        const [start, end] = [ticks / track.timescale, (ticks + duration) / track.timescale]
        ticks += duration
        yield { start, end, at, size }
      }
    }
  }
}

/** The integer at an offset of a box whose version 1 has 64 bits for it. */
const uint32Or64 = (content: Buffer | undefined, at: number): number =>
  content?.[0] === 1 ? uint64(content, at) : uint32(content, at)

export const uint64 = (content: Buffer, at: number): number => uint32(content, at) * 2 ** 32 + uint32(content, at + 4)

/** Reads optional fields in order. A field is present if its flag is set. */
const fieldReader = (content: Buffer, start: number) => {
  const flags = flagsOf(content)
  let at = start
  return (flag: number, bytes = 4): number | null => {
    if ((flags & flag) === 0) return null
    at += bytes
    return bytes === 8 ? uint64(content, at - 8) : uint32(content, at - 4)
  }
}

const headerOf = (content: Buffer, track: FragmentDefaults) => {
  const field = fieldReader(content, 8)
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

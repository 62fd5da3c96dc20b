import { malformed } from '../sparse-file.ts'
import { type Box, boxAt, boxesIn, integer, timescaleOf, uint32 } from './boxes.ts'

/** Times are in seconds. */
export interface SamplePosition {
  start: number
  end: number
  at: number
  size: number
}

/** Defaults from the initialization section, for fragments that do not set their own. */
export interface FragmentDefaults extends ReturnType<typeof sampleDefaults> {
  /** null: the file has only one track, whatever its number. */
  trackId: number | null
  timescale: number
}

/** Of a `trex` box. */
export const sampleDefaults = (content: Buffer | undefined) => ({
  sampleDuration: uint32(content, 12),
  sampleSize: uint32(content, 16),
})

const flagsOf = (content: Buffer): number => uint32(content, 0) & 0xffffff

/** ISO/IEC 14496-12, section 8.8. The offsets are in the bytes in which `at` is the offset of the `moof`. */
export function* positionsInFragment({ content, at: moofAt }: Box, track: FragmentDefaults): Generator<SamplePosition> {
  for (const traf of boxesIn(content)) {
    const header = traf.type === 'traf' ? boxAt(traf.content, 'tfhd') : null
    if (!header || (track.trackId !== null && uint32(header.content, 4) !== track.trackId)) continue
    const defaults = headerOf(header.content, track)
    const decodeTime = boxAt(traf.content, 'tfdt')?.content
    let ticks = integer(decodeTime, 4, decodeTime?.[0] === 1)
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

/** Reads fields in order. A field is present if its flag is set. */
const fieldReader = (content: Buffer, start: number) => {
  const flags = flagsOf(content)
  let at = start
  return (flag: number, bytes = 4): number | null => {
    if ((flags & flag) === 0) return null
    at += bytes
    return integer(content, at - bytes, bytes === 8)
  }
}

const headerOf = (content: Buffer, track: FragmentDefaults) => {
  const field = fieldReader(content, 8)
  const offset = field(0x1, 8)
  field(0x2)
  const sampleDuration = field(0x8) ?? track.sampleDuration
  return { offset, sampleDuration, sampleSize: field(0x10) ?? track.sampleSize }
}

/** The declared count may be four billion. So entries end with the box, and samples without entries and bytes count as one. */
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

/** ISO/IEC 14496-12, section 8.7. The declared counts are not trusted: the tables end where their boxes end. */
export function* positionsInTable(trak: Buffer): Generator<SamplePosition> {
  const table = boxAt(trak, 'mdia/minf/stbl')?.content ?? Buffer.alloc(0)
  const timescale = timescaleOf(boxAt(trak, 'mdia/mdhd')?.content)
  const sizes = sizesIn(table)
  const durations = durationsIn(table)
  let ticks = 0
  for (const chunk of chunksIn(table)) {
    let { at } = chunk
    for (let left = chunk.samples; left > 0; left--) {
      const size = sizes.next()
      if (size.done) return
      const duration = durations.next().value ?? 0
      yield { start: ticks / timescale, end: (ticks + duration) / timescale, at, size: size.value }
      ticks += duration
      at += size.value
    }
  }
}

const contentOf = (table: Buffer, type: string): Buffer => boxAt(table, type)?.content ?? Buffer.alloc(0)

/** Entries of a table that starts with their number at `countAt`. */
export const entryCount = (content: Buffer, countAt: number, entryBytes: number): number =>
  Math.min(uint32(content, countAt), Math.floor(Math.max(0, content.length - countAt - 4) / entryBytes))

function* durationsIn(table: Buffer): Generator<number, undefined> {
  const content = contentOf(table, 'stts')
  for (let entry = 0; entry < entryCount(content, 4, 8); entry++) {
    const [count, duration] = [uint32(content, 8 + entry * 8), uint32(content, 12 + entry * 8)]
    for (let left = count; left > 0; left--) yield duration
  }
}

function* sizesIn(table: Buffer): Generator<number, undefined> {
  const compact = boxAt(table, 'stz2')?.content
  if (compact) {
    const bytes = (compact[7] ?? 0) / 8
    if (bytes !== 1 && bytes !== 2) throw malformed('stz2 box')
    return yield* listedSizes(compact, bytes)
  }
  const content = contentOf(table, 'stsz')
  const common = uint32(content, 4)
  if (common === 0) return yield* listedSizes(content, 4)
  for (let left = uint32(content, 8); left > 0; left--) yield common
}

function* listedSizes(content: Buffer, bytes: number): Generator<number, undefined> {
  for (let entry = 0; entry < entryCount(content, 8, bytes); entry++)
    yield content.readUIntBE(12 + entry * bytes, bytes)
}

function* chunksIn(table: Buffer): Generator<{ at: number; samples: number }> {
  const long = boxAt(table, 'co64')?.content
  const offsets = long ?? contentOf(table, 'stco')
  const entryBytes = long ? 8 : 4
  const runs = contentOf(table, 'stsc')
  const runCount = entryCount(runs, 4, 12)
  let run = 0
  for (let chunk = 0; chunk < entryCount(offsets, 4, entryBytes); chunk++) {
    // Chunks are numbered from 1.
    while (run + 1 < runCount && uint32(runs, 8 + (run + 1) * 12) <= chunk + 1) run++
    const at = 8 + chunk * entryBytes
    const samples = runCount === 0 ? 0 : uint32(runs, 12 + run * 12)
    yield { at: integer(offsets, at, long !== undefined), samples }
  }
}

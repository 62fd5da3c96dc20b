import { malformed } from '../sparse-file.ts'
import { boxAt } from './boxes.ts'
import { type SamplePlace, timescaleOf, uint32, uint64 } from './fragment-samples.ts'

/**
 * Where the samples of a track are (ISO/IEC 14496-12, section 8.7): `stts` has their durations, `stsz` their sizes,
 * `stco` the offsets of the chunks that hold them, and `stsc` how many each chunk holds. The declared counts are not
 * trusted: the tables end where their boxes end.
 */
export function* placesInTable(trak: Buffer): Generator<SamplePlace> {
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
  if (compact) return yield* compactSizes(compact)
  const content = contentOf(table, 'stsz')
  const common = uint32(content, 4)
  if (common !== 0) for (let left = uint32(content, 8); left > 0; left--) yield common
  else for (let entry = 0; entry < entryCount(content, 8, 4); entry++) yield uint32(content, 12 + entry * 4)
}

/** Sizes of 8 or 16 bits. */
function* compactSizes(content: Buffer): Generator<number, undefined> {
  const bytes = (content[7] ?? 0) / 8
  if (bytes !== 1 && bytes !== 2) throw malformed('stz2 box')
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
    yield { at: long ? uint64(offsets, at) : uint32(offsets, at), samples }
  }
}

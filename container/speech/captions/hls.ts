import { type Cue, collect } from './cue.ts'
import { vttCues } from './timed.ts'
import { parseTime } from './times.ts'

/**
 * HLS cuts a WebVTT track into files whose cues count from a clock of their own; the header of each says which
 * moment of the stream that clock stands for (RFC 8216, 3.5). A cue that spans a cut is in both files.
 */

/** MPEG-2 clocks count 90,000 a second in 33 bits and begin again every 26.5 hours. */
const ticksPerSecond = 90_000
const wrap = 2 ** 33

/** A cue that was cut in two at a segment's end goes on within this. */
const touchSeconds = 0.05

type Reader = (text: string) => Iterable<Cue>

export const hlsCues = (segments: Iterable<string>, read: Reader = vttCues): Cue[] => merged(onOneClock(segments, read))

export interface Placed {
  cue: Cue
  /** In which of the files, or samples, it was found. */
  segment: number
}

function* onOneClock(segments: Iterable<string>, read: Reader): Generator<Placed> {
  let first: number | undefined
  let ticks = 0
  let number = 0
  for (const text of segments) {
    const { local, mpegts } = timestampMap(text)
    const cues = collect(read(text))
    // An empty file without a header says nothing about the clock.
    if (cues.length === 0 && mpegts === null) continue
    ticks = first === undefined ? (mpegts ?? 0) : unwrapped(mpegts ?? 0, ticks)
    first ??= ticks
    const shift = (ticks - first) / ticksPerSecond - local
    for (const { start, end, ...said } of cues) {
      yield { cue: { start: start + shift, end: end + shift, ...said }, segment: number }
    }
    number++
  }
}

/** No header means that zero is zero. */
const timestampMap = (text: string): { local: number; mpegts: number | null } => {
  const header = /^X-TIMESTAMP-MAP[=:].*$/m.exec(text.slice(0, 2000))?.[0]
  const mpegts = /MPEGTS:\s?(\d{1,10})/.exec(header ?? '')?.[1]
  const local = /LOCAL:\s?([\d:.]+)/.exec(header ?? '')?.[1]
  if (mpegts === undefined) return { local: 0, mpegts: null }
  return { local: parseTime(local ?? '') ?? 0, mpegts: Number(mpegts) % wrap }
}

/** The moment nearest to the last one among all that these 33 bits may mean. */
const unwrapped = (ticks: number, last: number): number => {
  const step = (((ticks - last) % wrap) + wrap) % wrap
  return last + (step > wrap / 2 ? step - wrap : step)
}

/** Cues of different files that are equal, or say the same and touch, are one. */
export const merged = (placed: Iterable<Placed>): Cue[] => {
  const latest = new Map<string, Placed>()
  function* once(): Generator<Cue> {
    for (const next of placed) {
      const key = `${next.cue.speaker ?? ''}\n${next.cue.text}`
      const known = latest.get(key)
      if (known && continues(known, next)) {
        known.cue.start = Math.min(known.cue.start, next.cue.start)
        known.cue.end = Math.max(known.cue.end, next.cue.end)
        known.segment = next.segment
      } else {
        latest.set(key, next)
        yield next.cue
      }
    }
  }
  return collect(once())
}

const continues = (known: Placed, next: Placed) =>
  known.segment !== next.segment &&
  next.cue.start <= known.cue.end + touchSeconds &&
  next.cue.end >= known.cue.start - touchSeconds

import { type Cue, collectCues, moved } from '../cue.ts'
import { parseTime, vttCues } from './vtt-srt.ts'

/**
 * The cues of each segment use a local clock, which its header maps to the stream's (RFC 8216, section 3.5). A cue that
 * spans two segments is in both files.
 */

/** MPEG-2 timestamps are 33 bits at 90 kHz, so they wrap around every 26.5 hours. */
const ticksPerSecond = 90_000
const wrapTicks = 2 ** 33

/** The largest gap between the two parts of a cue that was split at a segment boundary. */
const touchSeconds = 0.05

type Reader = (text: string) => Iterable<Cue>

export const hlsCues = (segments: Iterable<string>, read: Reader = vttCues): Cue[] =>
  mergeRepeats(onOneClock(segments, read))

export interface PlacedCue {
  cue: Cue
  /** The number of the file, or MP4 sample, that contains it. */
  segment: number
}

function* onOneClock(segments: Iterable<string>, read: Reader): Generator<PlacedCue> {
  let first: number | undefined
  let ticks = 0
  let number = 0
  for (const text of segments) {
    const { local, mpegts } = timestampMap(text)
    const cues = collectCues(read(text))
    // An empty file without a header must not set the clock.
    if (cues.length === 0 && mpegts === null) continue
    ticks = first === undefined ? (mpegts ?? 0) : unwrapped(mpegts ?? 0, ticks)
    first ??= ticks
    const shift = (ticks - first) / ticksPerSecond - local
    for (const cue of cues) yield { cue: moved(cue, shift), segment: number }
    number++
  }
}

const timestampMap = (text: string): { local: number; mpegts: number | null } => {
  const header = /^X-TIMESTAMP-MAP[=:].*$/m.exec(text.slice(0, 2000))?.[0]
  const mpegts = /MPEGTS:\s?(\d{1,10})/.exec(header ?? '')?.[1]
  const local = /LOCAL:\s?([\d:.]+)/.exec(header ?? '')?.[1]
  if (mpegts === undefined) return { local: 0, mpegts: null }
  return { local: parseTime(local ?? '') ?? 0, mpegts: Number(mpegts) % wrapTicks }
}

const unwrapped = (ticks: number, last: number): number => {
  const step = (((ticks - last) % wrapTicks) + wrapTicks) % wrapTicks
  return last + (step > wrapTicks / 2 ? step - wrapTicks : step)
}

export const mergeRepeats = (placed: Iterable<PlacedCue>): Cue[] => {
  const latest = new Map<string, PlacedCue>()
  function* withoutRepeats(): Generator<Cue> {
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
  return collectCues(withoutRepeats())
}

const continues = (known: PlacedCue, next: PlacedCue) =>
  known.segment !== next.segment &&
  next.cue.start <= known.cue.end + touchSeconds &&
  next.cue.end >= known.cue.start - touchSeconds

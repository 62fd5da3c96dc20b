import { FRAME_SAMPLES, type Loudness } from './loudness.ts'
import { type Pcm, SAMPLE_RATE, type Stretch } from './pcm.ts'

/** How long a silence is looked for: a breath, not the stop within a `t`. */
const BREATH_FRAMES = 15
/** How far a piece may be from its fair share of the recording. */
const SLACK = 0.2
/** Pieces that fill the limit to the last second could only be cut in one place, pause or not. */
const FILL = 0.9

/**
 * A recording in few pieces, none longer than the limit, each about as long as the others, cut where it is
 * quietest. A word on a cut would be lost to both its pieces.
 */
export const cutAtSilences = ({ samples }: Pcm, loudness: Loudness, maxSeconds: number): Stretch[] => {
  const longest = Math.floor(maxSeconds * SAMPLE_RATE)
  const pieces: Stretch[] = []
  let start = 0
  while (start < samples) {
    const end = nextCut(samples, loudness, start, longest)
    pieces.push({ start, end })
    start = end
  }
  return pieces
}

const nextCut = (samples: number, loudness: Loudness, start: number, longest: number): number => {
  const left = samples - start
  if (left <= longest) return samples
  const count = Math.ceil(left / (longest * FILL))
  const share = left / count
  // What this piece leaves over must still fit into the others.
  const earliest = Math.max(share * (1 - SLACK), left - (count - 1) * longest)
  const latest = Math.min(share * (1 + SLACK), longest)
  const quietest = quietestFrame(loudness, (start + earliest) / FRAME_SAMPLES, (start + latest) / FRAME_SAMPLES)
  const cut = quietest === null ? start + latest : quietest * FRAME_SAMPLES
  return Math.floor(Math.min(start + latest, Math.max(start + earliest, cut)))
}

/** The middle of the quietest breath between two frames. */
const quietestFrame = (loudness: Loudness, from: number, to: number): number | null => {
  const [first, last] = [Math.floor(from), Math.min(loudness.length, Math.ceil(to))]
  let sum = 0
  let least = Infinity
  let found: number | null = null
  for (let frame = first; frame < last; frame++) {
    sum += loudness[frame] ?? 0
    const dropped = frame - BREATH_FRAMES
    if (dropped >= first) sum -= loudness[dropped] ?? 0
    if (frame < first + BREATH_FRAMES - 1 || sum >= least) continue
    least = sum
    found = frame - Math.floor(BREATH_FRAMES / 2)
  }
  return found
}

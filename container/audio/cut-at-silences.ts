import { FRAME_SAMPLES, type Loudness } from './loudness.ts'
import { type Pcm, SAMPLE_RATE, type SampleRange } from './pcm.ts'

/** 300 ms, a pause between words. The silence inside a consonant such as `t` is shorter. */
const PAUSE_FRAMES = 15
/** How far a piece may deviate from an equal share of the recording. */
const SLACK = 0.2
/** Pieces are planned below the limit: at the limit each cut would have only one possible place. */
const FILL = 0.9

/**
 * Cuts a recording into few pieces of about equal length, none longer than the limit. Cuts are made at the
 * quietest places: a word that is cut in two is lost in both pieces.
 */
export const cutAtSilences = ({ samples }: Pcm, loudness: Loudness, maxSeconds: number): SampleRange[] => {
  const longest = Math.floor(maxSeconds * SAMPLE_RATE)
  const pieces: SampleRange[] = []
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
  // The rest must still fit into the remaining pieces.
  const earliest = Math.max(share * (1 - SLACK), left - (count - 1) * longest)
  const latest = Math.min(share * (1 + SLACK), longest)
  const quietest = quietestFrame(loudness, (start + earliest) / FRAME_SAMPLES, (start + latest) / FRAME_SAMPLES)
  const cut = quietest === null ? start + latest : quietest * FRAME_SAMPLES
  return Math.floor(Math.min(start + latest, Math.max(start + earliest, cut)))
}

/** The middle of the quietest pause between two frames. */
const quietestFrame = (loudness: Loudness, from: number, to: number): number | null => {
  const [first, last] = [Math.floor(from), Math.min(loudness.length, Math.ceil(to))]
  let sum = 0
  let lowest = Infinity
  let quietest: number | null = null
  for (let frame = first; frame < last; frame++) {
    sum += loudness[frame] ?? 0
    const dropped = frame - PAUSE_FRAMES
    if (dropped >= first) sum -= loudness[dropped] ?? 0
    if (frame < first + PAUSE_FRAMES - 1 || sum >= lowest) continue
    lowest = sum
    quietest = frame - Math.floor(PAUSE_FRAMES / 2)
  }
  return quietest
}

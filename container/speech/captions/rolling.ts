import type { Cue } from './cue.ts'

/**
 * Automatic captions roll: a cue shows the line before it once more, with the new one below. Played back that
 * is an animation; read as text every line would stand there two or three times.
 */

/** Rolling captions follow each other at once. After a longer silence a repeated line was said again. */
const touchSeconds = 1

/** People repeat a line now and then; rolling tracks repeat nearly all of them. */
const rollingShare = 0.4

/** No screen holds more; without a bound a hostile file would have its lines compared for ever. */
const mostRepeated = 8

export const isRolling = (cues: Cue[]): boolean => {
  let repeats = 0
  for (const [index, cue] of cues.entries()) {
    const previous = cues[index - 1]
    if (previous && touches(previous, cue) && repeated(linesOf(previous), linesOf(cue)) > 0) repeats++
  }
  return cues.length > 2 && repeats / (cues.length - 1) >= rollingShare
}

/** Fresh lines only; a cue without any keeps the last one on the screen. Overlaps are clipped with all others. */
export const unroll = (cues: Cue[]): Cue[] => {
  const fresh: Cue[] = []
  let shown: string[] = []
  let previous: Cue | undefined
  for (const cue of cues) {
    const lines = linesOf(cue)
    const old = previous && touches(previous, cue) ? repeated(shown, lines) : 0
    const last = fresh.at(-1)
    if (old < lines.length) fresh.push({ ...cue, text: lines.slice(old).join('\n') })
    else if (last) last.end = Math.max(last.end, cue.end)
    shown = lines
    previous = cue
  }
  return fresh
}

const linesOf = ({ text }: Cue) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const touches = (previous: Cue, cue: Cue) => cue.start - previous.end <= touchSeconds

/** How many lines at the start of `lines` are the longest end of `shown`. */
const repeated = (shown: string[], lines: string[]): number => {
  for (let count = Math.min(shown.length, lines.length, mostRepeated); count > 0; count--) {
    const old = shown.slice(-count)
    if (old.every((line, index) => line === lines[index])) return count
  }
  return 0
}

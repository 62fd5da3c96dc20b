import { inOrder, type Segment } from '../../domain/words/segment.ts'
import { join } from '../../domain/words/writing.ts'
import { CaptionsTooLarge, type Cue, maxCueCharacters } from './cue.ts'

/**
 * Ordered segments that do not overlap, one line of text each. Automatic captions roll: each cue repeats the previous line
 * with a new one below it, so repeated lines are removed.
 */
export const normalize = (cues: Cue[]): Segment[] => {
  const sorted = cues.toSorted((a, b) => a.start - b.start)
  const segments = inOrder((isRolling(sorted) ? unroll(sorted) : sorted).map(onOneLine))
  // Cues that start at the same time have been merged.
  if (segments.some(({ text }) => text.length > maxCueCharacters)) {
    throw new CaptionsTooLarge(`more than ${maxCueCharacters} characters at the same time`)
  }
  return segments
}

/** `[Music]` and `♪` are kept: they are part of the captions. */
const onOneLine = (cue: Cue): Segment => ({ ...cue, text: join(cue.text.split('\n').map((line) => line.trim())) })

/** Rolling cues follow each other without a gap. A line repeated after a longer pause was spoken again. */
const touchSeconds = 1

/** Speakers repeat a line now and then; rolling tracks repeat nearly every line. */
const rollingShare = 0.4

/** No screen shows more lines. The limit bounds the comparisons per cue in a hostile file. */
const maxRepeatedLines = 8

export const isRolling = (cues: Cue[]): boolean => {
  let repeats = 0
  for (const [index, cue] of cues.entries()) {
    const previous = cues[index - 1]
    if (previous && touches(previous, cue) && repeatedLines(linesOf(previous), linesOf(cue)) > 0) repeats++
  }
  return cues.length > 2 && repeats / (cues.length - 1) >= rollingShare
}

/** Keeps only new lines. A cue without a new line extends the previous one. `inOrder` clips overlaps later. */
export const unroll = (cues: Cue[]): Cue[] => {
  const unrolled: Cue[] = []
  let shown: string[] = []
  let previous: Cue | undefined
  for (const cue of cues) {
    const lines = linesOf(cue)
    const repeated = previous && touches(previous, cue) ? repeatedLines(shown, lines) : 0
    const last = unrolled.at(-1)
    if (repeated < lines.length) unrolled.push({ ...cue, text: lines.slice(repeated).join('\n') })
    else if (last) last.end = Math.max(last.end, cue.end)
    shown = lines
    previous = cue
  }
  return unrolled
}

const linesOf = ({ text }: Cue) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)

const touches = (previous: Cue, cue: Cue) => cue.start - previous.end <= touchSeconds

const repeatedLines = (shown: string[], lines: string[]): number => {
  for (let count = Math.min(shown.length, lines.length, maxRepeatedLines); count > 0; count--) {
    const ending = shown.slice(-count)
    if (ending.every((line, index) => line === lines[index])) return count
  }
  return 0
}

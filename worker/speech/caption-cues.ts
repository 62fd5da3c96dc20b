import { runs } from '../../domain/words/runs.ts'
import type { Segment } from '../../domain/words/segment.ts'
import { type Atom, atoms, pauseAfter } from '../../domain/words/writing.ts'

/** Broadcasters' limit for captions: two lines of 42 columns. */
const LINE_COLUMNS = 42

/** One or two lines on the screen, timed in whole milliseconds. */
export interface ScreenCue {
  startMs: number
  endMs: number
  lines: string[]
  speaker: string | undefined
}

/** Splits long segments into several cues, which share the segment's time by text length. Cues never overlap. */
export async function* captionCues(segments: Iterable<Segment> | AsyncIterable<Segment>): AsyncGenerator<ScreenCue> {
  let previousEndMs = 0
  for await (const segment of segments) {
    for (const cue of cuesOf(segment)) {
      const startMs = Math.max(previousEndMs, cue.startMs)
      previousEndMs = Math.max(startMs + 1, cue.endMs)
      yield { ...cue, startMs, endMs: previousEndMs }
    }
  }
}

function* cuesOf({ start, end, text, speaker }: Segment): Generator<ScreenCue> {
  const words = atoms(text, LINE_COLUMNS)
  const row = {
    length: words.length,
    reach: (from: number) => lineEnd(words, lineEnd(words, from)),
    quality: (at: number) => breakQuality(words, at),
  }
  const totalWidth = widthOf(words)
  let usedWidth = 0
  const timeMs = () => Math.round((start + ((end - start) * usedWidth) / totalWidth) * 1000)
  for (const [from, to] of runs(row)) {
    const cueWords = words.slice(from, to)
    const startMs = timeMs()
    usedWidth += widthOf(cueWords)
    yield { startMs, endMs: timeMs(), lines: linesOf(cueWords), speaker }
  }
}

const widthOf = (words: Atom[]) => words.reduce((sum, word) => sum + word.width, 0) || 1

/** The end of the line that starts at `from`, exclusive. */
const lineEnd = (words: Atom[], from: number): number => {
  let columns = 0
  let to = from
  for (let word = words[to]; word !== undefined; word = words[to]) {
    columns += word.width + (to > from && word.spaced ? 1 : 0)
    if (to > from && columns > LINE_COLUMNS) break
    to++
  }
  return to
}

const breakQuality = (words: Atom[], at: number) =>
  ({ sentence: 2, clause: 1, none: 0 })[pauseAfter(words[at - 1]?.text ?? '', words[at]?.text ?? '')]

/** One line if it fits, else two of similar length, preferably broken after punctuation. */
const linesOf = (words: Atom[]): string[] => {
  const longestEnd = lineEnd(words, 0)
  if (longestEnd >= words.length) return [textOf(words)]
  let best = longestEnd
  let bestScore = -Infinity
  for (let at = longestEnd; at > 0 && lineEnd(words, at) >= words.length; at--) {
    const unevenness = Math.abs(widthOf(words.slice(0, at)) - widthOf(words.slice(at))) / LINE_COLUMNS
    const score = breakQuality(words, at) / 2 - unevenness
    if (score > bestScore) [best, bestScore] = [at, score]
  }
  return [textOf(words.slice(0, best)), textOf(words.slice(best))]
}

const textOf = (words: Atom[]) => words.map((word, index) => (index > 0 && word.spaced ? ' ' : '') + word.text).join('')

/** `01:02:03,004` for SRT, `01:02:03.004` for WebVTT. */
export const timestamp = (timeMs: number, decimalMark: ',' | '.') => {
  const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const seconds = Math.floor(timeMs / 1000)
  const fraction = String(timeMs % 1000).padStart(3, '0')
  return `${twoDigits(seconds / 3600)}:${twoDigits((seconds / 60) % 60)}:${twoDigits(seconds % 60)}${decimalMark}${fraction}`
}

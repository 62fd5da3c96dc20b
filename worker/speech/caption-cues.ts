import { runs } from '../../domain/words/runs.ts'
import type { Segment } from '../../domain/words/segment.ts'
import { type Atom, atoms, pauseAfter } from '../../domain/words/writing.ts'

/** Of what is on the screen at a time. */
export interface ScreenLimits {
  /** Columns of a line. */
  maxLineChars: number
  maxLines: number
}

/** Lines on the screen, timed in whole milliseconds. */
export interface ScreenCue {
  startMs: number
  endMs: number
  lines: string[]
  speaker: string | undefined
}

/** Splits long segments into several cues, which share the segment's time by text length. Cues never overlap. */
export async function* captionCues(
  segments: Iterable<Segment> | AsyncIterable<Segment>,
  limits: ScreenLimits,
): AsyncGenerator<ScreenCue> {
  let previousEndMs = 0
  for await (const segment of segments) {
    for (const cue of cuesOf(segment, limits)) {
      const startMs = Math.max(previousEndMs, cue.startMs)
      previousEndMs = Math.max(startMs + 1, cue.endMs)
      yield { ...cue, startMs, endMs: previousEndMs }
    }
  }
}

function* cuesOf({ start, end, text, speaker }: Segment, limits: ScreenLimits): Generator<ScreenCue> {
  const words = atoms(text, limits.maxLineChars)
  const row = {
    length: words.length,
    reach: (from: number) => cueEnd(words, from, limits),
    quality: (at: number) => breakQuality(words, at),
  }
  const totalWidth = widthOf(words)
  let usedWidth = 0
  const timeMs = () => Math.round((start + ((end - start) * usedWidth) / totalWidth) * 1000)
  for (const [from, to] of runs(row)) {
    const cueWords = words.slice(from, to)
    const startMs = timeMs()
    usedWidth += widthOf(cueWords)
    yield { startMs, endMs: timeMs(), lines: linesOf(cueWords, limits.maxLineChars), speaker }
  }
}

const widthOf = (words: Atom[]) => words.reduce((sum, word) => sum + word.width, 0) || 1

/** The end of the line that starts at `from`, exclusive. */
const lineEnd = (words: Atom[], from: number, columnsOfLine: number): number => {
  let columns = 0
  let to = from
  for (let word = words[to]; word !== undefined; word = words[to]) {
    columns += word.width + (to > from && word.spaced ? 1 : 0)
    if (to > from && columns > columnsOfLine) break
    to++
  }
  return to
}

const cueEnd = (words: Atom[], from: number, { maxLineChars, maxLines }: ScreenLimits): number => {
  let to = from
  for (let line = 0; line < maxLines && to < words.length; line++) to = lineEnd(words, to, maxLineChars)
  return to
}

const lineCount = (words: Atom[], columns: number): number => {
  let lines = 0
  for (let to = 0; to < words.length; lines++) to = lineEnd(words, to, columns)
  return lines
}

const breakQuality = (words: Atom[], at: number) =>
  ({ sentence: 2, clause: 1, none: 0 })[pauseAfter(words[at - 1]?.text ?? '', words[at]?.text ?? '')]

/** As few lines as fit, of similar length, preferably broken after punctuation. */
const linesOf = (words: Atom[], columns: number): string[] => {
  const lines: string[] = []
  let rest = words
  for (let left = lineCount(words, columns); left > 1; left--) {
    const to = firstLineEnd(rest, left, columns)
    lines.push(textOf(rest.slice(0, to)))
    rest = rest.slice(to)
  }
  return [...lines, textOf(rest)]
}

/** Where the first of `count` lines ends. The rest must fit into the others. */
const firstLineEnd = (words: Atom[], count: number, columns: number): number => {
  const longestEnd = lineEnd(words, 0, columns)
  let best = longestEnd
  let bestScore = -Infinity
  for (let at = longestEnd; at > 0 && lineCount(words.slice(at), columns) < count; at--) {
    const unevenness = Math.abs(widthOf(words.slice(0, at)) - widthOf(words.slice(at)) / (count - 1)) / columns
    const score = breakQuality(words, at) / 2 - unevenness
    if (score > bestScore) [best, bestScore] = [at, score]
  }
  return best
}

const textOf = (words: Atom[]) => words.map((word, index) => (index > 0 && word.spaced ? ' ' : '') + word.text).join('')

/** `01:02:03,004` for SRT, `01:02:03.004` for WebVTT. */
export const timestamp = (timeMs: number, decimalMark: ',' | '.') => {
  const twoDigits = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const seconds = Math.floor(timeMs / 1000)
  const fraction = String(timeMs % 1000).padStart(3, '0')
  return `${twoDigits(seconds / 3600)}:${twoDigits((seconds / 60) % 60)}:${twoDigits(seconds % 60)}${decimalMark}${fraction}`
}

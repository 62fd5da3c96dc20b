import { runs } from '../../domain/words/runs.ts'
import type { Segment } from '../../domain/words/segment.ts'
import { type Atom, atoms, pauseAfter } from '../../domain/words/writing.ts'

/** What a viewer can read at a glance, as broadcasters have it: two lines of 42 columns. */
const columns = 42

/** One showing of one or two lines, in whole milliseconds. */
export interface Card {
  startMs: number
  endMs: number
  lines: string[]
  speaker: string | undefined
}

/** Segments as they go on a screen: long ones in several cards that share the time by length. Never overlapping. */
export function* cards(segments: Iterable<Segment>): Generator<Card> {
  let clock = 0
  for (const segment of segments) {
    for (const card of cardsOf(segment)) {
      const startMs = Math.max(clock, card.startMs)
      clock = Math.max(startMs + 1, card.endMs)
      yield { ...card, startMs, endMs: clock }
    }
  }
}

function* cardsOf({ start, end, text, speaker }: Segment): Generator<Card> {
  const words = atoms(text, columns)
  const row = {
    length: words.length,
    reach: (from: number) => fill(words, fill(words, from)),
    quality: (at: number) => quality(words, at),
  }
  const total = weight(words)
  let passed = 0
  const timeMs = () => Math.round((start + ((end - start) * passed) / total) * 1000)
  for (const [from, to] of runs(row)) {
    const shown = words.slice(from, to)
    const startMs = timeMs()
    passed += weight(shown)
    yield { startMs, endMs: timeMs(), lines: lines(shown), speaker }
  }
}

const weight = (words: Atom[]) => words.reduce((sum, word) => sum + word.width, 0) || 1

/** The end of the line that begins with `from`. */
const fill = (words: Atom[], from: number): number => {
  let used = 0
  let to = from
  for (let word = words[to]; word !== undefined; word = words[to]) {
    used += word.width + (to > from && word.spaced ? 1 : 0)
    if (to > from && used > columns) break
    to++
  }
  return to
}

const quality = (words: Atom[], at: number) =>
  ({ sentence: 2, clause: 1, none: 0 })[pauseAfter(words[at - 1]?.text ?? '', words[at]?.text ?? '')]

/** One line where it fits, else two of like length, cut after a comma when there is one near. */
const lines = (words: Atom[]): string[] => {
  const furthest = fill(words, 0)
  if (furthest >= words.length) return [line(words)]
  let best = furthest
  let bestScore = -Infinity
  for (let at = furthest; at > 0 && fill(words, at) >= words.length; at--) {
    const unevenness = Math.abs(weight(words.slice(0, at)) - weight(words.slice(at))) / columns
    const score = quality(words, at) / 2 - unevenness
    if (score > bestScore) [best, bestScore] = [at, score]
  }
  return [line(words.slice(0, best)), line(words.slice(best))]
}

const line = (words: Atom[]) => words.map((word, index) => (index > 0 && word.spaced ? ' ' : '') + word.text).join('')

/** `01:02:03,004`, with the mark that the format wants before the milliseconds. */
export const clockTime = (timeMs: number, mark: ',' | '.') => {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0')
  const seconds = Math.floor(timeMs / 1000)
  const fraction = String(timeMs % 1000).padStart(3, '0')
  return `${two(seconds / 3600)}:${two((seconds / 60) % 60)}:${two(seconds % 60)}${mark}${fraction}`
}

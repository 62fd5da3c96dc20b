import { runs } from './runs.ts'
import { inOrder, milliseconds, type Segment } from './segment.ts'
import { atoms, collapse, isOnlyPunctuation, pauseAfter, width, wordSeam } from './writing.ts'

/** A word as speech engines give it; some (Whisper) write the space that stands before it into the text. */
export interface Word {
  text: string
  start: number
  end: number
  speaker?: string
}

/** What can be read in one go: about seven seconds, and a few lines at most should the times be wrong. */
const longestSeconds = 7
const widestColumns = 200
/** A silence that ends a segment whatever the punctuation says, and one that is a good place when a cut is needed. */
const pauseSeconds = 1
const shortestSeconds = 0.001

/** A word ready to be placed: no white space at its ends, times that never run back. */
interface Token extends Word {
  spaced: boolean
  columns: number
}

/** Words with times as segments of reading length: sentences, and where those are long, cut at pauses and commas. */
export const sentences = (words: Iterable<Word>): Segment[] =>
  separated(inSentences(wholeWords(Array.from(words))).flatMap((sentence) => cut(sentence)))

/** Long segments of an engine without word times: cut at punctuation, their time shared out by length. */
export const cutLong = (segments: Iterable<Segment>): Segment[] =>
  separated(inOrder(segments).flatMap((segment) => cut(sharedOut(segment))))

/** Engines give pieces of words and lone marks as words: " co", "-operate", ".". Nothing is cut between those. */
const wholeWords = (words: Word[]): Token[] => {
  const whole: Token[] = []
  for (const token of placed(words)) {
    const previous = whole.at(-1)
    if (previous === undefined || !isPartOf(previous, token)) whole.push(token)
    else {
      previous.text += token.text
      previous.columns += token.columns
      previous.end = Math.max(previous.end, token.end)
    }
  }
  return whole
}

const isPartOf = (previous: Token, token: Token) =>
  !token.spaced &&
  previous.speaker === token.speaker &&
  (isOnlyPunctuation(token.text) || wordSeam(previous.text, token.text) === ' ')

function* placed(words: Word[]): Generator<Token> {
  // A stray space does not make a style; marks and pieces of words come without one in either.
  const writesSpaces = words.filter(({ text }) => /^\s|\s$/.test(text)).length * 4 > words.length
  let clock = 0
  let before = ''
  for (const { text: raw, start, end, speaker } of words) {
    const text = collapse(raw)
    if (text === '') continue
    clock = Math.max(clock, Number.isFinite(start) ? start : clock)
    const spaced = writesSpaces ? /^\s/.test(raw) || /\s$/.test(before) : spaceBetween(before.trim(), text)
    yield {
      text,
      spaced,
      columns: width(text) + (spaced ? 1 : 0),
      start: clock,
      end: Math.max(clock, Number.isFinite(end) ? end : clock),
      ...(speaker ? { speaker } : {}),
    }
    before = raw
  }
}

const spaceBetween = (before: string, text: string) =>
  before !== '' && !isOnlyPunctuation(text) && wordSeam(before, text) === ' '

const inSentences = (tokens: Token[]): Token[][] => {
  const found: Token[][] = []
  let previous: Token | undefined
  for (const token of tokens) {
    if (previous && !endsBefore(previous, token)) found.at(-1)?.push(token)
    else found.push([token])
    previous = token
  }
  return found
}

const endsBefore = (previous: Token, next: Token) =>
  previous.speaker !== next.speaker ||
  next.start - previous.end >= pauseSeconds ||
  pauseAfter(previous.text, next.text) === 'sentence'

const cut = (tokens: Token[]): Segment[] => {
  const row = {
    length: tokens.length,
    reach: (from: number) => reach(tokens, from),
    quality: (at: number) => quality(tokens, at),
  }
  return Array.from(runs(row), ([from, to]) => segmentOf(tokens.slice(from, to)))
}

const reach = (tokens: Token[], from: number): number => {
  const start = tokens[from]?.start ?? 0
  let columns = 0
  let to = from
  for (let token = tokens[to]; token !== undefined; token = tokens[to]) {
    columns += token.columns
    if (to > from && (token.end - start > longestSeconds || columns > widestColumns)) break
    to++
  }
  return to
}

const quality = (tokens: Token[], at: number): number => {
  const [before, after] = [tokens[at - 1], tokens[at]]
  if (before === undefined || after === undefined) return 0
  const silence = Math.min(1, Math.max(0, after.start - before.end) / pauseSeconds)
  const mark = { sentence: 3, clause: 1.5, none: 0 }[pauseAfter(before.text, after.text)]
  return mark + 2 * silence
}

const segmentOf = (tokens: Token[]): Segment => {
  const [first, last] = [tokens[0], tokens.at(-1)]
  const text = tokens.map((token, index) => (index > 0 && token.spaced ? ' ' : '') + token.text).join('')
  const speaker = first?.speaker
  return { start: first?.start ?? 0, end: last?.end ?? 0, text, ...(speaker ? { speaker } : {}) }
}

/** The segment's time over its words, by the room they take on a screen. */
const sharedOut = ({ start, end, text, speaker }: Segment): Token[] => {
  const pieces = atoms(text, widestColumns)
  const total = pieces.reduce((sum, piece) => sum + piece.width, 0) || 1
  let passed = 0
  return pieces.map((piece) => {
    const from = start + ((end - start) * passed) / total
    passed += piece.width
    const to = start + ((end - start) * passed) / total
    const columns = piece.width + (piece.spaced ? 1 : 0)
    return { text: piece.text, spaced: piece.spaced, columns, start: from, end: to, ...(speaker ? { speaker } : {}) }
  })
}

/** Engines round, overlap and give words no length at all: segments follow each other by a millisecond at least. */
const separated = (segments: Segment[]): Segment[] => {
  let clock = 0
  return segments.map((segment, index) => {
    const next = segments[index + 1]?.start ?? Infinity
    const start = Math.max(clock, milliseconds(segment.start))
    const end = Math.max(milliseconds(start + shortestSeconds), milliseconds(Math.min(segment.end, next)))
    clock = end
    return { ...segment, start, end }
  })
}

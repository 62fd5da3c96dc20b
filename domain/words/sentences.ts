import { grouped, runs } from './runs.ts'
import { inOrder, milliseconds, type Segment, type SegmentWord, withoutWords, withWordsWithin } from './segment.ts'
import { atoms, collapse, isOnlyPunctuation, pauseAfter, textOf, width, wordSeam } from './writing.ts'

/** A word from a speech recognizer. Whisper includes the preceding space in the text. */
export type Word = SegmentWord

/** Limits of a readable segment. The second one matters if the times are wrong. */
const MAX_SECONDS = 7
const MAX_COLUMNS = 200
/** A pause of this length ends a segment regardless of punctuation. Shorter ones are preferred for breaks. */
const PAUSE_SECONDS = 1
const MIN_SECONDS = 0.001

/** A word without surrounding white space, with times in ascending order. */
interface Token extends Word {
  spaced: boolean
  columns: number
}

export const sentences = (words: Iterable<Word>): Segment[] =>
  withoutOverlaps(grouped(wholeWords(Array.from(words)), isSameSentence).flatMap(split))

/** Splits long segments at punctuation and shares their time by text length, which is good enough for subtitles. */
export const splitLong = (segments: Iterable<Segment>): Segment[] =>
  withoutOverlaps(inOrder(segments).flatMap((segment) => split(estimateTimes(segment)).map(withoutWords)))

/** Splits segments that are too long to read, `bySpeaker` also those of several, by word times where there are any. */
export const readableSegments = (segments: Segment[], { bySpeaker = false } = {}): Segment[] =>
  segments.flatMap((segment) => {
    const { start, end, speaker, words } = segment
    const isReadable = end - start <= MAX_SECONDS && !(bySpeaker && hasSeveralSpeakers(segment))
    if (isReadable) return [segment]
    return words ? sentences(words.map((word) => ({ ...(speaker && { speaker }), ...word }))) : splitLong([segment])
  })

const hasSeveralSpeakers = ({ speaker, words = [] }: Segment): boolean =>
  new Set(words.map((word) => word.speaker ?? speaker)).size > 1

/** Joins parts of words and single punctuation marks, which recognizers return as words: " co", "-operate", ".". */
const wholeWords = (words: Word[]): Token[] => grouped(toTokens(words), isSameWord).map(oneWord)

const isSameWord = (previous: Token, token: Token) =>
  !token.spaced &&
  previous.speaker === token.speaker &&
  // Any number of words without a width would fit into a segment.
  (token.columns === 0 || isOnlyPunctuation(token.text) || wordSeam(previous.text, token.text) === ' ')

const oneWord = (parts: Token[]): Token => ({
  ...(parts[0] as Token),
  text: parts.map(({ text }) => text).join(''),
  columns: parts.reduce((sum, { columns }) => sum + columns, 0),
  end: parts.reduce((latest, { end }) => Math.max(latest, end), 0),
  ...leastConfidence(parts),
})

export const leastConfidence = (parts: Pick<Word, 'confidence'>[]): Pick<Word, 'confidence'> => {
  const known = parts.flatMap(({ confidence = [] }) => confidence)
  return known.length > 0 ? { confidence: known.reduce((one, other) => Math.min(one, other)) } : {}
}

function* toTokens(words: Word[]): Generator<Token> {
  // At least a quarter of the words: some recognizers that write no spaces add one by accident, and punctuation and
  // parts of words have none in either style.
  const writesSpaces = words.filter(({ text }) => /^\s|\s$/.test(text)).length * 4 > words.length
  let clock = 0
  let before = ''
  for (const { text: raw, start, end, speaker, confidence } of words) {
    const text = collapse(raw)
    if (text === '') continue
    clock = Math.max(clock, Number.isFinite(start) ? start : clock)
    const spaced = writesSpaces ? /^\s/.test(raw) || /\s$/.test(before) : spaceBetween(before.trim(), text)
    yield {
      start: clock,
      end: Math.max(clock, Number.isFinite(end) ? end : clock),
      text,
      spaced,
      columns: width(text) + (spaced ? 1 : 0),
      ...(confidence === undefined ? {} : { confidence }),
      ...(speaker ? { speaker } : {}),
    }
    before = raw
  }
}

const spaceBetween = (before: string, text: string) =>
  before !== '' && !isOnlyPunctuation(text) && wordSeam(before, text) === ' '

const isSameSentence = (previous: Token, next: Token) =>
  previous.speaker === next.speaker &&
  next.start - previous.end < PAUSE_SECONDS &&
  pauseAfter(previous.text, next.text) !== 'sentence'

const split = (tokens: Token[]): Segment[] => {
  const row = runs({
    length: tokens.length,
    reach: (from) => reach(tokens, from),
    quality: (at) => quality(tokens, at),
  })
  return Array.from(row, ([from, to]) => segmentOf(tokens.slice(from, to)))
}

const reach = (tokens: Token[], from: number): number => {
  const start = tokens[from]?.start ?? 0
  let columns = 0
  let to = from
  for (let token = tokens[to]; token !== undefined; token = tokens[to]) {
    columns += token.columns
    if (to > from && (token.end - start > MAX_SECONDS || columns > MAX_COLUMNS)) break
    to++
  }
  return to
}

const quality = (tokens: Token[], at: number): number => {
  const [before, after] = [tokens[at - 1], tokens[at]]
  if (before === undefined || after === undefined) return 0
  const silence = Math.min(1, Math.max(0, after.start - before.end) / PAUSE_SECONDS)
  const mark = { sentence: 3, clause: 1.5, none: 0 }[pauseAfter(before.text, after.text)]
  return mark + 2 * silence
}

const segmentOf = (tokens: Token[]): Segment => {
  const { start = 0, speaker }: Partial<Token> = tokens[0] ?? {}
  return {
    start,
    end: tokens.at(-1)?.end ?? 0,
    text: textOf(tokens),
    ...(speaker ? { speaker } : {}),
    words: tokens.map(({ spaced: _, columns: __, ...word }) => word),
  }
}

const estimateTimes = ({ start, end, text, speaker }: Segment): Token[] => {
  const words = atoms(text, MAX_COLUMNS)
  const total = words.reduce((sum, word) => sum + word.width, 0) || 1
  let passed = 0
  return words.map((word) => {
    const from = start + ((end - start) * passed) / total
    passed += word.width
    const to = start + ((end - start) * passed) / total
    const { width, ...atom } = word
    const columns = width + (atom.spaced ? 1 : 0)
    return { ...atom, columns, start: from, end: to, ...(speaker ? { speaker } : {}) }
  })
}

/** Recognizers return rounded, overlapping and zero-length times. Every segment lasts at least a millisecond. */
const withoutOverlaps = (segments: Segment[]): Segment[] => {
  let clock = 0
  return segments.map(({ words = [], ...segment }, index) => {
    const next = segments[index + 1]?.start ?? Infinity
    const start = Math.max(clock, milliseconds(segment.start))
    const end = Math.max(milliseconds(start + MIN_SECONDS), milliseconds(Math.min(segment.end, next)))
    clock = end
    return withWordsWithin({ ...segment, start, end }, words)
  })
}

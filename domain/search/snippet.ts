import { wordSeam } from '../words/writing.ts'
import type { Phrase } from './query.ts'
import { type Token, tokensOf } from './tokens.ts'

/** Plain text for a list of results: the text around the first match. */
export interface Snippet {
  snippet: string
  /** What was found, in UTF-16 units of the snippet. They do not overlap. */
  matches: [offset: number, length: number][]
  /** Where the first match is in the whole text. */
  at: number
}

/** In UTF-16 units, as are all the places here. */
const LENGTH = 200
const BEFORE = 60
/** How much more is shown so that a cut is between words. */
const SLACK = 40

const CUT_BEFORE = '… '
const CUT_AFTER = ' …'

export const snippetOf = (text: string, wanted: readonly Phrase[], { isWhole }: { isWhole: boolean }): Snippet => {
  const tokens = tokensOf(text)
  const found = wanted.flatMap((phrase) => Array.from(rangesOf(phrase, tokens))).sort((a, b) => a.from - b.from)
  const first = found[0] ?? { from: 0, to: 0 }
  const shown = isWhole ? { from: 0, to: text.length } : rangeAround(first, text, tokens)
  const before = shown.from > 0 ? CUT_BEFORE : ''
  const after = shown.to < text.length ? CUT_AFTER : ''
  const inside = found
    .map((range) => (range === first ? { ...range, to: Math.min(range.to, shown.to) } : range))
    .filter(({ from, to }) => from >= shown.from && to <= shown.to)
  const moved = before.length - shown.from
  return {
    snippet: before + text.slice(shown.from, shown.to) + after,
    matches: merged(inside).map(({ from, to }) => [from + moved, to - from]),
    at: first.from,
  }
}

interface Range {
  from: number
  to: number
}

function* rangesOf({ tokens: phrase, isPrefix }: Phrase, tokens: readonly Token[]): Generator<Range> {
  const lastOfPhrase = phrase.length - 1
  const isAt = (index: number) =>
    phrase.every((wanted, place) => {
      const { text } = tokens[index + place] as Token
      return isPrefix && place === lastOfPhrase ? text.startsWith(wanted) : text === wanted
    })
  for (let index = 0; index + lastOfPhrase < tokens.length; index++) {
    if (isAt(index)) yield { from: (tokens[index] as Token).at, to: endOf(tokens[index + lastOfPhrase] as Token) }
  }
}

const endOf = ({ at, length }: Token): number => at + length

const merged = (sorted: readonly Range[]): Range[] => {
  const ranges: Range[] = []
  for (const { from, to } of sorted) {
    const previous = ranges.at(-1)
    if (previous !== undefined && from < previous.to) previous.to = Math.max(previous.to, to)
    else ranges.push({ from, to })
  }
  return ranges
}

/** The text to show, which has the whole match unless that is longer than a snippet. */
const rangeAround = (match: Range, text: string, tokens: readonly Token[]): Range => {
  if (text.length <= LENGTH) return { from: 0, to: text.length }
  const cuts = cutsIn(text, tokens)
  const from = startOf(Math.min(match.from - BEFORE, text.length - LENGTH), match, cuts)
  if (text.length - from <= LENGTH) return { from, to: text.length }
  const end = cutAtEnd(from + LENGTH, match, cuts) ?? wholeCharacters(text, from + LENGTH)
  return { from, to: from + text.slice(from, end).trimEnd().length }
}

/** Where text may be cut, in order: between words, and between tokens, as the two of "don't". */
interface Cuts {
  words: number[]
  tokens: number[]
}

const cutsIn = (text: string, tokens: readonly Token[]): Cuts => {
  const cuts: Cuts = { words: [], tokens: [] }
  for (const [index, token] of tokens.entries()) {
    const previous = tokens[index - 1]
    if (previous === undefined) continue
    cuts.tokens.push(token.at)
    const between = text.slice(endOf(previous), token.at)
    const space = between.lastIndexOf(' ')
    if (space !== -1) cuts.words.push(endOf(previous) + space + 1)
    else if (between === '' || wordSeam(previous.text, token.text) === '') cuts.words.push(token.at)
  }
  return cuts
}

const startOf = (ideal: number, match: Range, { words, tokens }: Cuts): number => {
  if (ideal <= 0) return 0
  const isBefore = (cut: number) => cut >= ideal && cut <= match.from
  return (
    words.find(isBefore) ??
    words.findLast((cut) => cut < ideal && cut >= ideal - SLACK) ??
    tokens.find(isBefore) ??
    match.from
  )
}

const cutAtEnd = (limit: number, match: Range, { words, tokens }: Cuts): number | undefined => {
  const least = match.to <= limit ? match.to : match.from + 1
  const isAfter = (cut: number) => cut >= least && cut <= limit
  return words.findLast(isAfter) ?? tokens.findLast(isAfter)
}

const wholeCharacters = (text: string, limit: number): number =>
  isFirstHalf.test(text.charAt(limit - 1)) ? limit - 1 : limit

const isFirstHalf = /[\uD800-\uDBFF]/

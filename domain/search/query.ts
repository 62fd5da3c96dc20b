import { tokensOf } from './tokens.ts'

/** Tokens in a row. */
export interface Phrase {
  tokens: string[]
  /** The last token is the start of a word. */
  isPrefix: boolean
}

export interface Query {
  /** Each of them is found. */
  wanted: Phrase[]
  /** None of them is found. */
  unwanted: Phrase[]
}

export const MAX_QUERY_CHARACTERS = 200
const MAX_WORDS = 20

/**
 * Reads `word`, `"a phrase"`, `word*`, `-word` and `-"a phrase"`. All else is text. A text is the problem, for "q: …".
 *
 *   multi-agent     the phrase "multi agent": a minus or a quote within a word only separates
 *   --force "draft  the words "force" and "draft": two minuses, and a quote that is not closed, mean nothing
 */
export const parseQuery = (q: string): Query | string => {
  const query: Query = { wanted: [], unwanted: [] }
  let words = 0
  for (const [written, minus, quoted, star = ''] of q.matchAll(parts)) {
    const isUnwanted = quoted === undefined ? isNegated.test(written) : minus === '-'
    const text = quoted ?? written
    const phrase = phraseOf(text, star === '*')
    if (phrase === null) continue
    words += wordsIn(text)
    if (isUnwanted) query.unwanted.push(phrase)
    else query.wanted.push(phrase)
  }
  if (words > MAX_WORDS) return `must have at most ${MAX_WORDS} words`
  return query.wanted.length === 0 ? 'must have a word to find, not only punctuation and -word' : query
}

const parts = /(-?)"([^"]*)"(\*?)|\S+/g
const isNegated = /^-[^-]/

/** A star means something only directly after a token. */
const phraseOf = (text: string, hasStar: boolean): Phrase | null => {
  const tokens = tokensOf(text)
  const last = tokens.at(-1)
  if (last === undefined) return null
  const isPrefix = hasStar || text.slice(last.at + last.length) === '*'
  return { tokens: tokens.map((token) => token.text), isPrefix }
}

const wordsIn = (text: string): number => text.split(/\s+/).filter((word) => tokensOf(word).length > 0).length

/**
 * The query in the syntax of SQLite's FTS5, for passages that have all the facts too. Everything is a string in quotes,
 * and tokens have no punctuation, so FTS5 reads no syntax of a caller's.
 */
export const matchOf = ({ wanted, unwanted }: Query, facts: readonly string[]): string => {
  const all = [...wanted.map(stringOf), ...facts.map((fact) => `"${fact}"`)].join(' AND ')
  return unwanted.length === 0 ? `(${all})` : `(${all}) NOT (${unwanted.map(stringOf).join(' OR ')})`
}

const stringOf = ({ tokens, isPrefix }: Phrase): string => `"${tokens.join(' ')}"${isPrefix ? ' *' : ''}`

/** What an `indexedText` contains once for each time that it has the phrase. */
export const patternOf = ({ tokens, isPrefix }: Phrase): string => ` ${tokens.join('  ')}${isPrefix ? '' : ' '}`

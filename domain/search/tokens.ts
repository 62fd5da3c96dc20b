import { wordPieces } from '../words/writing.ts'

/** What is searched for and found: a word, or one character of a script without spaces. */
export interface Token {
  /** In lower case and without accents. It has only letters, marks and digits. */
  text: string
  /** Where it is in the original text, in UTF-16 units. */
  at: number
  length: number
}

export const tokensOf = (text: string): Token[] => {
  const tokens: Token[] = []
  for (const { 0: letters, index } of text.matchAll(words)) {
    if (isAscii.test(letters)) {
      tokens.push({ text: letters.toLowerCase(), at: index, length: letters.length })
      continue
    }
    let at = index
    for (const piece of wordPieces(letters)) {
      const folded = fold(piece)
      if (folded !== '') tokens.push({ text: folded, at, length: piece.length })
      at += piece.length
    }
  }
  return tokens
}

/** Each token between spaces of its own, so that neighbours in a phrase do not share one: what SQLite indexes. */
export const indexedText = (tokens: readonly string[]): string => (tokens.length === 0 ? '' : ` ${tokens.join('  ')} `)

const words = /[\p{L}\p{M}\p{N}]+/gu
const isAscii = /^[0-9A-Za-z]*$/

/** Accents, Hebrew and Arabic vowels, the Arabic letter that only stretches a word, and selectors of a glyph. */
const accents =
  /[\u0300-\u036F\u1AB0-\u1AFF\u1DC0-\u1DFF\u20D0-\u20FF\uFE20-\uFE2F]|[\u0591-\u05C7]|[\u064B-\u065F]|\u0670|\u0640|\p{Variation_Selector}/gu
const notLetters = /[^\p{L}\p{M}\p{N}]/gu

/** Sorting the marks of one letter takes quadratic time, and a stranger may write any number of them. */
const foldedAtOnce = /.{1,100}/gsu

const fold = (letters: string): string =>
  letters.length <= 100 ? foldedPart(letters) : (letters.match(foldedAtOnce) ?? []).map(foldedPart).join('')

/** NFKD may write a letter as several characters with spaces or punctuation: "½", "⑴". */
const foldedPart = (letters: string): string =>
  inLowerCase(letters.normalize('NFKD').replace(accents, '').normalize('NFC')).replace(notLetters, '')

/** By way of upper case "ß" becomes "ss", for which "ẞ" has to be in lower case first. */
const inLowerCase = (text: string): string => text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ')

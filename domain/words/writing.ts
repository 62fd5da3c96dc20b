import { grouped } from './runs.ts'

/**
 * Rules of writing systems: which ones use no spaces, how wide a character is, where text may be broken.
 * Every pattern is one character class or a repetition of one, so that no input causes backtracking.
 */

const cjk = '\\p{Script=Han}\\p{Script=Hiragana}\\p{Script=Katakana}\\p{Script=Bopomofo}\\u30FC'
const cjkPunctuation = '\\u3000-\\u303F\\uFF00-\\uFF65'
const southEastAsian = '\\p{Script=Thai}\\p{Script=Lao}\\p{Script=Khmer}\\p{Script=Myanmar}'

/** Letters, marks and digits without the punctuation. U+FF70 is the halfwidth form of U+30FC. */
const spacelessCharacter = `[${cjk}\\uFF70${southEastAsian}]`
const anyOther = `[^${cjk}\\uFF70${southEastAsian}]`
/** The voiced sounds of halfwidth Katakana are marks too, by what they mean. */
const wordPiece = new RegExp(`${spacelessCharacter}[\\p{M}\\uFF9E\\uFF9F]*|${anyOther}+`, 'gu')

const isCjk = new RegExp(`[${cjk}${cjkPunctuation}]`, 'u')
const isCjkPunctuation = new RegExp(`[${cjkPunctuation}]`, 'u')
const isSpaceless = new RegExp(`[${cjk}${cjkPunctuation}${southEastAsian}]`, 'u')
const isWide = new RegExp(`[${cjk}${cjkPunctuation}\\p{Script=Hangul}\\p{Emoji_Presentation}]`, 'u')
const isWidthless = /[\p{M}\p{Cf}]/u
const isNarrowText = /^[\u0020-\u02FF]*$/

const opens = /[\p{Ps}\p{Pi}]$/u
const isPunctuation = /^[\p{Pe}\p{Pf}\p{Po}\u30FC]+$/u
const sentenceEnd = /[.!?…。！？｡؟।]["'”’»)\]」』）]*$/u
const clauseEnd = /[,;:–—、，；：،]["'”’»)\]」』）]*$/u
const initials = /^(?:\p{L}\.)+$/u
const titles = new Set(['mr.', 'mrs.', 'ms.', 'dr.', 'prof.', 'st.', 'vs.', 'no.'])

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
const dictionary = new Intl.Segmenter(undefined, { granularity: 'word' })

export const collapse = (text: string) => text.replace(/\s+/g, ' ').trim()

const firstCharacter = (text: string) => String.fromCodePoint(text.codePointAt(0) ?? 32)

const lastCharacter = (text: string) => {
  const low = text.charCodeAt(text.length - 1)
  return low >= 0xdc00 && low <= 0xdfff ? text.slice(-2) : text.slice(-1)
}

/** Scripts without spaces start here. For most text, `seam` needs only this comparison. */
const firstSpaceless = 0x0e00

/** The separator of two texts: none within Chinese and Japanese, else a space. */
export const seam = (before: string, after: string): '' | ' ' => {
  if (before.charCodeAt(before.length - 1) < firstSpaceless && after.charCodeAt(0) < firstSpaceless) return ' '
  const [last, first] = [lastCharacter(before), firstCharacter(after)]
  if (isCjkPunctuation.test(last) || isCjkPunctuation.test(first)) return ''
  return isCjk.test(last) && isCjk.test(first) ? '' : ' '
}

/** The separator of two words. Thai, Lao, Khmer and Burmese do not separate these either. */
export const wordSeam = (before: string, after: string): '' | ' ' =>
  isSpaceless.test(lastCharacter(before)) && isSpaceless.test(firstCharacter(after)) ? '' : seam(before, after)

const hasSpaceless = /[\u0E00-\uFFFF]/

/** Splits letters, marks and digits: each character of scripts without spaces with its marks, and what is between them. */
export const wordPieces = (letters: string): string[] =>
  hasSpaceless.test(letters) ? (letters.match(wordPiece) ?? []) : [letters]

export const join = (pieces: Iterable<string>): string => {
  const out: string[] = []
  let previous = ''
  for (const piece of pieces) {
    if (piece === '') continue
    if (previous !== '') out.push(seam(previous, piece))
    out.push(piece)
    previous = piece
  }
  return out.join('')
}

/** Columns on a screen: two for a Chinese character or an emoji, none for a combining accent. */
export const width = (text: string): number => {
  if (isNarrowText.test(text)) return text.length
  let columns = 0
  for (const character of text) columns += isWidthless.test(character) ? 0 : isWide.test(character) ? 2 : 1
  return columns
}

export const pauseAfter = (word: string, next: string): 'sentence' | 'clause' | 'none' => {
  if (clauseEnd.test(word)) return 'clause'
  if (!sentenceEnd.test(word) || /^\p{Ll}/u.test(next)) return 'none'
  return titles.has(word.toLowerCase()) || initials.test(word) ? 'none' : 'sentence'
}

export const isOnlyPunctuation = (text: string) => isPunctuation.test(text)

/** Text that must not be broken. */
export interface Atom {
  text: string
  spaced: boolean
  width: number
}

export const textOf = (pieces: Pick<Atom, 'text' | 'spaced'>[]): string =>
  pieces.map(({ text, spaced }, index) => (index > 0 && spaced ? ' ' : '') + text).join('')

/** Splits collapsed text into atoms no wider than `widest`: words, found by a dictionary in scripts without spaces. */
export const atoms = (text: string, widest: number): Atom[] =>
  text.split(' ').flatMap((word) => {
    // Nearly every word of most languages.
    if (word.length <= widest && isNarrowText.test(word)) return { text: word, spaced: true, width: word.length }
    const pieces = isSpaceless.test(word) ? dictionaryWords(word) : [word]
    return withoutWidthless(
      pieces
        .flatMap((piece) => (width(piece) > widest ? splitByWidth(piece, widest) : [piece]))
        .map((piece, index) => ({ text: piece, spaced: index === 0, width: width(piece) })),
    )
  })

const withoutWidthless = (pieces: Atom[]): Atom[] =>
  grouped(pieces, (_, piece) => piece.width === 0).map((group) => ({
    ...(group[0] as Atom),
    text: group.map(({ text }) => text).join(''),
  }))

/** Closing punctuation belongs to the word before it, opening punctuation to the word after it. */
const dictionaryWords = (text: string): string[] => {
  const segments = Array.from(dictionary.segment(text), ({ segment }) => segment)
  const isSameWord = (previous: string, segment: string) => isPunctuation.test(segment) || opens.test(previous)
  return grouped(segments, isSameWord).map((parts) => parts.join(''))
}

const splitByWidth = (text: string, widest: number): string[] => {
  const pieces = ['']
  let used = 0
  for (const { segment } of graphemes.segment(text)) {
    const columns = width(segment)
    const isNew = used + columns > widest && pieces.at(-1) !== ''
    if (isNew) pieces.push('')
    pieces[pieces.length - 1] += segment
    used = (isNew ? 0 : used) + columns
  }
  return pieces
}

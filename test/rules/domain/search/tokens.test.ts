import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { indexedText, tokensOf } from '../../../../domain/search/tokens.ts'
import { runs } from '../../../support/runs.ts'

const texts = (text: string): string[] => tokensOf(text).map((token) => token.text)

/** Of all scripts, with much of what is folded, joined or left out. */
const anyText = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 4 }),
      fc.string({ unit: 'grapheme', maxLength: 6 }),
      fc.constantFrom(
        'a',
        'É',
        ' ',
        "'",
        '"',
        '-',
        '\0',
        'ß',
        'ς',
        'ﬁ',
        '½',
        'が',
        'ｶﾞ',
        '学',
        'นำ',
        'י',
        '\u05B0',
        '\uD83D',
      ),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''))

describe('text becomes tokens', () => {
  test.each([
    ['words in any case', 'The LEASE expires', ['the', 'lease', 'expires']],
    ['punctuation separates', "don't multi-agent a:b NEAR(x)", ['don', 't', 'multi', 'agent', 'a', 'b', 'near', 'x']],
    ['digits are words', '3.14 in 2026', ['3', '14', 'in', '2026']],
    ['markup is text', '<script>', ['script']],
    ['only punctuation', '… — “”!', []],
    ['no text', '', []],
    ['emoji are punctuation, with what selects their glyph', '❤️ ok 👩‍💻', ['ok']],
    ['half of a character', 'a\uD83D b', ['a', 'b']],
  ])('%s', (_, text, expected) => expect(texts(text)).toEqual(expected))

  test.each([
    ['accents', 'Élève naïve Ångström', ['eleve', 'naive', 'angstrom']],
    ['accents that are characters of their own', 'E\u0301le\u0300ve', ['eleve']],
    ['the German letter, in each case', 'Straße STRASSE STRAẞE', ['strasse', 'strasse', 'strasse']],
    ['the Turkish letters', 'İzmir IĞDIR ığdır', ['izmir', 'igdir', 'igdir']],
    ['the Greek letter at the end of a word', 'ΟΔΟΣ οδός', ['οδοσ', 'οδοσ']],
    ['Cyrillic', 'Ёлка й', ['елка', 'и']],
    ['letters that are printed as one', 'ﬁx', ['fix']],
    ['letters of full width', 'ＡＢＣ１', ['abc1']],
    ['Arabic without vowels, and without stretching', 'مُحَمَّد محـمد أحمد', ['محمد', 'محمد', 'احمد']],
    ['Hebrew without points', 'שָׁלוֹם', ['שלום']],
    ['a fraction', '½', ['12']],
    ['numbers in parentheses', '⑴⒈', ['11']],
    ['words that are printed as one character', 'ﷺ', ['صلىاللهعليهوسلم']],
    ['selectors of a glyph', '葛\u{E0100}城', ['葛', '城']],
    ['an accent alone', 'a \u0301 b', ['a', 'b']],
    ['Korean', '학교에 \u1112\u1161\u11A8교', ['학교에', '학교']],
    ['Hindi keeps its vowels', 'हिन्दी', ['हिन्दी']],
  ])('%s', (_, text, expected) => expect(texts(text)).toEqual(expected.map((token) => token.normalize('NFC'))))

  test.each([
    ['Chinese', '我們去學校。', ['我', '們', '去', '學', '校']],
    ['Chinese beyond the first plane', '𠮷野', ['𠮷', '野']],
    ['Japanese', 'ラーメンが', ['ラ', 'ー', 'メ', 'ン', 'が']],
    ['a sound is not its voiced sound', 'か\u3099か', ['が', 'か']],
    ['Katakana of half width', 'ｶﾞﾗｰ', ['ガ', 'ラ', 'ー']],
    ['Thai with the marks of each letter', 'ครับดี', ['ค', 'รั', 'บ', 'ดี']],
    ['Lao', 'ດີ', ['ດີ']],
    ['Khmer', 'ខ្មែរ', ['ខ្', 'មែ', 'រ']],
    ['Burmese', 'မြန်မာ', ['မြ', 'န်', 'မာ']],
    ['Latin words and numbers inside', '用iPhone15拍照', ['用', 'iphone15', '拍', '照']],
  ])('one for each character of %s', (_, text, expected) => expect(texts(text)).toEqual(expected))

  test.each([
    ['a word of any length', `a${'É'.repeat(1_000)}`, `a${'e'.repeat(1_000)}`],
    ['characters of two units', `a${'𐐀'.repeat(1_000)}`, `a${'𐐨'.repeat(1_000)}`],
    ['any number of accents', `a${'\u0301\u0323'.repeat(1_000)}b`, 'ab'],
  ])('%s', (_, text, expected) => expect(texts(text)).toEqual([expected]))

  test('a token is at its place in the original text', () =>
    expect(tokensOf('Été: “Straße” 𠮷ﬁ')).toEqual([
      { text: 'ete', at: 0, length: 3 },
      { text: 'strasse', at: 6, length: 6 },
      { text: '𠮷', at: 14, length: 2 },
      { text: 'fi', at: 16, length: 1 },
    ]))
})

test('each token stands between spaces of its own', () => {
  expect(indexedText(['the', 'lease'])).toBe(' the  lease ')
  expect(indexedText([])).toBe('')
})

test('every token is that of its place in the text', () => {
  fc.assert(
    fc.property(anyText, (text) => {
      let end = 0
      for (const token of tokensOf(text)) {
        expect(token.at).toBeGreaterThanOrEqual(end)
        end = token.at + token.length
        expect(tokensOf(text.slice(token.at, end))).toEqual([{ ...token, at: 0 }])
      }
    }),
    runs(3_000),
  )
})

test('a token has only letters, marks and digits, whatever the character', () => {
  const wrong: string[] = []
  for (let point = 0; point <= 0x10ffff; point++) {
    for (const { text } of tokensOf(String.fromCodePoint(point))) {
      if (!/^[\p{L}\p{M}\p{N}]+$/u.test(text) || /[A-Z]/.test(text)) wrong.push(`U+${point.toString(16)}: ${text}`)
    }
  }
  expect(wrong).toEqual([])
})

test('a character is found in upper and in lower case', () => {
  const differs: string[] = []
  for (let point = 0; point <= 0x10ffff; point++) {
    const character = String.fromCodePoint(point)
    const cases = [character, character.toUpperCase(), character.toLowerCase()].filter((each) => /^\p{L}$/u.test(each))
    if (new Set(cases.map((each) => texts(each).join())).size > 1) differs.push(character)
  }
  expect(differs).toEqual([])
})

test('SQLite reads the tokens that were written, and no others', () => {
  const database = new DatabaseSync(':memory:')
  database.exec("CREATE VIRTUAL TABLE ft USING fts5(tokens, tokenize='ascii', prefix='1 2 3')")
  database.exec("CREATE VIRTUAL TABLE seen USING fts5vocab(ft, 'instance')")
  const insert = database.prepare('INSERT INTO ft(rowid, tokens) VALUES (?, ?)')
  const written: string[][] = []
  fc.assert(
    fc.property(anyText, (text) => {
      written.push(texts(text))
      insert.run(written.length, indexedText(texts(text)))
    }),
    runs(2_000),
  )
  const read: string[][] = written.map(() => [])
  for (const { term, doc } of database.prepare('SELECT term, doc FROM seen ORDER BY doc, offset').all()) {
    read[Number(doc) - 1]?.push(String(term))
  }
  database.close()
  expect(read).toEqual(written)
})

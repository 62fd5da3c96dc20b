import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { matchOf, type Phrase, parseQuery, patternOf, type Query } from '../../../../domain/search/query.ts'
import { indexedText, tokensOf } from '../../../../domain/search/tokens.ts'
import { runs } from '../../../support/runs.ts'

const read = (q: string): Query => {
  const query = parseQuery(q)
  if (typeof query === 'string') throw new Error(query)
  return query
}

/** As in `a b` and `a b*`. */
const written = ({ tokens, isPrefix }: Phrase) => tokens.join(' ') + (isPrefix ? '*' : '')

describe('what is written is read as', () => {
  test.each<[string, string, string[], string[]]>([
    ['words', 'The lease', ['the', 'lease'], []],
    ['a phrase', '"the lease" ends', ['the lease', 'ends'], []],
    ['the start of a word', 'leas*', ['leas*'], []],
    ['the start of the last word of a phrase', '"the leas*" "to a*', ['the leas*', 'to', 'a*'], []],
    ['a phrase with a star', '"the leas"*', ['the leas*'], []],
    ['the start of the last of several tokens', 'multi-ag*', ['multi ag*'], []],
    ['what is not wanted', 'lease -car -"new house" -hou*', ['lease'], ['car', 'new house', 'hou*']],
    ['a minus before text with punctuation', 'lease -a:b -#tag', ['lease'], ['a b', 'tag']],
    ['a minus within a word', 'multi-agent', ['multi agent'], []],
    ['two minuses', '--force', ['force'], []],
    ['a minus after a word', 'a- b', ['a', 'b'], []],
    ['an apostrophe', "don't", ['don t'], []],
    ['a colon', 'a:b', ['a b'], []],
    ['operators of SQLite', 'NEAR(a b, 5) AND OR NOT x', ['near a', 'b', '5', 'and', 'or', 'not', 'x'], []],
    ['columns and carets of SQLite', '^a {tokens}:b + c', ['a', 'tokens b', 'c'], []],
    ['a quote that is not closed', '"the lease', ['the', 'lease'], []],
    ['a minus before a quote that is not closed', 'x -"the lease', ['x', 'lease'], ['the']],
    ['a quote within a word', '5"disk 3" b', ['5 disk', '3', 'b'], []],
    ['quotes without a word', '"" "…" a', ['a'], []],
    ['phrases without spaces between them', '"a b""c d"-"e f"', ['a b', 'c d'], ['e f']],
    ['a star alone', 'a * **', ['a'], []],
    ['a minus alone', 'a - b', ['a', 'b'], []],
    ['stars that are markup', '**bold** .*', ['bold'], []],
    ['a star within a word', 'a*b', ['a b'], []],
    ['a star after an accent alone', 'a.\u0301*', ['a'], []],
    ['Chinese', '學校', ['學 校'], []],
    ['Chinese and the start of its last character', '學校*', ['學 校*'], []],
    ['spaces of every kind', ' a\u3000b\tc\n', ['a', 'b', 'c'], []],
    ['zero bytes', 'a\0b', ['a b'], []],
  ])('%s', (_, q, wanted, unwanted) => {
    const query = read(q)
    expect({ wanted: query.wanted.map(written), unwanted: query.unwanted.map(written) }).toEqual({ wanted, unwanted })
  })
})

const words = (count: number) => Array.from({ length: count }, (_, index) => `w${index}`).join(' ')

describe('a query is refused', () => {
  test.each([
    ['nothing', ''],
    ['punctuation alone', '… - * "'],
    ['emoji alone', '❤️'],
    ['unwanted words alone', '-a -"b c"'],
  ])('with %s', (_, q) => expect(parseQuery(q)).toBe('must have a word to find, not only punctuation and -word'))

  test.each([
    ['words', words(21)],
    ['words in quotes', `"${words(21)}"`],
    ['words of which some are unwanted', `${words(20)} -x`],
  ])('with 21 %s', (_, q) => expect(parseQuery(q)).toBe('must have at most 20 words'))

  test.each([
    ['20 words', words(20)],
    ['20 words and punctuation', `${words(20)} - * "" …`],
    ['one word of many tokens', Array.from({ length: 60 }, () => 'a').join('-')],
    ['many Chinese characters', '學校'.repeat(100)],
  ])('but not with %s', (_, q) => expect(typeof parseQuery(q)).toBe('object'))
})

describe('a query in the syntax of SQLite', () => {
  test.each([
    ['words', 'a b', [], '("a" AND "b")'],
    ['facts', '"a b" c*', ['\uE000a1'], '("a b" AND "c" * AND "\uE000a1")'],
    ['unwanted words', 'a -x -y*', ['\uE000a1'], '("a" AND "\uE000a1") NOT ("x" OR "y" *)'],
  ])('has %s', (_, q, facts, expected) => expect(matchOf(read(q), facts)).toBe(expected))
})

const occurrences = (text: string, pattern: string) => text.split(pattern).length - 1

describe('an indexed text has the pattern', () => {
  test.each([
    ['of a word, once for each', 'the', 'the the theory of the', 3],
    ['of a phrase', '"the lease"', 'The lease! Not the leases, but the lease.', 2],
    ['of a start', 'leas*', 'lease leasing release', 2],
    ['of a phrase and a start', '"the leas*"', 'the leases of the old lease', 1],
    ['of Chinese', '學校', '我們的學校。學校', 2],
  ])('%s', (_, q, text, count) => {
    const [phrase] = read(q).wanted
    const indexed = indexedText(tokensOf(text).map((token) => token.text))
    expect(occurrences(indexed, patternOf(phrase as Phrase))).toBe(count)
  })
})

const pieces = [
  ...[
    '"',
    '"',
    '"',
    '-',
    '*',
    ' ',
    ' ',
    "'",
    '(',
    ')',
    ':',
    '^',
    '+',
    ',',
    '{',
    '}',
    '\\',
    ';',
    '\0',
    '\uE000',
    '%',
    '?',
  ],
  ...[
    'AND',
    'OR',
    'NOT',
    'NEAR',
    'NEAR(',
    'tokens:',
    'a',
    'be',
    'éa',
    '學',
    '\u0301',
    '½',
    '\uD83D',
    '❤️',
    'ﷺ',
    '\u2028',
  ],
]
const anyQuery = fc
  .array(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: 'binary', maxLength: 3 })), {
    maxLength: 16,
  })
  .map((parts) => parts.join(''))

test('no text is an error of syntax', () => {
  const database = new DatabaseSync(':memory:')
  database.exec("CREATE VIRTUAL TABLE ft USING fts5(tokens, tokenize='ascii', prefix='1 2 3')")
  database.prepare('INSERT INTO ft(tokens) VALUES (?)').run(indexedText(['a', 'be', 'ea', '\uE000f1']))
  const find = database.prepare('SELECT rowid FROM ft WHERE ft MATCH ?')
  let [refused, found] = [0, 0]
  fc.assert(
    fc.property(anyQuery, fc.boolean(), (q, hasFact) => {
      const query = parseQuery(q)
      if (typeof query === 'string') refused++
      else found += find.all(matchOf(query, hasFact ? ['\uE000f1'] : [])).length
    }),
    runs(100_000),
  )
  database.close()
  // Both kinds were among them.
  expect(refused).toBeGreaterThan(1_000)
  expect(found).toBeGreaterThan(1_000)
})

test('a query finds the text that it is made of', () => {
  const database = new DatabaseSync(':memory:')
  database.exec("CREATE VIRTUAL TABLE ft USING fts5(tokens, tokenize='ascii', prefix='1 2 3')")
  const insert = database.prepare('INSERT INTO ft(rowid, tokens) VALUES (1, ?)')
  const find = database.prepare('SELECT rowid FROM ft WHERE ft MATCH ?')
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 20 }), (text) => {
      const query = parseQuery(`"${text.replaceAll('"', ' ').slice(0, 200)}"`)
      if (typeof query === 'string') return
      insert.run(indexedText(tokensOf(`so ${text} it is`).map((token) => token.text)))
      expect(find.all(matchOf(query, []))).toHaveLength(1)
      database.exec('DELETE FROM ft')
    }),
    runs(1_000),
  )
  database.close()
})

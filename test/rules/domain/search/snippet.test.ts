import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Phrase, parseQuery } from '../../../../domain/search/query.ts'
import { type Snippet, snippetOf } from '../../../../domain/search/snippet.ts'
import { tokensOf } from '../../../../domain/search/tokens.ts'
import { runs } from '../../../support/runs.ts'

const wanted = (q: string): Phrase[] => {
  const query = parseQuery(q)
  if (typeof query === 'string') throw new Error(query)
  return query.wanted
}

const snippet = (text: string, q: string, isWhole = false): Snippet => snippetOf(text, wanted(q), { isWhole })

/** As in `the [lease] ends`. */
const marked = ({ snippet: text, matches }: Snippet): string =>
  matches.reduceRight(
    (out, [at, length]) => `${out.slice(0, at)}[${out.slice(at, at + length)}]${out.slice(at + length)}`,
    text,
  )

describe('in a short text', () => {
  test.each([
    ['a word', 'The lease ends.', 'LEASE', 'The [lease] ends.'],
    ['a word with an accent', 'Un élève.', 'eleve', 'Un [élève].'],
    ['each word, each time', 'An end to the end of the lease.', 'lease end', 'An [end] to the [end] of the [lease].'],
    ['a phrase with its punctuation', "I don't — don't!", "don't", "I [don't] — [don't]!"],
    ['no part of a word', 'Please release the lease.', 'lease', 'Please release the [lease].'],
    ['the whole word of its start', 'Leasing a leasehold.', 'leas*', '[Leasing] a [leasehold].'],
    ['phrases that overlap, as one', 'a b c d', '"a b" "b c"', '[a b c] d'],
    ['a phrase that overlaps itself', 'a a a b', '"a a"', '[a a a] b'],
    ['a phrase within another', 'a b c d', '"a b c" b', '[a b c] d'],
    ['phrases that only touch, apart', '學校', '學 校', '[學][校]'],
    ['Chinese', '我們的學校很大', '學校', '我們的[學校]很大'],
    ['characters of two units', '𠮷野𠮷', '𠮷', '[𠮷]野[𠮷]'],
    ['markup, as text', '<script>alert(1)</script>', 'script', '<[script]>alert(1)</[script]>'],
    ['nothing', 'The lease ends.', 'rent', 'The lease ends.'],
  ])('%s is marked', (_, text, q, expected) => expect(marked(snippet(text, q))).toBe(expected))
})

describe('a long text', () => {
  const before = 'some words that come before it and '.repeat(10)
  const after = ' and some words that come after'.repeat(10)

  test('is cut between words, around the first match', () => {
    const found = snippet(`${before}the “lease” ends${after}`, 'lease')
    expect(found.at).toBe(before.length + 5)
    expect(marked(found)).toBe(
      '… come before it and some words that come before it and the “[lease]” ends and some words that come after and some words that come after and some words that come after and some words that come after and …',
    )
  })

  test('is cut at its end alone when the match is near the beginning', () => {
    const found = marked(snippet(`The lease ends${after}`, 'lease'))
    expect(found).toMatch(/^The \[lease\] ends and .* …$/)
  })

  test('is cut at its beginning alone when the match is near the end, and shows as much', () => {
    const found = snippet(`${before}the lease`, 'lease')
    expect(marked(found)).toMatch(/^… .* the \[lease\]$/)
    expect(found.snippet.length).toBeGreaterThan(190)
  })

  test('is not cut within a word that has punctuation', () => {
    const text = `${"don't won't can't ".repeat(20)}lease${" don't won't can't".repeat(20)}`
    const { snippet: shown } = snippet(text, 'lease')
    expect(shown).toMatch(/^… (?:don't|won't|can't) /)
    expect(shown).toMatch(/ (?:don't|won't|can't) …$/)
  })

  test('shows the word that has the match, if that has punctuation', () =>
    expect(marked(snippet(`${before}${'x-'.repeat(35)}lease-${'x-'.repeat(40)}${after}`, 'lease'))).toMatch(
      /^… (?:\w+ )*(?:x-){35}\[lease\]-/,
    ))

  test('marks all matches that it shows, and no others', () => {
    const found = marked(snippet('the lease and a word or two '.repeat(100), 'lease'))
    expect(found.match(/\[lease\]/g)).toHaveLength(found.match(/lease/g)?.length ?? 0)
  })

  test('of Chinese is cut between characters', () => {
    const found = snippet(`${'他今天去了'.repeat(60)}學校${'他今天去了'.repeat(60)}`, '學校')
    expect(marked(found)).toMatch(/^… [他今天去了]{60}\[學校\][他今天去了]{138} …$/)
  })

  test('without anything that is found shows its beginning', () => {
    const found = snippet(`Begin${after}`, 'rent')
    expect(found).toMatchObject({ matches: [], at: 0 })
    expect(found.snippet).toMatch(/^Begin and .* …$/)
  })

  test('that is a title is shown whole', () => {
    const title = `${before}the lease${after}`
    expect(snippet(title, 'lease', true)).toEqual({
      snippet: title,
      matches: [[before.length + 4, 5]],
      at: before.length + 4,
    })
  })
})

describe('of a text that has no place to be cut', () => {
  test.each([
    ['a word of 5,000 letters', 'a'.repeat(5_000), 'a*', /^\[a{200}\] …$/],
    ['a word after 5,000 emoji', `${'👍'.repeat(5_000)}ok`, 'ok', /^… \[ok\]$/],
    ['a word before 5,000 emoji', `ok${'👍'.repeat(5_000)}`, 'ok', /^\[ok\](?:👍){99} …$/u],
    ['a word and half an emoji', `okk${'👍'.repeat(5_000)}`, 'okk', /^\[okk\](?:👍){98} …$/u],
    ['a phrase with 5,000 dots', `a${'.'.repeat(5_000)}b`, '"a b"', /^\[a\.{199}\] …$/],
    ['many tokens without spaces', 'ab.'.repeat(1_000), '"ab ab"', /^\[(?:ab\.){65}ab\]\. …$/],
  ])('%s, about as much is shown', (_, text, q, expected) => {
    const found = marked(snippet(text, q))
    expect(found).toMatch(expected)
  })
})

const anyPart = fc.oneof(
  fc.constantFrom(
    'the lease',
    "don't",
    ' ',
    ' ',
    ', ',
    '學校',
    '𠮷',
    'Élève',
    '👍',
    'ｶﾞ',
    'ครับ',
    '“',
    'multi-agent',
    'ß',
  ),
  fc.string({ unit: 'grapheme', maxLength: 8 }),
)
const anyText = fc
  .array(anyPart, { minLength: 1, maxLength: 120, size: 'max' })
  .map((parts) => parts.join('').replace(/\s+/g, ' ').trim())

test('matches are what was wanted, the first one included, in a snippet of limited length', () => {
  const searched = ['lease', '"the lease"', "don't", '學校', '學', 'elev*', 'ガ', 'รั', 'ss', '"agent the"', 'l*']
  let cut = 0
  fc.assert(
    fc.property(anyText, fc.constantFrom(...searched), fc.boolean(), (text, q, isWhole) => {
      const [phrase] = wanted(q) as [Phrase]
      const { snippet: shown, matches, at } = snippet(text, q, isWhole)
      const count = phrase.tokens.length
      const last = phrase.tokens[count - 1] as string
      for (const [offset, length] of matches) {
        const tokens = tokensOf(shown.slice(offset, offset + length)).map((token) => token.text)
        expect(tokens.slice(0, count - 1)).toEqual(phrase.tokens.slice(0, -1))
        expect(tokens.length).toBe(count)
        expect(phrase.isPrefix ? tokens[count - 1]?.startsWith(last) : tokens[count - 1] === last).toBe(true)
      }
      const isCutBefore = shown.startsWith('… ') && !text.startsWith('… ')
      if (matches[0] !== undefined) expect(text.slice(at, at + matches[0][1])).toBe(shown.substr(...matches[0]))
      expect(shown.isWellFormed()).toBe(true)
      if (isWhole) expect(shown).toBe(text)
      else expect(shown.length).toBeLessThanOrEqual(204)
      if (isCutBefore) cut++
    }),
    runs(1_000),
  )
  expect(cut).toBeGreaterThan(100)
})

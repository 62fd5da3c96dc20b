import { expect, test } from 'vitest'
import { hasOnlyWordsOf, keywordsWithin, promptOf, tokensOf } from '../../../../worker/speech/vocabulary-text.ts'

const names = Array.from({ length: 100 }, (_, index) => `Quornby${index}`)

test.each([
  [{ prompt: 'A talk about engines.', keywords: [] }, 'A talk about engines.'],
  [{ prompt: null, keywords: ['Quornby', 'Haldane Thorsvik'] }, 'Quornby, Haldane Thorsvik.'],
  [{ prompt: 'A talk about engines.', keywords: ['Quornby'] }, 'A talk about engines. Quornby.'],
])('%o becomes one text', (vocabulary, text) => expect(promptOf(vocabulary)).toBe(text))

test('keywords that do not fit are left out, the last ones first and none in part', () => {
  const kept = promptOf({ prompt: null, keywords: names }).slice(0, -1).split(', ')
  expect(kept).toEqual(names.slice(0, kept.length))
  expect(kept.length).toBeGreaterThan(30)
  expect(kept.length).toBeLessThan(50)
})

test('a long prompt takes half of the room from the keywords, a short one what it needs', () => {
  const count = (prompt: string) => promptOf({ prompt, keywords: names }).split('Quornby').length - 1
  const [none, short, long] = [count(''), count('A talk about engines.'), count('A talk about engines. '.repeat(45))]
  expect(short).toBeLessThan(none)
  expect(long).toBeLessThan(short)
  expect(long).toBeGreaterThanOrEqual(Math.floor(none / 2) - 1)
})

test.each([
  ['no keywords', [], 10, 0],
  ['all that fit', ['one', 'two'], 6, 2],
  ['the first ones', ['one', 'two', 'I'], 5, 1],
])('%s are kept', (_, keywords, tokens, count) => expect(keywordsWithin(keywords, tokens)).toHaveLength(count))

test.each([
  ['Quornby', 4],
  ['Москва', 6],
  ['東京', 4],
  ['', 0],
])('"%s" has at most %i tokens', (text, tokens) => expect(tokensOf(text)).toBe(tokens))

const vocabulary = { prompt: 'Today Doctor Okonkwo talks. 今日は東京から', keywords: ['Quornby', 'Haldane Thorsvik'] }

test.each([
  ['Quornby, Quornby,', true],
  ['thorsvik haldane', true],
  ['Doctor Okonkwo talks.', true],
  ['東京から', true],
  ['...', true],
  ['Quornby is a town.', false],
  ['大阪から', false],
])('"%s" has only words of the vocabulary: %s', (text, expected) => {
  expect(hasOnlyWordsOf(vocabulary, text)).toBe(expected)
})

import fc from 'fast-check'
import { describe, test } from 'vitest'
import { inOrder, partsOf, type Segment } from '../../../../../domain/words/segment.ts'
import { readableSegments, sentences, splitLong, type Word } from '../../../../../domain/words/sentences.ts'
import { storedTranscript } from '../../../../../domain/words/transcript-body.ts'
import { withWords } from '../../../../../domain/words/words-in-text.ts'
import { atoms, join } from '../../../../../domain/words/writing.ts'
import { runs } from '../../../../support/runs.ts'
import { type Budget, countGrowsLinearly, repeat, textOf, within } from '../../hostile-input.ts'

/** Segments follow each other. */
const check = (segments: Segment[]): void => {
  let clock = 0
  for (const { start, end, text } of segments) {
    if (!(start >= clock && end > start) || text === '') throw new Error(`${start} to ${end} after ${clock}: ${text}`)
    clock = end
  }
}

const lengthOf = (items: { text: string }[]): number => items.reduce((sum, { text }) => sum + text.length + 1, 0)

/** Text of which a word, a line or a sentence never ends, or which has no width. */
const suspects: Record<string, string> = {
  words: 'word ',
  'words in Latin without spaces': 'word',
  'Chinese characters': '今日は',
  'Thai words': 'ภาษาไทย',
  'Burmese words': 'မြန်မာဘာသာ',
  'combining accents': '\u0301',
  'combining accents on Thai': 'ก\u0e49',
  'characters of no width': '\u200d',
  'characters of no width after Thai': 'ไ\u2060\u200b',
  'words of no width': '\u200d ',
  'accents as words': '\u0301 ',
  'Arabic marks': '\u061c\u064b',
  emojis: '👩\u200d👧',
  flags: '🇩',
  'opening brackets': '«',
  'opening brackets after Chinese': '今「',
  'closing brackets': '。」',
  dots: '.',
  'initials in one word': 'A.',
  sentences: 'A b. ',
  clauses: 'a, ',
  'long vowels': 'ー',
  'control characters': 'a\0',
  'halves of surrogate pairs': '\ud800',
}

/** The text of a caption has at most 10,000 characters. */
const characters = 2_048

const bodyBytes = (segments: Segment[]): number => storedTranscript(segments).body.byteLength
const letters = (text: string, timeOf: (index: number) => number): Segment[] =>
  Array.from(text, (letter, index) => ({ start: timeOf(index), end: timeOf(index) + 5, text: letter }))

const writers: Record<string, (text: string) => unknown> = {
  'the words of a line': (text) => atoms(text, 42),
  'one text': (text) => join([text]),
  'the parts of a segment': (text) => [...partsOf({ start: 0, end: 9, text })],
  'a stored segment': (text) => bodyBytes([{ start: 0, end: 9, text }]),
  'stored letters at the same time': (text) => bodyBytes(letters(text, () => 1)),
  'stored letters that overlap': (text) => bodyBytes(letters(text, (index) => index / 20)),
}

describe.each(Object.entries(writers))('%s', (_, write) => {
  test.each(Object.entries(suspects))('of %s: twice as many take twice as long', (_title, piece) => {
    countGrowsLinearly((count) => repeat(piece, count), Math.ceil(512 / piece.length), write)
  })
})

const readers: Record<string, (text: string) => Segment[]> = {
  'one segment of an hour': (text) => splitLong([{ start: 0, end: 3_600, text }]),
  'one segment of a second': (text) => splitLong([{ start: 0, end: 1, text }]),
  'a word for each character': (text) =>
    sentences(Array.from(text, (character, index): Word => ({ text: character, start: index, end: index + 1 }))),
  'a word for each character, at the same time': (text) =>
    sentences(Array.from(text, (character): Word => ({ text: character, start: 1, end: 1 }))),
  'a word for each word, at the same time': (text) =>
    sentences(text.split(' ').map((word): Word => ({ text: ` ${word}`, start: 1, end: 1 }))),
}

/** Measured: at most 410 operations for each character: each break looks back over the 200 columns of a segment. */
const budget: Budget = { each: 1_000, fixed: 2_000 }

describe.each(Object.entries(readers))('%s', (_, readText) => {
  const read = (text: string): void => check(readText(text))

  test.each(Object.entries(suspects))('of %s: twice as many take twice as long', (_title, piece) => {
    countGrowsLinearly((count) => repeat(piece, count), Math.ceil(characters / piece.length), read)
  })

  test('of any text is split within the budget', () => {
    fc.assert(
      fc.property(textOf(Object.values(suspects)), (text) => {
        within(budget, text.length, () => read(text))
      }),
      runs(20),
    )
  })
})

const lists: Record<string, (text: string) => { segments: Segment[]; list: Word[] }> = {
  'one segment': (text) => ({ segments: [{ start: 0, end: 9, text }], list: wordsAt(text, () => 1) }),
  'one segment, and a list of other words': (text) => ({
    segments: [{ start: 0, end: 9, text }],
    list: wordsAt(repeat('other ', text.length / 8), () => 1),
  }),
  'a segment for each word, at the same time': (text) => ({
    segments: wordsAt(text, () => 1),
    list: wordsAt(text, () => 1),
  }),
  'a segment for each word, and a list in reverse': (text) => ({
    segments: wordsAt(text, (index) => index),
    list: wordsAt(text, (index) => index).reverse(),
  }),
}
const wordsAt = (text: string, timeOf: (index: number) => number): Word[] =>
  text.split(' ').map((word, index) => ({ start: timeOf(index), end: timeOf(index) + 1, text: word }))

describe.each(Object.entries(lists))('a list of words for %s', (_, listOf) => {
  test.each(Object.entries(suspects))('of %s: twice as many take twice as long', (_title, piece) => {
    countGrowsLinearly(
      (count) => repeat(`${piece} `, count),
      Math.ceil(characters / piece.length / 4),
      (text) => {
        const { segments, list } = listOf(text)
        return withWords(segments, list)
      },
    )
  })
})

const time = fc.oneof(
  fc.double(),
  fc.double({ min: 0, max: 100 }),
  fc.constantFrom(0, -1, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 1e308),
)
const timed = fc.record(
  { text: textOf(Object.values(suspects)), start: time, end: time, speaker: fc.string({ maxLength: 3 }) },
  { requiredKeys: ['text', 'start', 'end'] },
)

test('any words at any times become segments that, in order, follow each other, within the budget', () => {
  fc.assert(
    fc.property(fc.array(timed, { maxLength: 8 }), fc.array(timed, { maxLength: 8 }), (segments, words) => {
      within(budget, lengthOf(words), () => check(inOrder(sentences(words))))
      within(budget, lengthOf(segments), () => check(inOrder(splitLong(segments))))
      within(budget, lengthOf([...segments, ...words]), () =>
        readableSegments(withWords(segments, words), { bySpeaker: true }),
      )
    }),
    runs(30),
  )
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { inOrder, partsOf, type Segment, type SegmentWord, withWordsWithin } from '../../../../domain/words/segment.ts'
import { readableSegments, sentences } from '../../../../domain/words/sentences.ts'
import { withWords } from '../../../../domain/words/words-in-text.ts'

/** Words of a second each, from the start of the first segment. */
const listOf = (text: string): SegmentWord[] =>
  text.split(' ').map((word, index) => ({ start: index, end: index + 0.9, text: word }))

const wordsOf = (text: string, list: string) =>
  withWords([{ start: 0, end: 60, text }], listOf(list))[0]?.words?.map((word) => word.text)

describe('words are written as in their text', () => {
  test.each([
    ['with punctuation that the list does not have', 'He said: “Stop, please.”', 'He said Stop please'],
    ['with punctuation before the first word', '¿Qué es?', 'Qué es', ['¿Qué', 'es?']],
    ['with a dash between them', 'Yes – no.', 'Yes no', ['Yes –', 'no.']],
    ['as one word, when nothing separates them', 'A co-operative of 5,000.', 'A co operative of 5 000'],
    ['in Chinese', '今天天气很好。', '今天 天气 很 好', ['今天', '天气', '很', '好。']],
    ['in Thai', 'สวัสดีชาวโลก', 'สวัสดี ชาว โลก', ['สวัสดี', 'ชาว', 'โลก']],
    ['when a word of the list is not in the text', 'One two three.', 'One uh two three'],
    ['when the list lacks a word', 'One two three.', 'One three', ['One two', 'three.']],
    [
      'although letters of a word are in a longer one',
      'bananas a whole day',
      'a whole day',
      ['bananas a', 'whole', 'day'],
    ],
    ['although a word is the start of others', 'and an a are', 'and a are', ['and an', 'a', 'are']],
    ['when the list has a word in parts', 'cooperate today', 'co operate today'],
    ['when a word is repeated', 'no no no', 'no no no'],
  ])('%s', (_, text, list, expected = text.split(' ')) => expect(wordsOf(text, list)).toEqual(expected))

  test('or not at all, where the list has less than half of a text', () => {
    expect(wordsOf('Nothing of this was in the list.', 'was something else')).toBeUndefined()
    expect(wordsOf('Any text.', '')).toBeUndefined()
  })
})

describe('one list of words for several segments', () => {
  const segments = [
    { start: 0, end: 2, text: 'Yes, it is.' },
    { start: 2, end: 4, text: 'Is it?' },
    { start: 10, end: 12, text: 'Yes, it is.' },
  ]
  const list = [
    { start: 0, end: 1, text: 'Yes' },
    { start: 1, end: 1.5, text: 'it' },
    { start: 1.5, end: 2.1, text: 'is' },
    { start: 1.9, end: 3, text: 'Is' },
    { start: 3, end: 4, text: 'it' },
    { start: 10, end: 11, text: 'Yes' },
    { start: 11, end: 11.5, text: 'it' },
    { start: 11.5, end: 12, text: 'is' },
  ]
  const textsOf = (found: Segment[]) => found.map(({ words }) => words?.map(({ text }) => text))

  test('is divided by text and time', () => {
    expect(textsOf(withWords(segments, list))).toEqual([
      ['Yes,', 'it', 'is.'],
      ['Is', 'it?'],
      ['Yes,', 'it', 'is.'],
    ])
  })

  test('may lack all words of a segment, of which there may be many', () => {
    expect(textsOf(withWords(segments, list.slice(5)))).toEqual([undefined, undefined, ['Yes,', 'it', 'is.']])
    const silent = Array.from({ length: 150 }, (_, at) => ({ start: 4, end: 5, text: `Left out ${at}.` }))
    const [first, second, last] = segments as [Segment, Segment, Segment]
    expect(withWords([first, second, ...silent, last], list).at(-1)?.words).toHaveLength(3)
  })

  test('may have a word far from all segments', () => {
    const stray = [...list.slice(0, 3), { start: 500, end: 501, text: 'Nowhere' }, ...list.slice(3)]
    expect(textsOf(withWords(segments, stray))).toEqual(textsOf(withWords(segments, list)))
  })
})

test.each([
  ['without times: it follows the one before', '0 1, NaN NaN, 2 3', '0 1, 1 1, 2 3'],
  ['outside of their segment', '-1 1, 3 99', '0 1, 3 5'],
  ['that overlap', '0 2, 1 3', '0 1, 1 3'],
  ['that end before they start', '2 1', '2 2'],
  ['in the wrong order', '3 4, 1 2, 4 5', '3 3, 3 3, 4 5'],
  ['that never end', '1 Infinity, Infinity 2', '1 1, 1 2'],
  ['of fractions of a millisecond', '0.30000000000000004 0.70000001', '0.3 0.7'],
])('times of words %s', (_, times, expected) => {
  const words = times.split(', ').map((time) => {
    const [start, end] = time.split(' ').map(Number) as [number, number]
    return { start, end, text: 'a' }
  })
  const timed = withWordsWithin({ start: 0, end: 5, text: 'a'.repeat(words.length) }, words)
  expect(timed.words?.map(({ start, end }) => `${start} ${end}`).join(', ')).toBe(expected)
})

const bare = (items: { text: string }[]) => items.map(({ text }) => text.replace(/\s/g, '')).join('')

const time = fc.oneof(
  { weight: 4, arbitrary: fc.double({ min: 0, max: 60, noNaN: true }) },
  { weight: 1, arbitrary: fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, -1, 0, 1e9) },
)
const spoken = fc.constantFrom(
  'a',
  'Yes',
  'no,',
  'co',
  '-op',
  '今日',
  'は。',
  'สวัสดี',
  '.',
  '–',
  '“Hi',
  'there”',
  '5',
  '\u0301',
)
const word = fc.record(
  {
    start: time,
    end: time,
    text: fc.tuple(fc.constantFrom('', ' '), spoken).map(([space, text]) => space + text),
    confidence: fc.double({ min: 0, max: 1, noNaN: true }),
    speaker: fc.constantFrom('A', 'B'),
  },
  { requiredKeys: ['start', 'end', 'text'] },
)
const segment = fc.record({
  start: fc.double({ min: 0, max: 50, noNaN: true }),
  length: fc.double({ min: 0.01, max: 30, noNaN: true }),
  words: fc.array(word, { minLength: 1, maxLength: 30 }),
  said: fc.array(spoken, { minLength: 1, maxLength: 30 }),
  isTranscribed: fc.boolean(),
})

/** Segments follow each other. Words are monotone, inside of them, in whole milliseconds, and joined they are the text. */
const check = (segments: Segment[]): void => {
  let last = 0
  for (const { start, end, text, words } of segments) {
    expect([text, start >= last, end > start]).toEqual([text.trim() || 'no text', true, true])
    last = end
    if (!words) continue
    let clock = start
    for (const one of words) {
      expect(one.start).toBeGreaterThanOrEqual(clock)
      expect(one.end).toBeGreaterThanOrEqual(one.start)
      expect([one.start, one.end].map((seconds) => Math.round(seconds * 1000) / 1000)).toEqual([one.start, one.end])
      clock = one.end
    }
    expect(clock).toBeLessThanOrEqual(end)
    expect(bare(words)).toBe(bare([{ text }]))
  }
}

describe('whatever an engine returns', () => {
  test('its words become segments with exactly these words', () => {
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (words) => {
        const found = sentences(words)
        check(found)
        expect(bare(found.flatMap((one) => one.words ?? []))).toBe(bare(words))
        check(inOrder(found))
      }),
    )
  })

  test('its segments keep their text, and words that fit it', () => {
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 8 }), (rows) => {
        const segments = inOrder(
          rows.map(({ start, length, words, said, isTranscribed }) => {
            const text = isTranscribed ? words.map((one) => one.text).join(' ') : said.join(' ')
            return { start, end: start + length, text }
          }),
        )
        const list = rows.flatMap(({ words }) => words)
        const nested = segments.flatMap((one, index) => withWords([one], rows[index]?.words ?? []))
        for (const found of [withWords(segments, list), nested]) {
          const timed = inOrder(found)
          check(timed)
          expect(bare(timed)).toBe(bare(segments))
          for (const bySpeaker of [true, false]) {
            const readable = readableSegments(timed, { bySpeaker })
            check(readable)
            expect(bare(readable)).toBe(bare(segments))
            check(inOrder(readable))
            check(readable.flatMap((one) => [...partsOf(one)]))
          }
        }
      }),
    )
  })

  test('words that were found once are found again, unchanged', () => {
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 40 }), (words) => {
        for (const one of inOrder(sentences(words))) expect(inOrder(withWords([one], one.words ?? []))).toEqual([one])
      }),
    )
  })
})

test('the words of a segment that is divided into parts go with their part', () => {
  const words = Array.from({ length: 3_000 }, (_, index) => ({ start: index, end: index + 1, text: `word${index}` }))
  const parts = [...partsOf({ start: 0, end: 3_000, text: words.map(({ text }) => text).join(' '), words })]
  expect(parts.length).toBeGreaterThan(2)
  expect(parts.flatMap((part) => part.words?.map(({ text }) => text))).toEqual(words.map(({ text }) => text))
  for (const { start, end, words: own = [] } of parts) {
    expect(own[0]?.start).toBeGreaterThanOrEqual(start)
    expect(own.at(-1)?.end).toBeLessThanOrEqual(end)
  }
})

describe('segments that are merged', () => {
  const one = { start: 1, end: 3, text: 'a b', words: [{ start: 1, end: 3, text: 'a b' }] }
  const other = { start: 1, end: 3, text: 'c', words: [{ start: 2, end: 3, text: 'c' }] }

  test('keep the words of both', () => {
    const words = [
      { start: 1, end: 2, text: 'a b' },
      { start: 2, end: 3, text: 'c' },
    ]
    expect(inOrder([one, other])).toEqual([{ start: 1, end: 3, text: 'a b c', words }])
  })

  test('have none if one of them has none', () => {
    expect(inOrder([one, { start: 1, end: 3, text: 'c' }])).toEqual([{ start: 1, end: 3, text: 'a b c' }])
    expect(inOrder([{ start: 1, end: 3, text: 'c' }, one])).toEqual([{ start: 1, end: 3, text: 'c a b' }])
  })

  test('a segment that is shortened ends its words', () => {
    const long = {
      start: 0,
      end: 9,
      text: 'a b',
      words: [
        { start: 1, end: 4, text: 'a' },
        { start: 6, end: 8, text: 'b' },
      ],
    }
    const [first] = inOrder([long, { start: 3, end: 5, text: 'c' }])
    expect(first?.words?.map(({ start, end }) => [start, end])).toEqual([
      [1, 3],
      [3, 3],
    ])
  })
})

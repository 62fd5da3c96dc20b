import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Segment } from '../../../../domain/words/segment.ts'
import { readableSegments, sentences, splitLong, type Word } from '../../../../domain/words/sentences.ts'

/** Consecutive words of 0.4 s each; `/` is a pause of 1.5 s. */
const wordsOf = (text: string, space: '' | ' ' = ' '): Word[] => {
  let clock = 0
  return text.split(' ').flatMap((word) => {
    const start = clock
    clock += word === '/' ? 1.5 : 0.4
    return word === '/' ? [] : [{ text: space + word, start, end: clock }]
  })
}

const texts = (segments: Segment[]) => segments.map(({ text }) => text)

describe('words become sentences', () => {
  test.each([
    ['one sentence, one segment', 'It is late. Go home!', ['It is late.', 'Go home!']],
    ['a title does not end a sentence', 'Then Mr. Brown and Dr. Who left.', ['Then Mr. Brown and Dr. Who left.']],
    ['initials do not end a sentence', 'He read J. R. Tolkien.', ['He read J. R. Tolkien.']],
    ['dots in the middle of a sentence do not end it', 'Well… maybe. Or ... not.', ['Well… maybe.', 'Or ... not.']],
    [
      'closing quotes belong to their sentence',
      'He said: “Stop.” Then he left.',
      ['He said: “Stop.”', 'Then he left.'],
    ],
    ['a pause ends a segment', 'and so / we went', ['and so', 'we went']],
    ['no words, no segments', '/', []],
  ])('%s', (_, text, expected) => expect(texts(sentences(wordsOf(text)))).toEqual(expected))

  test('a long sentence is split at a comma near the middle', () => {
    const said = 'This is a sentence that goes on for quite a while, and after its comma it goes on for a while again.'
    expect(texts(sentences(wordsOf(said)))).toEqual([
      'This is a sentence that goes on for quite a while,',
      'and after its comma it goes on for a while again.',
    ])
  })

  test('a long sentence without a comma is split at a pause', () => {
    const words = wordsOf(Array.from({ length: 24 }, (_, index) => `w${index}`).join(' '))
    const breath = words.map((word, index) =>
      index < 10 ? word : { ...word, start: word.start + 0.6, end: word.end + 0.6 },
    )
    expect(texts(sentences(breath))[0]).toMatch(/w9$/)
  })

  test('a segment has one speaker', () => {
    const words = [
      { text: 'Hi', start: 0, end: 1, speaker: 'A' },
      { text: 'you', start: 1, end: 2, speaker: 'A' },
      { text: 'Hello', start: 2, end: 3, speaker: 'B' },
    ]
    expect(sentences(words)).toEqual([
      { start: 0, end: 2, text: 'Hi you', speaker: 'A', words: words.slice(0, 2) },
      { start: 2, end: 3, text: 'Hello', speaker: 'B', words: words.slice(2) },
    ])
  })

  test.each([
    [
      'words with spaces (Whisper)',
      [' Hello', ',', ' co', '-operate', '.', ' Yes', '.'],
      ['Hello, co-operate.', 'Yes.'],
    ],
    ['words without spaces', ['Hello,', 'you', '.', 'Yes.'], ['Hello, you.', 'Yes.']],
    ['Chinese', ['今天', '天气', '很', '好', '。', '我们', '去', '公园', '。'], ['今天天气很好。', '我们去公园。']],
    ['Thai', ['สวัสดี', 'ชาว', 'โลก'], ['สวัสดีชาวโลก']],
    ['mixed scripts', ['我', '用', 'iPhone', '打', '电话'], ['我用 iPhone 打电话']],
  ])('%s', (_, words, expected) => {
    const timed = words.map((text, index) => ({ text, start: index * 0.3, end: index * 0.3 + 0.3 }))
    expect(texts(sentences(timed))).toEqual(expected)
  })

  test('a thousand words without punctuation are split', () => {
    const found = sentences(wordsOf(Array.from({ length: 1000 }, () => 'la').join(' ')))
    expect(found.length).toBeGreaterThan(50)
    for (const { start, end } of found) expect(end - start).toBeLessThanOrEqual(7)
  })
})

const inOrder = (segments: Segment[]) => {
  for (const [index, { start, end, text }] of segments.entries()) {
    expect(end).toBeGreaterThan(start)
    expect(start).toBeGreaterThanOrEqual(segments[index - 1]?.end ?? 0)
    expect(text).toBe(text.trim())
    expect(text).not.toBe('')
  }
}
const bare = (pieces: { text: string }[]) => pieces.map(({ text }) => text.replace(/\s/g, '')).join('')

const word = fc.stringMatching(/^ ?[a-zA-Z今日はสว]{0,9}[.,!?。、]?$/)

test('words at a normal pace become segments of at most seven seconds', () => {
  const paced = fc.array(fc.tuple(fc.double({ min: 0.1, max: 1, noNaN: true }), word), { maxLength: 200 })
  fc.assert(
    fc.property(paced, (rows) => {
      let clock = 0
      const words = rows.map(([length, text]) => {
        const start = clock
        clock += length
        return { text: `${text}x `, start, end: clock }
      })
      for (const { start, end } of sentences(words)) expect(end - start).toBeLessThanOrEqual(7.001)
    }),
  )
})

describe('long segments without words', () => {
  const long = {
    start: 10,
    end: 30,
    text: 'The first sentence is here. The second sentence, which is longer, follows. And here is a third one, to end with.',
    speaker: 'A',
  }
  test('are split at sentences, which share the time by length', () => {
    const found = splitLong([long])
    expect(texts(found)).toMatchInlineSnapshot(`
      [
        "The first sentence is here.",
        "The second sentence, which is longer,",
        "follows. And here is a third one,",
        "to end with.",
      ]
    `)
    expect(found[0]?.start).toBe(10)
    expect(found.at(-1)?.end).toBe(30)
    for (const { start, end, speaker } of found) {
      expect(end - start).toBeLessThanOrEqual(7.001)
      expect(speaker).toBe('A')
    }
  })

  test('short segments are kept', () => {
    const short = [{ start: 0, end: 5, text: 'Yes. No. Maybe.' }]
    expect(splitLong(short)).toEqual(short)
  })

  test('keep every letter in order, in any script', () => {
    const text = fc.stringMatching(/^[a-zA-Z今日は天気สวัส,. 。👍é]{1,300}$/u)
    const segment = fc.record({ start: fc.nat(1000), length: fc.integer({ min: 1, max: 60 }), text })
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 5 }), (rows) => {
        let clock = 0
        const segments = rows.map(({ start, length, text }) => {
          const from = clock + start
          clock = from + length
          return { start: from, end: clock, text }
        })
        const found = splitLong(segments)
        inOrder(found)
        expect(bare(found)).toBe(bare(segments))
      }),
    )
  })
})

describe('readable segments', () => {
  const text = 'One two three four five six seven eight nine ten, eleven twelve thirteen fourteen fifteen sixteen.'
  const words = text.split(' ').map((word, index) => ({ text: word, start: index, end: index + 0.9 }))

  test('short segments are kept', () => {
    const segments = [
      { start: 0, end: 3, text: 'Short and' },
      { start: 3, end: 6, text: 'badly cut.' },
    ]
    expect(readableSegments(segments)).toEqual(segments)
  })

  test('with several speakers it is split between them, if speakers are asked for', () => {
    const [one, other] = [
      { start: 0, end: 1, text: 'Who?', speaker: 'A' },
      { start: 1, end: 2, text: 'me', speaker: 'B' },
    ]
    const segment = { start: 0, end: 2, text: 'Who? me', speaker: 'A', words: [one, other] }
    expect(readableSegments([segment])).toEqual([segment])
    expect(readableSegments([segment], { bySpeaker: true })).toEqual([
      { ...one, words: [one] },
      { ...other, words: [other] },
    ])
  })

  test('a long segment is split by its word times and loses no word', () => {
    const cut = readableSegments([{ start: 0, end: 16, text, words }])
    expect(cut.length).toBeGreaterThan(1)
    expect(cut.map((segment) => segment.text).join(' ')).toBe(text)
    for (const { start, end } of cut) expect(end - start).toBeLessThanOrEqual(7)
  })

  test('without word times a long segment is split by the length of its sentences', () => {
    const cut = readableSegments([{ start: 0, end: 30, text: `${text} ${text}` }])
    expect(cut.length).toBeGreaterThan(3)
    expect(cut.map((segment) => segment.text).join(' ')).toBe(`${text} ${text}`)
  })
})

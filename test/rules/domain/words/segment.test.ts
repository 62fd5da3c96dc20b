import fc from 'fast-check'
import { expect, test } from 'vitest'
import { inOrder } from '../../../../domain/words/segment.ts'
import { join, width } from '../../../../domain/words/writing.ts'

/** `1 3 text` for each segment. */
const segmentsIn = (rows: string) =>
  rows.split(', ').map((row) => {
    const [, start, end, text = ''] = /^(\S+) (\S+) (.*)$/s.exec(row) ?? []
    return { start: Number(start), end: Number(end), text }
  })

test.each([
  ['segments are sorted', '3 4 b, 1 2 a', '1 2 a, 3 4 b'],
  ['an overlapped segment is shortened', '1 5 a, 3 6 b', '1 3 a, 3 6 b'],
  ['a segment within another one ends it', '1 9 a, 3 4 b', '1 3 a, 3 4 b'],
  ['two segments with the same start are merged', '1 3 a, 1 4 b', '1 4 a b'],
  ['a segment too short to read is merged into the next', '1 3 a, 1.05 4 b', '1 4 a b'],
  ['an overlapping segment with the same text is a duplicate', '1 3 a, 2 4 a', '1 4 a'],
  ['a following segment with the same text is not a duplicate', '1 2 a, 2 3 a', '1 2 a, 2 3 a'],
  ['white space collapses', '1 2  a\n\t\u00a0b ', '1 2 a b'],
  ['segments without text or duration are removed', '1 2  , 3 3 a, 5 4 b, NaN 1 c, 1 Infinity d', ''],
  ['negative times become 0', '-1 2 a, -3 -1 b', '0 2 a'],
  ['times are whole milliseconds', '0.30000000000000004 0.70000001 a, 1 1.0001 b', '0.3 0.7 a, 1 1.001 b'],
])('%s', (_, rows, expected) => {
  const ordered = inOrder(segmentsIn(rows))
  expect(ordered.map(({ start, end, text }) => `${start} ${end} ${text}`).join(', ')).toBe(expected)
})

test('segments of two speakers merge into one without a speaker', () => {
  const both = [
    { start: 1, end: 2, text: 'a', speaker: 'A' },
    { start: 1, end: 2, text: 'b', speaker: 'B' },
  ]
  expect(inOrder(both)).toEqual([{ start: 1, end: 2, text: 'a b' }])
})

test('merged segments have the words of both, or none if one has no words', () => {
  const said = (text: string) => ({ start: 1, end: 2, text, words: [{ start: 1, end: 2, text }] })
  const [merged] = inOrder([said('a'), said('b')])
  expect(merged?.words?.map(({ text }) => text)).toEqual(['a', 'b'])
  expect(inOrder([said('a'), { start: 1, end: 2, text: 'b' }])).toEqual([{ start: 1, end: 2, text: 'a b' }])
})

test('any segments are sorted and separated, keep their words, and are unchanged by a second run', () => {
  const segment = fc.record({
    start: fc.double({ min: -5, max: 50, noNaN: true }),
    length: fc.double({ min: 0.01, max: 9, noNaN: true }),
  })
  fc.assert(
    fc.property(fc.array(segment, { maxLength: 40 }), (rows) => {
      const segments = rows
        .map(({ start, length }, index) => ({ start, end: start + length, text: `w${index}` }))
        .filter(({ end }) => end > 0)
      const ordered = inOrder(segments)
      for (const [index, { start, end }] of ordered.entries()) {
        expect(end).toBeGreaterThan(start)
        expect(start).toBeGreaterThanOrEqual(ordered[index - 1]?.end ?? 0)
      }
      const words = ordered.flatMap(({ text }) => text.split(' '))
      expect(words.toSorted()).toEqual(segments.map(({ text }) => text).toSorted())
      expect(inOrder(ordered)).toEqual(ordered)
    }),
  )
})

test.each([
  [['Hello.', 'How are you?'], 'Hello. How are you?'],
  [['今天天气很好。', '我们去公园。'], '今天天气很好。我们去公园。'],
  [['今天天气很好', '我们去公园'], '今天天气很好我们去公园'],
  [['これは', 'GPU', 'です'], 'これは GPU です'],
  [['안녕하세요', '여러분'], '안녕하세요 여러분'],
  [['สวัสดี', 'ชาวโลก'], 'สวัสดี ชาวโลก'],
  [['', 'a', '', 'b'], 'a b'],
  [['𠮷野家', '𠮷'], '𠮷野家𠮷'],
])('%j joins to %j', (pieces, text) => expect(join(pieces)).toBe(text))

test.each([
  ['abc', 3],
  ['今日は', 6],
  ['한국', 4],
  ['e\u0301', 1],
  ['👍', 2],
  ['ｆｕｌｌ', 8],
])('%j is %i columns wide', (text, columns) => expect(width(text)).toBe(columns))

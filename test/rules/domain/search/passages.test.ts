import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Passage, passagesOf, startAt, titlePassage } from '../../../../domain/search/passages.ts'
import type { Segment } from '../../../../domain/words/segment.ts'
import { join } from '../../../../domain/words/writing.ts'

async function* stored(segments: Segment[]) {
  yield* segments
}

const passages = async (segments: Segment[]): Promise<Passage[]> => {
  const found: Passage[] = []
  for await (const passage of passagesOf(stored(segments))) found.push(passage)
  return found
}

const segment = (start: number, end: number, text: string, speaker?: string): Segment => ({
  start,
  end,
  text,
  ...(speaker === undefined ? {} : { speaker }),
})

describe('a passage is', () => {
  test.each<[string, Segment[], string[]]>([
    ['nothing, of nothing', [], []],
    ['short segments in a row', [segment(0, 2, 'The lease'), segment(3, 5, 'expires.')], ['The lease expires.']],
    ['up to 30 seconds', [segment(0, 15, 'a'), segment(20, 30, 'b'), segment(30, 30.001, 'c')], ['a b', 'c']],
    ['a long segment', [segment(0, 40, 'a'), segment(40, 41, 'b'), segment(41, 42, 'c')], ['a', 'b c']],
    ['of one speaker', [segment(0, 1, 'a', 'A'), segment(1, 2, 'b', 'B'), segment(2, 3, 'c', 'B')], ['a', 'b c']],
    ['of a speaker who is known', [segment(0, 1, 'a'), segment(1, 2, 'b', 'A')], ['a', 'b']],
    ['not what was said half a minute later', [segment(0, 1, 'a'), segment(40, 41, 'b')], ['a', 'b']],
    ['joined without spaces in Chinese', [segment(0, 1, '我們'), segment(1, 2, '學校')], ['我們學校']],
    ['not a segment without text', [segment(0, 1, ''), segment(1, 2, 'a'), segment(2, 3, '')], ['a']],
  ])('%s', async (_, segments, expected) => {
    expect((await passages(segments)).map(({ text }) => text)).toEqual(expected)
  })
})

test('a passage knows when each of its segments begins', async () => {
  const [passage] = await passages([
    segment(1, 2, 'One.', 'A'),
    segment(3, 4, 'Two.', 'A'),
    segment(5, 6, 'Three.', 'A'),
  ])
  expect(passage).toEqual({
    start: 1,
    end: 6,
    speaker: 'A',
    text: 'One. Two. Three.',
    starts: [
      [0, 1],
      [5, 3],
      [10, 5],
    ],
  })
  const starts = [0, 3, 4, 5, 9, 10, 15].map((at) => startAt(passage as Passage, at))
  expect(starts).toEqual([1, 1, 1, 3, 3, 5, 5])
})

test('a title is found at the beginning of the media', () => {
  const passage = titlePassage('A film', 90)
  expect(passage).toEqual({ start: 0, end: 90, text: 'A film', starts: [] })
  expect(startAt(passage, 2)).toBe(0)
})

test('a passage without starts begins where it does', () => expect(startAt({ start: 7, starts: [] }, 3)).toBe(7))

test('a segment of any length becomes passages of limited length, with the time of each', async () => {
  const found = await passages([segment(0, 100, 'word '.repeat(10_000).trim())])
  expect(found.map(({ text }) => text.length).every((length) => length <= 10_000)).toBe(true)
  expect(found.map(({ text }) => text).join(' ')).toBe('word '.repeat(10_000).trim())
  expect(found.map(({ start }) => Math.round(start))).toEqual([0, 20, 40, 60, 80, 100])
})

test('a thousand captions of one second become passages of limited length', async () => {
  const found = await passages(Array.from({ length: 1_000 }, (_, at) => segment(at / 1000, at / 1000, 'x'.repeat(300))))
  expect(found.map(({ text }) => text.length).every((length) => length <= 10_000)).toBe(true)
  expect(found.length).toBeLessThan(40)
})

test('no text is lost, and every segment is where a passage says', async () => {
  const texts = fc.constantFrom('a', 'Hello.', '學校', '。', 'ครับ', '', '𠮷')
  const steps = fc.tuple(fc.double({ min: 0, max: 20, noNaN: true }), fc.double({ min: 0, max: 40, noNaN: true }))
  const speakers = fc.constantFrom(undefined, 'A', 'B')
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(steps, texts, speakers)), async (rows) => {
      let clock = 0
      const segments = rows.map(([[pause, length], text, speaker]) => {
        const start = clock + pause
        clock = start + length
        return segment(start, clock, text, speaker)
      })
      const found = await passages(segments)
      const spoken = segments.filter(({ text }) => text !== '')
      expect(found.flatMap(({ starts }) => starts.map(([, start]) => start))).toEqual(spoken.map(({ start }) => start))
      for (const { starts, text, start, end, speaker } of found) {
        const own = spoken.splice(0, starts.length)
        expect(text).toBe(join(own.map((each) => each.text)))
        expect([start, end]).toEqual([own[0]?.start, own.at(-1)?.end])
        expect(own.length === 1 || end - start <= 30).toBe(true)
        for (const [index, each] of own.entries()) {
          expect(each.speaker).toBe(speaker)
          expect(text.startsWith(each.text, starts[index]?.[0])).toBe(true)
        }
      }
    }),
  )
})

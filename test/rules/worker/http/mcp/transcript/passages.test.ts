import { expect, test } from 'vitest'
import type { Segment } from '../../../../../../domain/words/segment.ts'
import { findPassages, type PassageRequest, wordsOf } from '../../../../../../worker/http/mcp/transcript/passages.ts'

const find = (segments: Segment[], query: string, changes: Partial<PassageRequest> = {}) => {
  const words = wordsOf(query)
  return findPassages(segments, { words, needed: words.length, from: 0, maxCharacters: 12_000, ...changes })
}

/** Each of about 330 characters, so that each is a block of its own. */
const talk: Segment[] = [
  'Ignacio opens the café in Málaga.',
  'They speak about unit economics.',
  'Nothing of interest is said here.',
  'The economics of the café are simple.',
].map((text, index) => ({ start: index * 30, end: index * 30 + 25, text: `${text} ${'and so on '.repeat(30).trim()}` }))

const timesOf = (text: string) => Array.from(text.matchAll(/\[([\d.]+)\] /g), ([, time]) => Number(time))

test.each([
  ['economics', [30, 90]],
  ['ECONOMICS', [30, 90]],
  ['cafe malaga', [0]],
  ['Café economics', [0, 90]],
  ['econom', [30, 90]],
  ['nomics', []],
  ['interest', [60]],
  ['of', [60, 90]],
  ['absent', []],
])('passages with the words of "%s" begin at %j', async (query, times) => {
  expect(timesOf((await find(talk, query)).text)).toEqual(times)
})

test('the words of a passage may be in two segments that follow each other', async () => {
  const { text } = await find(talk, 'malaga unit')
  expect(timesOf(text)).toEqual([0])
  expect(text).toContain('They speak')
  expect(timesOf((await find(talk, 'malaga interest')).text)).toEqual([])
})

test('it is known how many of the words the best passage has', async () => {
  expect(await find(talk, 'cafe economics interest astronomy')).toMatchObject({ count: 0, mostWords: 3 })
  const { count } = await find(talk, 'cafe economics interest astronomy', { needed: 3 })
  expect(count).toBe(1)
})

test.each([
  ['Chinese', '深度学习正在改变世界', '学习'],
  ['Japanese', '機械学習の話をします', '学習の話'],
  ['Thai', 'วันนี้เราพูดถึงเศรษฐกิจ', 'เศรษฐกิจ'],
  ['Hindi', 'आज हम अर्थव्यवस्था की बात करेंगे', 'अर्थव्यवस्था'],
  ['Greek with accents', 'Μιλάμε για την οικονομία', 'ΟΙΚΟΝΟΜΙΑ'],
  ['Turkish', 'İstanbul ekonomisi', 'istanbul'],
  ['an apostrophe', 'You don’t say', "don't"],
])('words are found in %s', async (_, text, query) => {
  expect((await find([{ start: 1, end: 2, text }], query)).count).toBe(1)
})

test('a query without words has none, and repeated words count once', () => {
  expect(wordsOf(' …?! ')).toEqual([])
  expect(wordsOf('Café cafe CAFÉ')).toEqual(['cafe'])
  expect(wordsOf(Array.from({ length: 50 }, (_, index) => `w${index}`).join(' '))).toHaveLength(20)
})

test('passages that do not fit are read with the next call, each once', async () => {
  const many = Array.from({ length: 40 }, (_, index): Segment => {
    return {
      start: index * 10,
      end: index * 10 + 9,
      text: `Number ${index} of the economics talk. ${'x '.repeat(140)}`,
    }
  })
  const times: number[] = []
  for (let from: number | null = 0; from !== null; ) {
    const { text, next }: Awaited<ReturnType<typeof findPassages>> = await find(many, 'economics', {
      from,
      maxCharacters: 1_000,
    })
    expect(text.length).toBeLessThanOrEqual(1_000)
    times.push(...timesOf(text))
    from = next
  }
  expect(times).toEqual(many.map(({ start }) => start))
})

test('one long segment with the words everywhere is read part by part', async () => {
  const long = [{ start: 0, end: 1_000, text: 'economics is the word here '.repeat(360) }]
  let calls = 0
  let characters = 0
  for (let from: number | null = 0; from !== null; calls++) {
    const { text, next }: Awaited<ReturnType<typeof findPassages>> = await find(long, 'economics', {
      from,
      maxCharacters: 2_000,
    })
    expect(text.length).toBeLessThanOrEqual(2_000)
    characters += text.length
    from = next
  }
  expect(calls).toBeGreaterThan(4)
  expect(characters).toBeGreaterThan(long[0]?.text.length ?? 0)
})

test('a passage that is longer than allowed is shortened', async () => {
  const { text, count } = await find(talk, 'malaga unit', { maxCharacters: 500 })
  expect([text.length <= 500, count]).toEqual([true, 1])
})

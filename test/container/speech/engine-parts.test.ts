import { describe, expect, test } from 'vitest'
import { callsTo } from './calls.ts'
import { installSpeech } from './installed-speech.ts'

/** What the engines for several kinds of models share. */
installSpeech()

const call = callsTo('container/speech')

const repeatsItself = (text: string): Promise<boolean> => call('engines.repetition.repeats_itself', text)

describe('a text repeats itself', () => {
  test.each([
    ['a sentence, three times', 'Thank you for watching. '.repeat(3)],
    ['two words, without end', `And so it was ${'of the '.repeat(40)}`],
    ['a word, five times', 'He said no no no no no and left.'],
    ['in another case and with other stops', 'I know. i know, I know!'],
    ['letters without spaces', 'ha'.repeat(60)],
  ])('%s', async (_, text) => expect(await repeatsItself(text)).toBe(true))

  test.each([
    ['no words', ''],
    ['a word, three times', 'No, no, no, that is very, very wrong.'],
    ['a sentence, twice', 'Go on. Go on. Nobody was pleased.'],
    ['much the same words in another order', 'Ever tried, ever failed, no matter. Try again, fail again, fail better.'],
  ])('but not with %s', async (_, text) => expect(await repeatsItself(text)).toBe(false))
})

interface Word {
  text: string
  start: number
  end: number
}

const seconds = (...stretches: [number, number][]) =>
  stretches.map(([start, end]) => ({ start: start * 16_000, end: end * 16_000 }))
const spread = (text: string, ...stretches: [number, number][]): Promise<Word[]> =>
  call('engines.places.spread', text, seconds(...stretches))

describe('where only the text of a window is known', () => {
  test('its words take the time of the speech, by their letters', async () => {
    const words = await spread('a bird sings', [1, 7])
    expect(words.map(({ text, start }) => [text, start])).toEqual([
      [' a', 1],
      [' bird', expect.closeTo(1.923, 3)],
      [' sings', expect.closeTo(4.231, 3)],
    ])
    expect(words.at(-1)?.end).toBe(7)
  })

  test('none is in a pause', async () => {
    const stretches: [number, number][] = [
      [1, 3],
      [8, 10],
      [15, 16],
    ]
    const words = await spread('one two three four five six seven', ...stretches)
    for (const { start, end } of words) {
      expect(stretches.some(([from, to]) => from <= start && start < end && end <= to)).toBe(true)
    }
  })

  test('a language without spaces has a word for each character', async () => {
    const words = await spread('我们走。好', [0, 2])
    expect(words.map(({ text }) => text)).toEqual(['我', '们', '走。', '好'])
  })

  test('no text has no words', async () => expect(await spread('', [0, 1])).toEqual([]))
})

import { expect, test } from 'vitest'
import { type Turn, wordsBySpeaker } from '../../../../domain/words/speaker-turns.ts'
import { randomFrom } from '../../../support/random-numbers.ts'

const turn = (start: number, end: number, speaker: string): Turn => ({ start, end, speaker })
const word = (start: number, end: number) => ({ start, end, text: ' Word.' })
const speakersOf = (words: { start: number; end: number; text: string }[], turns: Turn[]) =>
  wordsBySpeaker(words, turns).map(({ speaker }) => speaker)

test('a word has the speaker of the turn that it overlaps most', () => {
  const turns = [turn(0, 2, 'A'), turn(2, 4, 'B')]
  expect(speakersOf([word(0.5, 1), word(1.7, 2.2), word(1.9, 2.4), word(3, 3.5)], turns)).toEqual(['A', 'A', 'B', 'B'])
})

test('a word in a gap has the speaker of the nearest turn', () => {
  const turns = [turn(1, 2, 'A'), turn(5, 6, 'B')]
  expect(speakersOf([word(0, 0.5), word(2.5, 3), word(4, 4.4), word(9, 9.5)], turns)).toEqual(['A', 'A', 'B', 'B'])
})

test('a word within a long turn is found although shorter ones follow it', () => {
  const turns = [turn(0, 60, 'A'), ...Array.from({ length: 20 }, (_, index) => turn(1 + index, 1.5 + index, 'B'))]
  expect(speakersOf([word(1.1, 1.4), word(30, 30.5), word(20.6, 20.9)], turns)).toEqual(['B', 'A', 'A'])
})

test('a word without a length has the turn that it is in', () => {
  expect(speakersOf([word(2.5, 2.5)], [turn(0, 2, 'A'), turn(2, 4, 'B')])).toEqual(['B'])
})

test('words without turns have no speaker', () => {
  expect(wordsBySpeaker([word(0, 1)], [])).toEqual([word(0, 1)])
})

test('each word has the same speaker as by a look at every turn', () => {
  const random = randomFrom(7)
  const turns = Array.from({ length: 200 }, (_, index) => {
    const start = random() * 300
    return turn(start, start + random() * 20, 'ABCDE'[index % 5] ?? 'A')
  })
  const overlap = (one: { start: number; end: number }, other: Turn) =>
    Math.min(one.end, other.end) - Math.max(one.start, other.start)
  for (let index = 0; index < 300; index++) {
    const start = random() * 320
    const spoken = word(start, start + random())
    const best = Math.max(...turns.map((each) => overlap(spoken, each)))
    const speakers = turns.filter((each) => overlap(spoken, each) === best).map(({ speaker }) => speaker)
    expect(speakers).toContain(speakersOf([spoken], turns)[0])
  }
})

test('the first words of a sentence, whose times begin too early, are of the speaker of its rest', () => {
  const turns = [turn(0, 3, 'A'), turn(3.2, 6, 'B')]
  const spoken = ['Right?', ' He', ' was', ' not', ' an', ' old', ' man.'].map((text, at) => ({
    ...{ text, start: at === 1 ? 1 : 2 + at * 0.5, end: 2.4 + at * 0.5 },
  }))
  spoken[0] = { text: 'Right?', start: 0, end: 0.5 }
  expect(speakersOf(spoken, turns)).toEqual(['A', 'B', 'B', 'B', 'B', 'B', 'B'])
})

test.each([
  ['three words', ['You', ' know', ' why?'], [' No', ' idea,', ' really,', ' none', ' at', ' all.']],
  ['as many words', ['Tell', ' me,'], [' well,', ' no.']],
])('%s before a change of speakers stay with theirs', (_, one, other) => {
  const turns = [turn(0, one.length, 'A'), turn(one.length, 20, 'B')]
  const spoken = [...one, ...other].map((text, at) => ({ text, start: at, end: at + 0.9 }))
  expect(speakersOf(spoken, turns)).toEqual([...one.map(() => 'A'), ...other.map(() => 'B')])
})

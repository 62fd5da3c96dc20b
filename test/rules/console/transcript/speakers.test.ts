import { expect, test } from 'vitest'
import { percent } from '../../../../console/assets/format.js'
import { chapterAt } from '../../../../console/assets/transcript/reader.js'
import { speakersIn } from '../../../../console/assets/transcript/speakers.js'
import { transcript } from '../../worker/speech/formatting.ts'

test('speakers are in the order of their first words, with the share of the time that they speak', () => {
  const segments = transcript([0, 1, 'One.', 'B'], [1, 3, 'Two.', 'A'], [3, 8, 'Music.'], [8, 9, 'Three.', 'B'])
  expect(speakersIn(segments)).toEqual([
    { label: 'B', colour: 1, share: 0.5 },
    { label: 'A', colour: 2, share: 0.5 },
  ])
})

test('a transcript without speakers has none', () => expect(speakersIn(transcript([0, 1, 'One.']))).toEqual([]))

test('the seventh speaker has the colour of the first', () => {
  const rows = [...'ABCDEFGH'].map((label, at): [number, number, string, string] => [at, at + 1, 'Yes.', label])
  expect(speakersIn(transcript(...rows)).map(({ colour }) => colour)).toEqual([1, 2, 3, 4, 5, 6, 1, 2])
})

test.each([
  [0, '0 %'],
  [0.004, '< 1 %'],
  [0.005, '1 %'],
  [0.276, '28 %'],
  [1, '100 %'],
])('a share of %d is shown as %s', (share, text) => expect(percent(share)).toBe(text))

test.each([
  [0, -1],
  [5, 0],
  [9.9, 0],
  [10, 1],
  [500, 1],
])('at %d s chapter %d plays', (time, index) => {
  const chapters = [5, 10].map((start) => ({ title: 'One', start, end: start + 5 }))
  expect(chapterAt(chapters, time)).toBe(index)
})

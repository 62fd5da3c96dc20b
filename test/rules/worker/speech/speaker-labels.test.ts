import { expect, test } from 'vitest'
import type { Segment } from '../../../../domain/words/segment.ts'
import { joinPieces, labelSpeakers } from '../../../../worker/speech/join-pieces.ts'

const said = (...speakers: (string | undefined)[]): Segment[] =>
  speakers.map((speaker, index) => ({ start: index, end: index + 1, text: 'Hi.', ...(speaker ? { speaker } : {}) }))
const labels = (pieces: Segment[][], known: string[] = []) =>
  labelSpeakers(pieces, known).map((segments) => segments.map(({ speaker }) => speaker))

test.each([
  ['in order of first appearance', [said('3', '0', '3')], [['A', 'B', 'A']]],
  ['not where the provider could not tell', [said('B', undefined, 'A')], [['A', undefined, 'B']]],
  [
    'with new letters in each piece, which the provider labels anew',
    [said('0', '1'), said('1', '0', '1')],
    [
      ['A', 'B'],
      ['C', 'D', 'C'],
    ],
  ],
])('speakers are named %s', (_, pieces, expected) => expect(labels(pieces)).toEqual(expected))

test('after Z comes AA', () => {
  const [names = []] = labels([said(...Array.from({ length: 703 }, (_, index) => `${index}`))])
  expect([names[0], names[25], names[26], names[27], names[51], names[52], names[701], names[702]]).toEqual([
    'A',
    'Z',
    'AA',
    'AB',
    'AZ',
    'BA',
    'ZZ',
    'AAA',
  ])
})

test('speakers that the caller has named keep their names in all pieces', () => {
  const known = ['agent', 'A']
  expect(labels([said('agent', 'B'), said('B', 'agent', 'A')], known)).toEqual([
    ['agent', 'B'],
    ['C', 'agent', 'A'],
  ])
})

test('words have the labels of their speakers, and that of the segment where they have none', () => {
  const words = [
    { start: 0, end: 0.2, text: 'Hi' },
    { start: 0.2, end: 1, text: 'there.', speaker: '7' },
  ]
  const segment = { start: 0, end: 1, text: 'Hi there.', speaker: '5', words }
  expect(labelSpeakers([[segment]], [])[0]?.[0]?.words?.map(({ speaker }) => speaker)).toEqual(['A', 'B'])
})

test('without `speakers` the labels of the provider stay as they are', () => {
  const result = { segments: said('1', '0'), language: 'en', durationSeconds: 2 }
  const speakersOf = (known: { known: string[] } | null) =>
    joinPieces([{ offsetSeconds: 0, result }], known).segments.map(({ speaker }) => speaker)
  expect(speakersOf(null)).toEqual(['1', '0'])
  expect(speakersOf({ known: [] })).toEqual(['A', 'B'])
})

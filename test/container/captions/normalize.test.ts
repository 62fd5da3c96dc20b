import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Cue } from '../../../container/captions/cue.ts'
import { isRolling, normalize, unroll } from '../../../container/captions/normalize.ts'
import { readCaptions } from '../../../container/captions/read.ts'

const youtube = `WEBVTT
Kind: captions
Language: en

00:00:00.160 --> 00:00:02.389 align:start position:0%
 
hello<00:00:00.480><c> everyone</c><00:00:00.880><c> and</c>

00:00:02.389 --> 00:00:02.399 align:start position:0%
hello everyone and
 

00:00:02.399 --> 00:00:04.789 align:start position:0%
hello everyone and
welcome<00:00:02.720><c> to</c><00:00:02.960><c> the</c><00:00:03.200><c> show</c>

00:00:04.789 --> 00:00:04.799 align:start position:0%
welcome to the show
 

00:00:04.799 --> 00:00:07.000 align:start position:0%
welcome to the show
[Music]
`

const cues = (...rows: [number, number, string][]): Cue[] => rows.map(([start, end, text]) => ({ start, end, text }))
const rows = (segments: Cue[]) => segments.map(({ start, end, text }) => `${start} ${end} ${text}`)

test("YouTube's rolling captions give each line once", () => {
  expect(rows(readCaptions(new TextEncoder().encode(youtube)))).toEqual([
    '0.16 2.399 hello everyone and',
    '2.399 4.799 welcome to the show',
    '4.799 7 [Music]',
  ])
})

test.each([
  [
    'the longest repetition of the previous lines is removed',
    cues([0, 2, 'a\nb\na'], [2, 4, 'b\na\nc']),
    ['0 2 a\nb\na', '2 4 c'],
  ],
  [
    'a cue without a new line extends the previous one',
    cues([0, 2, 'a'], [2, 3, 'a'], [3, 5, 'a\nb']),
    ['0 3 a', '3 5 b'],
  ],
  ['empty lines are ignored', cues([0, 2, ' \na'], [2, 4, 'a\n \nb']), ['0 2 a', '2 4 b']],
  ['a line repeated after a pause is kept', cues([0, 2, 'a'], [60, 62, 'a']), ['0 2 a', '60 62 a']],
  [
    'captions of three lines are unrolled too',
    cues([0, 1, 'a'], [1, 2, 'a\nb'], [2, 3, 'a\nb\nc'], [3, 4, 'b\nc\nd']),
    ['0 1 a', '1 2 b', '2 3 c', '3 4 d'],
  ],
])('%s', (_, rolling, expected) => expect(rows(unroll(rolling))).toEqual(expected))

test('captions with a few repeated lines are not treated as rolling', () => {
  const song = cues([0, 2, 'No.'], [2, 4, 'No.'], [4, 6, 'Never.'], [6, 8, 'I said no.'], [8, 10, 'Go away.'])
  expect(isRolling(song)).toBe(false)
  expect(normalize(song)).toHaveLength(5)
})

test('any rolling text gives each of its lines once and in order', () => {
  fc.assert(
    fc.property(
      fc.integer({ min: 4, max: 60 }),
      fc.integer({ min: 2, max: 4 }),
      fc.boolean(),
      (count, screenLines, hasStills) => {
        const lines = Array.from({ length: count }, (_, index) => `line ${index}`)
        const rolling = lines.flatMap((_, index) => {
          const shown = lines.slice(Math.max(0, index - screenLines + 1), index + 1)
          const stays = lines.slice(Math.max(0, index - screenLines + 2), index + 1)
          const still = { start: index * 2 + 1.99, end: index * 2 + 2, text: stays.join('\n') }
          return [{ start: index * 2, end: index * 2 + 1.99, text: shown.join('\n') }, ...(hasStills ? [still] : [])]
        })
        expect(normalize(rolling).map(({ text }) => text)).toEqual(lines)
      },
    ),
  )
})

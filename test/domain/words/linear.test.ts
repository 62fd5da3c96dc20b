import { afterAll, expect, test } from 'vitest'
import type { Segment } from '../../../domain/words/segment.ts'
import type { Word } from '../../../domain/words/sentences.ts'
import { startWorkCounter } from '../../count-work.ts'
import { expensiveTexts } from '../../expensive-texts.ts'

const counter = await startWorkCounter('/domain/words/')
afterAll(() => counter.stop())
const { inOrder, partsOf } = await import('../../../domain/words/segment.ts')
const { readableSegments, sentences, splitLong } = await import('../../../domain/words/sentences.ts')
const { storedTranscript } = await import('../../../domain/words/transcript-body.ts')
const { atoms, join } = await import('../../../domain/words/writing.ts')

const wordsOf = (text: string, timed: (index: number) => number): Word[] =>
  Array.from(text, (character, index) => ({ text: character, start: timed(index), end: timed(index + 1) }))

const functions: [string, (text: string) => unknown][] = [
  ['words of a line', (text) => atoms(text, 42)],
  ['join', (text) => join(text)],
  ['parts of a segment', (text) => [...partsOf({ start: 0, end: 9, text })]],
  ['sentences of timed characters', (text) => sentences(wordsOf(text, (index) => index / 10))],
  ['sentences of characters at the same time', (text) => sentences(wordsOf(text, () => 1))],
  ['sentences of words that have spaces', (text) => sentences(text.split(' ').map((each) => word(` ${each}`)))],
  ['split by length', (text) => splitLong([{ start: 0, end: 1_000, text }])],
  [
    'readable segments',
    (text) =>
      readableSegments(
        [{ start: 0, end: 1_000, text }],
        wordsOf(text, () => 1),
      ),
  ],
  ['order of segments at the same time', (text) => inOrder(segmentsOf(text, () => 1))],
  ['order of segments that overlap', (text) => inOrder(segmentsOf(text, (index) => index / 20))],
  ['storing', (text) => storedTranscript(segmentsOf(text, (index) => index))],
]

const word = (text: string): Word => ({ text, start: 0, end: 1 })

const segmentsOf = (text: string, startOf: (index: number) => number): Segment[] =>
  Array.from(text, (character, index) => ({ start: startOf(index), end: startOf(index) + 5, text: character }))

const SIZE = 800

test.each(functions)('%s: the work grows with the length of the text, whatever it contains', async (_, run) => {
  for (const [kind, textOf] of expensiveTexts)
    expect(await counter.growth((size) => run(textOf(size)), SIZE), kind).toBeLessThan(2.3)
})

test('work that grows with the square of the text is noticed', async () => {
  const scannedAgainAndAgain = (size: number) => Array.from({ length: size }, () => atoms('x'.repeat(size), 42))
  expect(await counter.growth(scannedAgainAndAgain, SIZE / 8)).toBeGreaterThan(3.5)
})

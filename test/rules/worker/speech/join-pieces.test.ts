import { expect, test } from 'vitest'
import { joinPieces } from '../../../../worker/speech/join-pieces.ts'
import { type RecognizedAudio, timedText } from '../../../../worker/speech/recognition.ts'

const piece = (
  text: string,
  language: string | null,
  at: [start: number, end: number],
  durationSeconds = 10,
): RecognizedAudio => ({
  segments: [{ start: at[0], end: at[1], text }],
  language,
  durationSeconds,
})

test('pieces in any order are joined in the order of the audio', () => {
  const joined = joinPieces([
    { offsetSeconds: 20.5, result: piece('third', 'en', [0.1, 2]) },
    { offsetSeconds: 0, result: piece('first', 'en', [1, 9]) },
    { offsetSeconds: 10.25, result: piece('second', 'en', [0, 3.1]) },
  ])
  expect(joined).toEqual({
    segments: [
      { start: 1, end: 9, text: 'first' },
      { start: 10.25, end: 13.35, text: 'second' },
      { start: 20.6, end: 22.5, text: 'third' },
    ],
    language: 'en',
    durationSeconds: 30.5,
  })
})

test('words are shifted with their piece', () => {
  const words = [{ start: 1, end: 1.5, text: 'hi', confidence: 0.9 }]
  const result = { ...piece('hi', 'en', [1, 2]), segments: [{ start: 1, end: 2, text: 'hi', words }] }
  expect(joinPieces([{ offsetSeconds: 60, result }]).segments).toEqual([
    { start: 61, end: 62, text: 'hi', words: [{ start: 61, end: 61.5, text: 'hi', confidence: 0.9 }] },
  ])
})

test('a segment that overlaps the next piece ends where that piece’s speech starts', () => {
  const joined = joinPieces([
    { offsetSeconds: 0, result: piece('one', 'en', [8, 11]) },
    { offsetSeconds: 10, result: piece('two', 'en', [0, 2]) },
  ])
  expect(joined.segments.map(({ end }) => end)).toEqual([10, 12])
})

test('the language is the one with the most text', () => {
  const joined = joinPieces([
    { offsetSeconds: 0, result: piece('la la', 'ko', [0, 1]) },
    { offsetSeconds: 10, result: piece('and now the whole of the news', 'en', [0, 1]) },
  ])
  expect(joined.language).toBe('en')
})

test('what answered is what answered for the first piece', () => {
  const [first, second] = [piece('one', 'en', [0, 1]), piece('two', 'en', [0, 1])]
  const joined = joinPieces([
    { offsetSeconds: 10, result: { ...second, model: 'universal-2', vocabulary: true } },
    { offsetSeconds: 0, result: { ...first, model: 'universal-3-5-pro', vocabulary: true } },
  ])
  expect(joined).toMatchObject({ model: 'universal-3-5-pro', vocabulary: true })
  expect(joinPieces([{ offsetSeconds: 0, result: { ...first, vocabulary: false } }])).toMatchObject({
    vocabulary: false,
  })
  expect(Object.keys(joinPieces([{ offsetSeconds: 0, result: first }]))).not.toEqual(
    expect.arrayContaining([expect.stringMatching(/^(model|vocabulary)$/)]),
  )
})

test('silent pieces only add their duration, and no pieces are a transcript without segments', () => {
  const quiet = { offsetSeconds: 10, result: { segments: [], language: null, durationSeconds: 5 } }
  const one = piece('one', 'en', [0, 1])
  expect(joinPieces([{ offsetSeconds: 0, result: one }, quiet]).segments).toEqual(one.segments)
  expect(joinPieces([quiet])).toEqual({ segments: [], language: null, durationSeconds: 15 })
  expect(joinPieces([])).toEqual({ segments: [], language: null, durationSeconds: 0 })
})

test('a segment that ends where it starts keeps its text', () => {
  const result = { ...piece('', 'en', [0, 1]), segments: [timedText(3, 3, 'Yes.')] }
  expect(joinPieces([{ offsetSeconds: 0, result }]).segments).toEqual([{ start: 3, end: 3.001, text: 'Yes.' }])
})

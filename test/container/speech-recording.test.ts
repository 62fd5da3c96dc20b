import { expect, test } from 'vitest'
import type { Heard, SpokenPiece } from '../../container/speech/engine/child.ts'
import { type Piece, recognizeRecording } from '../../container/speech/engine/recording.ts'

const BYTES_PER_SECOND = 32_000
const piece = (offsetSeconds: number, seconds: number): Piece => ({
  offsetSeconds,
  samples: Buffer.alloc(seconds * BYTES_PER_SECOND, offsetSeconds + 1),
})

const { signal } = new AbortController()

/** An engine that hears one word at the start of each piece, and leaves its last `left` seconds over. */
const listener = (left: number, answer: Partial<Heard> = {}) => {
  const asked: { seconds: number; language: string | null; isLast: boolean }[] = []
  const hear = async ({ samples, language, isLast }: SpokenPiece): Promise<Heard> => {
    const seconds = samples.byteLength / BYTES_PER_SECOND
    asked.push({ seconds, language, isLast })
    const heard = Math.max(0, isLast ? seconds : seconds - left) * 16_000
    const words = [{ text: ' Yes.', start: 0, end: 0.5 }]
    return { event: 'words', language: 'en', probability: 0.9, words, heard, ...answer }
  }
  return { asked, hear }
}

test('what is left over of a piece is heard in front of the next, and in the end by itself', async () => {
  const { asked, hear } = listener(4)
  const { segments, durationSeconds } = await recognizeRecording(
    [piece(0, 10), piece(10, 10)],
    { language: null, signal },
    hear,
  )
  expect(asked.map(({ seconds, isLast }) => [seconds, isLast])).toEqual([
    [10, false],
    [14, false],
    [4, true],
  ])
  expect(segments.map(({ start }) => start)).toEqual([0, 6, 16])
  expect(durationSeconds).toBe(20)
})

test('where a silent piece was left out, what is before it is not joined to what comes after', async () => {
  const { asked, hear } = listener(4)
  const { segments } = await recognizeRecording([piece(0, 10), piece(100, 10)], { language: null, signal }, hear)
  expect(asked.map(({ seconds, isLast }) => [seconds, isLast])).toEqual([
    [10, false],
    [4, true],
    [10, false],
    [4, true],
  ])
  expect(segments.map(({ start }) => start)).toEqual([0, 6, 100, 106])
})

test.each([
  ['a language that the engine is sure of is kept for the rest', { language: 'de', probability: 0.9 }, 'de'],
  ['one that it only guesses is asked for again', { language: 'nn', probability: 0.3 }, null],
  ['silence says nothing of the language', { language: null, probability: 0.9, words: [] }, null],
])('%s', async (_, answer, expected) => {
  const { asked, hear } = listener(0, answer)
  await recognizeRecording([piece(0, 10), piece(10, 10)], { language: null, signal }, hear)
  expect(asked.map(({ language }) => language)).toEqual([null, expected])
})

test('the language with the most words is the recording’s', async () => {
  const answers = ['cy', 'en', 'en'].map((language) => listener(0, { language, probability: 0.4 }).hear)
  const hear = (spoken: SpokenPiece) => (answers.shift() ?? listener(0).hear)(spoken)
  const pieces = [piece(0, 10), piece(10, 10), piece(20, 10)]
  expect((await recognizeRecording(pieces, { language: null, signal }, hear)).language).toBe('en')
})

test('a piece that cannot be had fails the recording', async () => {
  const pieces = (async function* () {
    yield piece(0, 10)
    throw new Error('not found')
  })()
  await expect(recognizeRecording(pieces, { language: null, signal }, listener(0).hear)).rejects.toThrow('not found')
})

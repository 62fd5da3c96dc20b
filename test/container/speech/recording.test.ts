import { expect, test } from 'vitest'
import type { RecognizedWords, RecognizeRequest } from '../../../container/speech/recognizer-process.ts'
import { type RecordingPiece, recognizeRecording } from '../../../container/speech/recording.ts'

const BYTES_PER_SECOND = 32_000
const piece = (offsetSeconds: number, seconds: number): RecordingPiece => ({
  offsetSeconds,
  samples: Buffer.alloc(seconds * BYTES_PER_SECOND, offsetSeconds + 1),
})

const { signal } = new AbortController()

/** A recognizer that finds one word at the start of each piece and does not consume its last `leftSeconds`. */
const fakeRecognizer = (leftSeconds: number, result: Partial<RecognizedWords> = {}) => {
  const requests: { seconds: number; language: string | null; continues: boolean; isLast: boolean }[] = []
  const recognizePiece = async ({
    samples,
    language,
    continues,
    isLast,
  }: RecognizeRequest): Promise<RecognizedWords> => {
    const seconds = samples.byteLength / BYTES_PER_SECOND
    requests.push({ seconds, language, continues, isLast })
    const consumedSamples = Math.max(0, isLast ? seconds : seconds - leftSeconds) * 16_000
    const words = [{ text: ' Yes.', start: 0, end: 0.5, confidence: 0.9 }]
    return { event: 'words', language: 'en', probability: 0.9, words, consumedSamples, model: 'base', ...result }
  }
  return { requests, recognizePiece }
}

test('the unconsumed end of a piece is recognized before the next piece, or last on its own', async () => {
  const { requests, recognizePiece } = fakeRecognizer(4)
  const { segments, durationSeconds } = await recognizeRecording(
    [piece(0, 10), piece(10, 10)],
    { language: null, signal },
    recognizePiece,
  )
  expect(requests.map(({ seconds, continues, isLast }) => [seconds, continues, isLast])).toEqual([
    [10, false, false],
    [14, true, false],
    [4, true, true],
  ])
  expect(segments.map(({ start }) => start)).toEqual([0, 6, 16])
  expect(durationSeconds).toBe(20)
})

test('words have the times of the recording, and no confidence where the engine has none', async () => {
  const words = [
    { text: ' Oh', start: 0, end: 0.25, confidence: 0.8 },
    { text: ' yes', start: 0.25, end: 0.5, confidence: null },
    { text: '.', start: 0.5, end: 0.5, confidence: 0.7 },
  ]
  const { recognizePiece } = fakeRecognizer(4, { words })
  const { segments } = await recognizeRecording([piece(0, 10)], { language: null, signal }, recognizePiece)
  expect(segments[1]?.words).toEqual([
    { text: 'Oh', start: 6, end: 6.25, confidence: 0.8 },
    { text: 'yes.', start: 6.25, end: 6.5, confidence: 0.7 },
  ])
})

test('pieces on both sides of an omitted silent piece are not joined', async () => {
  const { requests, recognizePiece } = fakeRecognizer(4)
  const { segments } = await recognizeRecording(
    [piece(0, 10), piece(100, 10)],
    { language: null, signal },
    recognizePiece,
  )
  expect(requests.map(({ seconds, continues, isLast }) => [seconds, continues, isLast])).toEqual([
    [10, false, false],
    [4, true, true],
    [10, false, false],
    [4, true, true],
  ])
  expect(segments.map(({ start }) => start)).toEqual([0, 6, 100, 106])
})

test.each([
  [
    'a language detected with high probability is kept for the following pieces',
    { language: 'de', probability: 0.9 },
    'de',
  ],
  ['a language detected with low probability is detected again', { language: 'nn', probability: 0.3 }, null],
  ['silence does not set the language', { language: null, probability: 0.9, words: [] }, null],
])('%s', async (_, result, expected) => {
  const { requests, recognizePiece } = fakeRecognizer(0, result)
  await recognizeRecording([piece(0, 10), piece(10, 10)], { language: null, signal }, recognizePiece)
  expect(requests.map(({ language }) => language)).toEqual([null, expected])
})

test('the language with the most text is the recording’s', async () => {
  const recognizers = ['cy', 'en', 'en'].map((language) => fakeRecognizer(0, { language, probability: 0.4 }))
  const recognizePiece = (request: RecognizeRequest) =>
    (recognizers.shift() ?? fakeRecognizer(0)).recognizePiece(request)
  const pieces = [piece(0, 10), piece(10, 10), piece(20, 10)]
  expect((await recognizeRecording(pieces, { language: null, signal }, recognizePiece)).language).toBe('en')
})

test('a piece that cannot be read fails the recording', async () => {
  const pieces = (async function* () {
    yield piece(0, 10)
    throw new Error('not found')
  })()
  await expect(
    recognizeRecording(pieces, { language: null, signal }, fakeRecognizer(0).recognizePiece),
  ).rejects.toThrow('not found')
})

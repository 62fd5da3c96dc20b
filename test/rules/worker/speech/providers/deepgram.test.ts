import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { deepgram } from '../../../../../worker/speech/providers/deepgram.ts'
import { pieceOf, resultOf } from '../../../../doubles/providers/audio-piece.ts'
import { startDeepgram } from '../../../../doubles/providers/deepgram.ts'
import { defaultSpeech, oggBytes, textOf } from '../../../../doubles/providers/speech.ts'

let service: Awaited<ReturnType<typeof startDeepgram>>
beforeAll(async () => {
  service = await startDeepgram()
})
afterAll(() => service.close())
beforeEach(() => {
  service.requests.length = 0
})

const start = (given: Parameters<typeof pieceOf>[0] = {}) =>
  deepgram(service.url).start(pieceOf({ apiKey: service.apiKey, ...given }))
const query = () => [...(service.requests[0]?.query ?? [])]

test('utterances become segments, and words keep their times', async () => {
  const result = resultOf(await start())
  expect(result).toMatchObject({
    text: textOf(defaultSpeech),
    language: 'en',
    durationSeconds: 5.75,
    segments: defaultSpeech.map(({ start, end, text }) => ({ start, end, text })),
  })
  expect(result.segments[0]?.words?.slice(0, 2)).toEqual([
    { start: 0, end: 0.25, text: 'Haul', confidence: 0.999 },
    { start: 0.25, end: 0.5, text: 'brings', confidence: 0.999 },
  ])
})

test('without a language it is detected, with nova-3 and formatting', async () => {
  await start()
  expect(query()).toEqual([
    ['model', 'nova-3'],
    ['smart_format', 'true'],
    ['detect_language', 'true'],
    ['utterances', 'true'],
  ])
})

test('the audio is sent as raw bytes with its type and length', async () => {
  const bytes = oggBytes(2_000_000, 3)
  await start({ bytes })
  expect(service.requests[0]).toMatchObject({
    sizeBytes: 2_000_000,
    headers: { 'content-type': 'audio/ogg', 'content-length': '2000000' },
  })
})

test('a language is sent as the caller wrote it', async () => {
  expect(resultOf(await start({ language: 'pt-BR' })).language).toBe('pt-BR')
  expect(query()).toContainEqual(['language', 'pt-BR'])
})

test('options are sent unchanged, arrays as repeated parameters', async () => {
  const options = {
    model: 'nova-2',
    smart_format: false,
    language: 'de',
    keyterm: ['Haul', 'R2 bucket'],
    utt_split: 0.6,
  }
  await start({ options, language: 'en' })
  expect(query()).toEqual([
    ['model', 'nova-2'],
    ['smart_format', 'false'],
    ['language', 'de'],
    ['keyterm', 'Haul'],
    ['keyterm', 'R2 bucket'],
    ['utt_split', '0.6'],
    ['utterances', 'true'],
  ])
})

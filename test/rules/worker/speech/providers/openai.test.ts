import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { openai } from '../../../../../worker/speech/providers/openai.ts'
import { pieceOf, resultOf } from '../../../../doubles/providers/audio-piece.ts'
import { startOpenAI } from '../../../../doubles/providers/openai.ts'
import { defaultSpeech, oggBytes, textOf } from '../../../../doubles/providers/speech.ts'

let service: Awaited<ReturnType<typeof startOpenAI>>
beforeAll(async () => {
  service = await startOpenAI()
})
afterAll(() => service.close())
beforeEach(() => {
  service.requests.length = 0
})

const start = (given: Parameters<typeof pieceOf>[0] = {}) =>
  openai(service.url).start(pieceOf({ apiKey: service.apiKey, ...given }))
const sent = () => Object.fromEntries(service.requests[0]?.fields ?? [])

test('whisper-1 returns segments in seconds, without leading spaces, and the language as a code', async () => {
  expect(resultOf(await start())).toEqual({
    text: textOf(defaultSpeech),
    language: 'en',
    model: 'whisper-1',
    durationSeconds: 5.75,
    segments: defaultSpeech.map(({ start, end, text }) => ({ start, end, text })),
  })
  expect(service.requests[0]?.fields).toEqual([
    ['model', 'whisper-1'],
    ['response_format', 'verbose_json'],
    ['timestamp_granularities[]', 'segment'],
    ['file', 'file audio.ogg'],
  ])
})

test('the request has a Content-Length, so the file is streamed', async () => {
  await start({ bytes: oggBytes(3_000_000) })
  expect(service.requests[0]?.headers['content-length']).toBe(String(service.requests[0]?.sizeBytes))
  expect(service.requests[0]?.headers['transfer-encoding']).toBeUndefined()
})

test('the largest piece fits into the limit of the whole body', async () => {
  const { maxBytes } = openai().limits
  expect(resultOf(await start({ bytes: oggBytes(maxBytes) })).segments).toHaveLength(3)
})

test('the region of a language is removed, because Whisper does not support regions', async () => {
  expect(resultOf(await start({ language: 'de-CH' })).language).toBe('de')
  expect(sent().language).toBe('de')
})

test("options are sent unchanged: arrays as name[], objects as name[key], and the caller's own model and language", async () => {
  const options = {
    model: 'gpt-4o-transcribe',
    language: 'fr',
    temperature: 0.2,
    prompt: 'Haul: "media"\r\nimport',
    include: ['logprobs'],
    chunking_strategy: { type: 'server_vad', threshold: 0.5 },
  }
  resultOf(await start({ language: 'en', options }))
  expect(service.requests[0]?.fields).toEqual([
    ['response_format', 'json'],
    ['model', 'gpt-4o-transcribe'],
    ['language', 'fr'],
    ['temperature', '0.2'],
    ['prompt', 'Haul: "media"\r\nimport'],
    ['include[]', 'logprobs'],
    ['chunking_strategy[type]', 'server_vad'],
    ['chunking_strategy[threshold]', '0.5'],
    ['file', 'file audio.ogg'],
  ])
})

test('an option whose name would end its header is escaped, and rejected by the service', async () => {
  const result = await start({ options: { 'x"\r\ncontent-type: text/html\r\n\r\n': 'y' } })
  expect(result).toMatchObject({ state: 'failed', failed: { code: 'PROVIDER_FAILED', retryable: false } })
  expect(service.requests[0]?.fields.map(([name]) => name)).toContain('file')
})

test('text without times is divided into readable segments over the whole piece', async () => {
  const options = { model: 'gpt-4o-mini-transcribe' }
  const { segments, durationSeconds } = resultOf(await start({ options, durationSeconds: 30 }))
  expect(segments.length).toBeGreaterThanOrEqual(3)
  expect(segments.map(({ text }) => text).join(' ')).toBe(textOf(defaultSpeech))
  expect([segments[0]?.start, segments.at(-1)?.end, durationSeconds]).toEqual([0, 30, 30])
})

test('a compatible service with a Whisper model returns segments', async () => {
  const groq = await startOpenAI({ models: ['whisper-large-v3-turbo'] })
  const result = await openai(groq.url).start(
    pieceOf({ apiKey: groq.apiKey, options: { model: 'whisper-large-v3-turbo' } }),
  )
  expect(resultOf(result).segments).toHaveLength(3)
  await groq.close()
})

import {
  APICallError,
  InvalidArgumentError,
  LoadAPIKeyError,
  LoadSettingError,
  NoSuchModelError,
} from '@ai-sdk/provider'
import { experimental_streamTranscribe as streamTranscribe, transcribe, UnsupportedFunctionalityError } from 'ai'
import { afterEach, expect, test, vi } from 'vitest'
import { createHaul, haul } from '../../../client/ai/index.ts'
import { HaulApiError, HaulConnectionError, HaulJobError } from '../../../client/src/index.ts'
import { data, drop, refused, scriptedService, stream } from './scripted-service.ts'

const service = scriptedService()
const audio = new URL('https://example.com/talk')
const jobId = 'trn_1'
const job = { jobId, type: 'transcription', url: audio.href, createdAt: '2026-11-22T12:00:00.000Z' }
const segment = { start: 0, end: 2, text: 'Hello there.' }
const result = {
  ...{
    text: 'Hello there.',
    source: 'builtin',
    title: 'A talk',
    language: 'en-GB',
    duration: 2.5,
    costInDollars: 0.01,
  },
  ...{ wordsAvailable: false, data: { segments: [segment] } },
}
const started = data({ jobId, status: 'queued', message: 'Queued.' }, 202)

afterEach(() => vi.unstubAllEnvs())

const provider = () => createHaul({ apiKey: 'key', baseUrl: service.url })
const model = (id = 'haul-auto') => provider().transcription(id)
const endsWith = (outcome: object) => {
  service.on('POST /transcribe', started)
  service.on(`GET /jobs/${jobId}/events`, stream([{ ...job, ...outcome }]))
}
const bodies = () => service.received('POST /transcribe').map(({ body }) => JSON.parse(`${body}`))
const errorOf = (promise: Promise<unknown>) =>
  promise.then(
    () => expect.unreachable(),
    (error) => error,
  )

test('a transcript has what the AI SDK promises, and the rest in providerMetadata', async () => {
  endsWith({ status: 'completed', result })
  const transcript = await transcribe({ model: model(), audio })
  expect(transcript).toMatchObject({
    ...{ text: 'Hello there.', language: 'en', durationInSeconds: 2.5, warnings: [] },
    segments: [{ text: 'Hello there.', startSecond: 0, endSecond: 2 }],
    responses: [{ modelId: 'haul-auto', timestamp: expect.any(Date) }],
  })
  expect(transcript.words).toBeUndefined()
  expect(transcript.providerMetadata).toEqual({
    haul: { jobId, costInDollars: 0.01, source: 'builtin', title: 'A talk', language: 'en-GB' },
  })
})

// It would write them into the log of the tests, which read them from the result.
globalThis.AI_SDK_LOG_WARNINGS = false

test('what is not known is left out: the language, and the times of words', async () => {
  endsWith({ status: 'completed', result: { ...result, language: 'und' } })
  const transcript = await transcribe({ model: model(), audio, timestampGranularities: ['word'] })
  expect(transcript.language).toBeUndefined()
  expect(transcript.words).toBeUndefined()
  expect(transcript.warnings).toMatchObject([{ type: 'unsupported', feature: 'word timestamps' }])
})

test('words, speakers, chapters and the service of a provider are there where the job has them', async () => {
  const words = [{ start: 0, end: 1, text: 'Hello' }]
  const chapters = [{ title: 'One', start: 0, end: 2 }]
  const facts = { ...result, wordsAvailable: true, chapters, source: 'provider_a', providerService: 'deepgram' }
  const segments = [{ ...segment, speaker: 'A', words }, segment]
  endsWith({ status: 'completed', result: facts })
  service.on('GET /transcribe/status', data({ ...job, status: 'completed', result: { ...facts, data: { segments } } }))
  const transcript = await transcribe({ model: model('deepgram'), audio, timestampGranularities: ['word'] })
  expect(transcript.words).toEqual([{ text: 'Hello', startSecond: 0, endSecond: 1 }])
  expect(transcript.providerMetadata.haul).toMatchObject({
    ...{ source: 'provider_a', providerService: 'deepgram', speakers: ['A', null], chapters },
  })
})

test.each([
  ['haul-auto', { mode: 'auto' }],
  ['haul-builtin', { mode: 'speech', provider: 'builtin' }],
  ['provider_a', { mode: 'speech', provider: 'provider_a' }],
  ['deepgram', { mode: 'speech', provider: 'deepgram' }],
])('the model %s asks for %o', async (id, fields) => {
  endsWith({ status: 'completed', result })
  await transcribe({ model: model(id), audio })
  expect(bodies()).toEqual([{ ...fields, url: audio.href }])
})

test('providerOptions.haul are fields of the request, and come before those of the model and of timestampGranularities', async () => {
  endsWith({ status: 'completed', result })
  const options = { language: 'de', mode: 'captions', words: false, metadata: { show: 'news' } }
  await transcribe({ model: model(), audio, timestampGranularities: ['word'], providerOptions: { haul: options } })
  expect(bodies()).toEqual([{ ...options, url: audio.href }])
})

test.each(['maxCost', 'url', 'uploadId', 'wait', 'idempotencyKey', 'toString'])(
  'the field %s of providerOptions.haul is refused before anything is sent',
  async (name) => {
    const providerOptions = { haul: { [name]: 'x' } }
    const error = await errorOf(transcribe({ model: model(), audio: new Uint8Array(3), providerOptions }))
    expect(InvalidArgumentError.isInstance(error)).toBe(true)
    expect(error.message).toContain(`no field ${name}`)
    expect(error.message).toContain('maxCostDollars')
    expect(service.received()).toEqual([])
  },
)

test('headers go to the service, and do not replace its own', async () => {
  endsWith({ status: 'completed', result })
  await transcribe({ model: model(), audio, headers: { 'x-trace': '1', authorization: 'Bearer other' } })
  expect(service.received()[0]?.headers).toMatchObject({
    ...{ 'x-trace': '1', authorization: 'Bearer key', 'user-agent': expect.stringContaining('ai/7') },
  })
})

test('a lost connection is tried again with one Idempotency-Key, and the SDK starts nothing more', async () => {
  service.on('POST /transcribe', drop)
  const error = await errorOf(transcribe({ model: model(), audio }))
  expect(APICallError.isInstance(error)).toBe(true)
  expect(error).toMatchObject({
    isRetryable: false,
    url: `${service.url}/transcribe`,
    cause: expect.any(HaulConnectionError),
  })
  const keys = service.received('POST /transcribe').map(({ headers }) => headers['idempotency-key'])
  expect(keys).toHaveLength(6)
  expect(new Set(keys).size).toBe(1)
})

test('a refusal has its status, its body and what is wrong with each field', async () => {
  const details = [{ path: 'provider', message: 'must be one of openai, deepgram' }]
  service.on('POST /transcribe', refused(400, 'INVALID_REQUEST', { details }))
  const options = { apiKey: 'secret', language: 'de' }
  const error = await errorOf(transcribe({ model: model('whisperx'), audio, providerOptions: { haul: options } }))
  expect(error).toMatchObject({ statusCode: 400, isRetryable: false, data: { code: 'INVALID_REQUEST', details } })
  expect(error.message).toBe('The service says INVALID_REQUEST. provider must be one of openai, deepgram.')
  expect(error.cause).toBeInstanceOf(HaulApiError)
  expect(error.requestBodyValues).toEqual({ mode: 'speech', provider: 'whisperx', language: 'de' })
  expect(bodies()).toHaveLength(1)
})

test('a job that has failed is not started again, even where that could help', async () => {
  endsWith({ status: 'failed', code: 'SOURCE_UNREACHABLE', message: 'The source is down.', retryable: true })
  const error = await errorOf(transcribe({ model: model(), audio }))
  expect(APICallError.isInstance(error)).toBe(true)
  expect(error).toMatchObject({ message: 'The source is down.', isRetryable: false, cause: expect.any(HaulJobError) })
  expect(error.data).toEqual({ jobId, code: 'SOURCE_UNREACHABLE', retryable: true, quote: undefined })
  expect(bodies()).toHaveLength(1)
})

test('aborting rejects with the reason once the job is canceled', async () => {
  service.on('POST /transcribe', started)
  service.on(`GET /jobs/${jobId}/events`, stream([{ ...job, status: 'queued' }], 'hang'))
  const canceling = `DELETE /jobs/${jobId}`
  service.on(canceling, data({ ...job, status: 'failed', code: 'CANCELED' }))
  const controller = new AbortController()
  const transcript = errorOf(transcribe({ model: model(), audio, abortSignal: controller.signal }))
  await service.requested(`GET /jobs/${jobId}/events`)
  controller.abort()
  expect(await transcript).toMatchObject({ name: 'AbortError' })
  expect(service.received(canceling)).toHaveLength(1)
})

test.each([
  [{ estimatedMinutes: 5, estimatedCostDollars: 0.06 }, 'Unknown. It will cost about $0.06. '],
  [undefined, 'Unknown. '],
])('if a ceiling is missing, the error says where to set it, and the price if it is known', async (quote, text) => {
  endsWith({ status: 'failed', code: 'MAX_COST_REQUIRED', message: 'Unknown.', retryable: false, quote })
  const error = await errorOf(transcribe({ model: model(), audio }))
  expect(error.message).toBe(`${text}Set providerOptions: { haul: { maxCostDollars } }.`)
})

test('a removed transcript is an error, not an empty text', async () => {
  const { text, data: segments, ...rest } = result
  endsWith({ status: 'completed', result: rest })
  const error = await errorOf(transcribe({ model: model(), audio }))
  expect(error).toMatchObject({ statusCode: 410, data: { code: 'MEDIA_EXPIRED' } })
  await expect(service.client().transcribe(audio)).rejects.toMatchObject({ status: 410, code: 'MEDIA_EXPIRED' })
})

test('without a key or an address the error says how to give one, and the variables are read with each call', async () => {
  vi.stubEnv('HAUL_API_KEY', '')
  vi.stubEnv('HAUL_URL', '')
  const noKey = await errorOf(transcribe({ model: haul.transcription('haul-auto'), audio }))
  expect(LoadAPIKeyError.isInstance(noKey)).toBe(true)
  expect(noKey.message).toContain('HAUL_API_KEY')
  vi.stubEnv('HAUL_API_KEY', 'from-environment')
  const noUrl = await errorOf(transcribe({ model: haul.transcription('haul-auto'), audio }))
  expect(LoadSettingError.isInstance(noUrl)).toBe(true)
  vi.stubEnv('HAUL_URL', service.url)
  endsWith({ status: 'completed', result })
  await transcribe({ model: haul.transcription('haul-auto'), audio })
  expect(service.received()[0]?.headers.authorization).toBe('Bearer from-environment')
})

test.each(['languageModel', 'embeddingModel', 'imageModel'] as const)('Haul has no %s', (kind) => {
  try {
    provider()[kind]('haul-auto')
    expect.unreachable()
  } catch (error) {
    expect(NoSuchModelError.isInstance(error) && error.modelType).toBe(kind)
  }
})

test('a live stream of audio is refused by the SDK', async () => {
  const inputAudioFormat = { type: 'audio/pcm', rate: 16_000 } as const
  const live = () => streamTranscribe({ model: model(), audio: new ReadableStream(), inputAudioFormat }).text
  const error = await errorOf(Promise.resolve().then(live))
  expect(UnsupportedFunctionalityError.isInstance(error)).toBe(true)
})

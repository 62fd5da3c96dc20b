import { DeepgramClient, DeepgramError } from '@deepgram/sdk'
import { AssemblyAI } from 'assemblyai'
import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { assemblyaiErrors, startAssemblyAI } from '../../../../doubles/providers/assemblyai.ts'
import { deepgramErrors, startDeepgram } from '../../../../doubles/providers/deepgram.ts'
import { openaiErrors, startOpenAI } from '../../../../doubles/providers/openai.ts'
import { defaultSpeech, oggBytes, textOf } from '../../../../doubles/providers/speech.ts'

/** The official clients must accept our fakes, so a fake that differs from the real API fails here. */

describe('the OpenAI client', () => {
  let service: Awaited<ReturnType<typeof startOpenAI>>
  let client: OpenAI
  beforeAll(async () => {
    service = await startOpenAI()
    client = new OpenAI({ apiKey: service.apiKey, baseURL: service.url, maxRetries: 0 })
  })
  afterAll(() => service.close())
  const file = () => toFile(oggBytes(), 'audio.ogg')

  test('reads segments and words out of verbose_json', async () => {
    const transcript = await client.audio.transcriptions.create({
      file: await file(),
      model: 'whisper-1',
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    })
    expect(transcript.language).toBe('english')
    expect(transcript.segments?.map(({ text }) => text.trim())).toEqual(defaultSpeech.map(({ text }) => text))
    expect(transcript.words?.[0]).toEqual({ word: 'Haul', start: 0, end: 0.25 })
    expect(transcript.usage).toEqual({ type: 'duration', seconds: 6 })
  })

  test('reads speakers out of diarized_json, and text out of json', async () => {
    const diarized = await client.audio.transcriptions.create({
      file: await file(),
      model: 'gpt-4o-transcribe-diarize',
      response_format: 'diarized_json',
      chunking_strategy: 'auto',
    })
    expect(diarized).toMatchObject({ segments: [{ speaker: 'A', type: 'transcript.text.segment' }, {}, {}] })
    const plain = await client.audio.transcriptions.create({ file: await file(), model: 'gpt-4o-transcribe' })
    expect(plain.text).toBe(textOf(defaultSpeech))
  })

  test('encodes nested options like our adapter', async () => {
    await client.audio.transcriptions.create({
      file: await file(),
      model: 'gpt-4o-transcribe',
      include: ['logprobs'],
      chunking_strategy: { type: 'server_vad', threshold: 0.5 },
    })
    expect(service.requests.at(-1)?.fields).toEqual(
      expect.arrayContaining([
        ['include[]', 'logprobs'],
        ['chunking_strategy[type]', 'server_vad'],
        ['chunking_strategy[threshold]', '0.5'],
      ]),
    )
  })

  test('recognizes each kind of error', async () => {
    const create = async (model = 'whisper-1') => client.audio.transcriptions.create({ file: await file(), model })
    service.next(openaiErrors.keyRejected('sk-proj-1234567890'))
    await expect(create()).rejects.toThrow(OpenAI.AuthenticationError)
    service.next(openaiErrors.quota)
    await expect(create()).rejects.toMatchObject({ status: 429, code: 'insufficient_quota' })
    service.next(openaiErrors.rateLimited(3))
    await expect(create()).rejects.toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    service.next(openaiErrors.tooLarge(26_300_000))
    await expect(create()).rejects.toMatchObject({ status: 413, type: 'server_error' })
    await expect(create('whisper-9')).rejects.toThrow(OpenAI.NotFoundError)
    service.next(openaiErrors.serverError)
    await expect(create()).rejects.toThrow(OpenAI.InternalServerError)
  })

  test('is limited by the size of the whole body, not of the file', async () => {
    const wall = await toFile(oggBytes(26_214_400), 'audio.ogg')
    await expect(client.audio.transcriptions.create({ file: wall, model: 'whisper-1' })).rejects.toMatchObject({
      status: 413,
    })
  })

  test('cannot request a format that the model does not support', async () => {
    const create = client.audio.transcriptions.create({
      file: await file(),
      model: 'gpt-4o-transcribe',
      response_format: 'verbose_json',
    })
    await expect(create).rejects.toMatchObject({ status: 400, code: 'unsupported_value', param: 'response_format' })
  })
})

describe('the Deepgram client', () => {
  let service: Awaited<ReturnType<typeof startDeepgram>>
  let client: DeepgramClient
  beforeAll(async () => {
    service = await startDeepgram()
    client = new DeepgramClient({ apiKey: service.apiKey, baseUrl: service.url, maxRetries: 0 })
  })
  afterAll(() => service.close())
  const listen = () =>
    client.listen.v1.media.transcribeFile(oggBytes(), {
      model: 'nova-3',
      smart_format: true,
      utterances: true,
      detect_language: true,
      diarize: true,
    })

  test('reads utterances, words, speakers and the detected language', async () => {
    const transcript = await listen()
    if (!('results' in transcript)) throw new Error('Expected a transcript')
    expect(transcript.results.utterances?.map(({ transcript }) => transcript)).toEqual(
      defaultSpeech.map(({ text }) => text),
    )
    expect(transcript.results.channels[0]?.detected_language).toBe('en')
    expect(transcript.results.channels[0]?.alternatives?.[0]?.words?.[0]).toMatchObject({
      word: 'haul',
      start: 0,
      speaker: 0,
    })
    expect(transcript.metadata).toMatchObject({ duration: 5.75, channels: 1 })
  })

  test('sends repeated parameters like our adapter', async () => {
    await client.listen.v1.media.transcribeFile(oggBytes(), { model: 'nova-3', keyterm: ['Haul', 'R2 bucket'] })
    expect(service.requests.at(-1)?.query.getAll('keyterm')).toEqual(['Haul', 'R2 bucket'])
  })

  test.each([
    [deepgramErrors.keyRejected(), 401, { err_code: 'INVALID_AUTH' }],
    [deepgramErrors.quota(), 402, { err_code: 'ASR_PAYMENT_REQUIRED' }],
    [deepgramErrors.rateLimited(), 429, { err_code: 'TOO_MANY_REQUESTS' }],
    [deepgramErrors.unprocessable, 422, { category: 'UNPROCESSABLE_ENTITY' }],
  ])('recognizes each kind of error: %#', async (response, statusCode, body) => {
    service.next(response)
    const error: unknown = await listen().then(
      () => null,
      (thrown: unknown) => thrown,
    )
    expect(error).toBeInstanceOf(DeepgramError)
    expect(error).toMatchObject({ statusCode, body })
  })
})

describe('the AssemblyAI client', () => {
  let service: Awaited<ReturnType<typeof startAssemblyAI>>
  let client: AssemblyAI
  beforeAll(async () => {
    service = await startAssemblyAI()
    client = new AssemblyAI({ apiKey: service.apiKey, baseUrl: service.url })
  })
  afterAll(() => service.close())
  const transcribe = (audio: Uint8Array) =>
    client.transcripts.transcribe(
      { audio: Buffer.from(audio), speech_models: ['universal-3-5-pro', 'universal-2'], language_detection: true },
      { pollingInterval: 1 },
    )

  test('uploads, waits, reads sentences and deletes', async () => {
    const transcript = await transcribe(oggBytes())
    expect(transcript).toMatchObject({ status: 'completed', text: textOf(defaultSpeech), audio_duration: 6 })
    const { sentences } = await client.transcripts.sentences(transcript.id)
    expect(sentences[1]).toMatchObject({ text: defaultSpeech[1]?.text, start: 2_000, end: 3_500 })
    expect(await client.transcripts.delete(transcript.id)).toMatchObject({ text: 'Deleted by user.', words: null })
  })

  test('returns a failed job as a transcript with an error', async () => {
    const transcript = await transcribe(new TextEncoder().encode('hello'))
    expect(transcript).toMatchObject({
      status: 'error',
      error: expect.stringContaining('does not appear to contain audio'),
    })
  })

  test('throws the message of an error response', async () => {
    service.next(assemblyaiErrors.quota, /transcript/)
    await expect(transcribe(oggBytes())).rejects.toThrow('account balance is negative')
    const stranger = new AssemblyAI({ apiKey: 'wrong', baseUrl: service.url })
    await expect(stranger.files.upload(Buffer.from(oggBytes()))).rejects.toThrow('API token missing/invalid')
  })
})

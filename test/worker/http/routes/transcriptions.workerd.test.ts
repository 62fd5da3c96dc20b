import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { transcriptKey } from '../../../../domain/media/media-keys.ts'
import worker from '../../../../worker/index.ts'
import { namesIn } from '../../support/caller.ts'
import { eventually } from '../../support/clock.ts'
import {
  completedWithCaptions,
  completedWithTranscript,
  findCaptions,
  finishCaptionsStep,
  jobOf,
  newCaller,
  SOURCE,
} from '../../support/transcriptions.ts'

describe('refused before a job is created', () => {
  test.each([
    ['no url', { url: undefined }, 'url'],
    ['an unknown field', { providor: 'builtin' }, 'providor'],
    ['an unknown provider', { provider: 'whisper' }, 'provider'],
    ['an unknown mode', { mode: 'fast' }, 'mode'],
    ['captions by a provider', { mode: 'captions', provider: 'builtin' }, 'provider'],
    ['captions before captions', { mode: 'captions', captionsFirst: true }, 'captionsFirst'],
    ['captions with a key', { mode: 'captions', apiKey: 'some-key' }, 'apiKey'],
    ['speech after captions', { mode: 'speech', captionsFirst: true }, 'captionsFirst'],
    ['a key for the built-in speech of a mode', { mode: 'auto', apiKey: 'some-key' }, 'apiKey'],
    ['a key without a provider', { apiKey: 'some-key' }, 'apiKey'],
    ['a key for the built-in speech', { provider: 'builtin', apiKey: 'some-key' }, 'apiKey'],
    ['a key with a line break', { provider: 'provider_a', apiKey: 'some\nkey' }, 'apiKey'],
    ['options for the built-in speech', { provider: 'builtin', providerOptions: { model: 'x' } }, 'providerOptions'],
    [
      'an option that reading the answer depends on',
      { provider: 'provider_a', apiKey: 'k', providerOptions: { response_format: 'text' } },
      'providerOptions.response_format',
    ],
    [
      'options of 20 KB',
      { provider: 'provider_a', apiKey: 'k', providerOptions: { prompt: 'x'.repeat(20_000) } },
      'providerOptions',
    ],
    [
      'an option that contradicts speakers',
      { provider: 'provider_b', apiKey: 'k', speakers: true, providerOptions: { diarize: false } },
      'providerOptions.diarize',
    ],
    ['speakers by name', { provider: 'provider_c', speakers: 'two' }, 'speakers'],
    ['more speakers at least than at most', { provider: 'provider_c', speakers: { min: 3, max: 2 } }, 'speakers.max'],
    ['a prompt that is too long', { provider: 'builtin', prompt: 'x'.repeat(1_001) }, 'prompt'],
    ['a keyword that is too long', { provider: 'builtin', keywords: ['Haul', 'x'.repeat(61)] }, 'keywords.1'],
    ['an empty keyword', { provider: 'builtin', keywords: [' '] }, 'keywords.0'],
    ['too many keywords', { provider: 'builtin', keywords: Array.from({ length: 101 }, () => 'Haul') }, 'keywords'],
    ['keywords in one text', { provider: 'builtin', keywords: 'Haul, Zoe' }, 'keywords'],
    ['a translation into no language', { provider: 'builtin', translate: 'yes, please' }, 'translate'],
    ['a maximum cost of zero', { provider: 'builtin', maxCostDollars: 0 }, 'maxCostDollars'],
    ['an invalid language', { language: 'English, please' }, 'language'],
    ['a webhook to a private address', { webhookUrl: 'http://127.0.0.1:1/hook' }, 'webhookUrl'],
  ])('%s', async (_, fields, path) => {
    const caller = await newCaller()
    const { status, body } = await caller.callApi('POST', '/transcribe', { url: SOURCE, ...fields })
    expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
    expect(body.details.map((detail: { path: string }) => detail.path)).toContain(path)
  })

  test.each([
    ['speakers from captions', { speakers: true }, 'speakers', 'by builtin, provider_a, provider_b, provider_c'],
    ['speakers with mode captions', { mode: 'captions', speakers: true }, 'speakers', 'by builtin, provider_a'],
    ['translated captions', { translate: 'en' }, 'translate', 'by builtin'],
    ['a translation into German', { provider: 'builtin', translate: 'de' }, 'translate', 'into en'],
    [
      'a number of speakers from Deepgram',
      { provider: 'provider_b', speakers: { min: 2 } },
      'speakers.min',
      'by builtin, provider_c',
    ],
    [
      'words from a model without them',
      { provider: 'provider_a', words: true, providerOptions: { model: 'gpt-4o-transcribe' } },
      'words',
      'only whisper-1',
    ],
  ])('an option that the engine does not have: %s', async (_, fields, option, help) => {
    const caller = await newCaller()
    const { status, body } = await caller.callApi('POST', '/transcribe', { url: SOURCE, ...fields })
    expect([status, body.code]).toEqual([400, 'OPTION_UNSUPPORTED'])
    expect(body.details).toEqual([{ path: option, message: body.error }])
    expect(body.error).toMatch(new RegExp(`^${option} is not supported: .*${help}`))
    expect(await caller.money()).toMatchObject({ heldDollars: 0 })
  })

  test('but words are accepted for captions, and speakers for captions before a provider', async () => {
    const caller = await newCaller()
    await caller.transcribe({ words: true })
    await caller.transcribe({ words: true, provider: 'builtin' })
    await caller.transcribe({ captionsFirst: true, provider: 'provider_b', apiKey: 'k', speakers: true, words: true })
  })

  test('a provider without a sent or stored key', async () => {
    const caller = await newCaller()
    const { status, body } = await caller.callApi('POST', '/transcribe', { url: SOURCE, provider: 'provider_c' })
    expect([status, body.code]).toEqual([400, 'PROVIDER_KEY_REQUIRED'])
  })

  test('an unreachable URL', async () => {
    const { body } = await (await newCaller()).callApi('POST', '/transcribe', { url: 'https://status.example/404' })
    expect(body.code).toBe('UNREACHABLE_URL')
  })

  test('a job that the balance does not cover', async () => {
    const caller = await newCaller(0.039)
    const { status, body } = await caller.callApi('POST', '/transcribe', { url: SOURCE, provider: 'builtin' })
    expect([status, body]).toEqual([402, expect.objectContaining({ requiredDollars: 0.04, availableDollars: 0.039 })])
  })
})

describe('the way to a transcript', () => {
  const engineOf = async (fields: object) => {
    const caller = await newCaller()
    const { request, step } = await jobOf(caller, await caller.transcribe(fields))
    return { provider: request.provider, captionsFirst: request.captionsFirst, step }
  }
  const speech = { captionsFirst: false, step: 'audio' }
  const captions = { captionsFirst: false, provider: null, step: 'captions' }
  const auto = { captionsFirst: true, step: 'captions' }

  test.each([
    [{}, captions],
    [{ mode: 'captions' }, captions],
    [{ provider: 'builtin' }, { ...speech, provider: 'builtin' }],
    [{ mode: 'speech' }, { ...speech, provider: 'builtin' }],
    [
      { mode: 'speech', provider: 'provider_b', apiKey: 'k' },
      { ...speech, provider: 'provider_b' },
    ],
    [{ mode: 'auto' }, { ...auto, provider: 'builtin' }],
    [
      { mode: 'auto', provider: 'provider_c', apiKey: 'k' },
      { ...auto, provider: 'provider_c' },
    ],
    [
      { mode: 'auto', captionsFirst: true },
      { ...auto, provider: 'builtin' },
    ],
    [
      { provider: 'builtin', captionsFirst: true },
      { ...auto, provider: 'builtin' },
    ],
    [
      { provider: 'openai', apiKey: 'k' },
      { ...speech, provider: 'provider_a' },
    ],
    [
      { provider: 'deepgram', apiKey: 'k' },
      { ...speech, provider: 'provider_b' },
    ],
    [
      { mode: 'auto', provider: 'assemblyai', apiKey: 'k' },
      { ...auto, provider: 'provider_c' },
    ],
  ])('%j is %j', async (fields, engine) => expect(await engineOf(fields)).toEqual(engine))

  test.each([
    [{ mode: 'captions' }, {}],
    [{ mode: 'auto' }, { provider: 'builtin', captionsFirst: true }],
  ])('a request with %j reuses the job of one with %j', async (fields, same) => {
    const caller = await newCaller()
    const jobId = await caller.transcribe(fields)
    await finishCaptionsStep(caller, jobId)
    expect(await caller.transcribe({ ...same, reuseWithinSeconds: 60 })).toBe(jobId)
  })
})

describe('where two providers are one service, and another service is none', () => {
  const other = { ...env, PROVIDER_B: 'openai' }
  const post = async (path: string, body: object) => {
    const { apiKey, callApi } = await newCaller()
    const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
    const request = new Request(`https://haul.test${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const response = await worker.fetch(request, other, createExecutionContext())
    // biome-ignore lint/suspicious/noExplicitAny: tests assert the shape of the JSON themselves.
    return { callApi, status: response.status, body: await response.json<any>() }
  }
  const configured = 'provider_a (openai), provider_b (openai), provider_c (assemblyai)'

  test.each([
    ['/transcribe', { url: SOURCE, provider: 'deepgram', apiKey: 'k' }, 'provider'],
    ['/batches', { urls: [SOURCE], transcribe: { provider: 'deepgram', apiKey: 'k' } }, 'transcribe.provider'],
    ['/transcription-provider', { provider: 'deepgram', apiKey: 'k' }, 'provider'],
  ])('POST %s refuses it, and says what is configured', async (path, request, field) => {
    const { status, body, callApi } = await post(path, request)
    const message = `must be one that is configured here: ${configured}`
    expect([status, body.code, body.details]).toEqual([400, 'INVALID_REQUEST', [{ path: field, message }]])
    expect(body.error).toBe(`The request is not valid: provider: ${message}`)
    expect((await callApi('GET', '/jobs')).body.data.jobs).toEqual([])
  })

  test('the service is the first of its providers', async () => {
    const { status, body } = await post('/transcription-provider', { provider: 'openai', apiKey: 'some-key' })
    expect([status, body.data.provider]).toEqual([200, 'provider_a'])
  })
})

describe('a transcript as a file', () => {
  test.each([
    ['json', 'application/json'],
    ['txt', 'text/plain; charset=utf-8'],
    ['srt', 'application/x-subrip; charset=utf-8'],
    ['vtt', 'text/vtt; charset=utf-8'],
    ['tsv', 'text/tab-separated-values; charset=utf-8'],
    ['md', 'text/markdown; charset=utf-8'],
  ])('%s with 10,000 segments is complete', async (format, type) => {
    const { caller, jobId } = await completedWithCaptions(10_000)
    const response = await caller.fetch(`/transcribe/transcript?id=${jobId}&format=${format}`)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, type])
    expect(response.headers.get('content-disposition')).toBe(`attachment; filename=${jobId}.${format}`)
    const text = await response.text()
    expect(text.match(/Caption number \d+\./g)?.length).toBe(format === 'json' ? 20_000 : 10_000)
    if (format !== 'json') return
    expect(JSON.parse(text)).toEqual({
      ...{ text: expect.any(String), segments: expect.any(Array), source: 'platform_captions', title: null },
      ...{ language: 'en', duration: 90, vocabulary: false, wordsAvailable: false },
      ...{ extractor: null, extractorVersion: null },
    })
  })

  test('is not available before the job ends, after it was removed, for failed jobs and for other accounts', async () => {
    const caller = await newCaller()
    const read = async (id: string, by = caller) => {
      const { status, body } = await by.callApi('GET', `/transcribe/transcript?id=${id}&format=srt`)
      return [status, body.code]
    }
    const jobId = await caller.transcribe({})
    expect(await read(jobId)).toEqual([409, 'TRANSCRIPT_NOT_READY'])
    await finishCaptionsStep(caller, jobId)
    expect(await read(jobId, await newCaller())).toEqual([404, 'JOB_NOT_FOUND'])
    await caller.callApi('DELETE', `/jobs/${jobId}`)
    expect(await read(jobId)).toEqual([410, 'MEDIA_EXPIRED'])
    const failed = await caller.transcribe({})
    await findCaptions(caller, failed)
    expect(await read(failed)).toEqual([404, 'NOT_FOUND'])
    expect(await read('trn_nothing')).toEqual([404, 'JOB_NOT_FOUND'])
  })
})

describe('a transcript of 2 MB in one segment, as captions without times may be', async () => {
  const oneSegment = { start: 0, end: 3_600, text: 'some words of a talk, '.repeat(90_000).trim() }
  const { caller, jobId, text } = await completedWithTranscript([oneSegment])

  /** How many requests are answered, one after the other, until the response has been read. */
  const answeredWhile = async (reading: Promise<unknown>): Promise<number> => {
    let isRead = false
    const ended = reading.finally(() => {
      isRead = true
    })
    let answered = 0
    while (!isRead) {
      await scheduler.wait(0)
      await caller.callApi('GET', '/health')
      answered++
    }
    await ended
    return answered
  }

  test.each(['srt', 'vtt', 'txt'])(
    'is written as %s in pieces, between which other requests are answered',
    async (as) => {
      let written = ''
      const read = async () => {
        written = await (await caller.fetch(`/transcribe/transcript?id=${jobId}&format=${as}`)).text()
      }
      // Each takes up to 64 KiB of what is written.
      expect(await answeredWhile(read())).toBeGreaterThan(20)
      const words = written
        .replaceAll(/^(?:WEBVTT|\d+|[\d:.,]+ --> [\d:.,]+)\s*$/gm, '')
        .replaceAll(/\s+/g, ' ')
        .trim()
      expect(words === text).toBe(true)
    },
  )
})

test('a removed transcript keeps its facts and price but no text', async () => {
  const { caller, jobId } = await completedWithCaptions()
  const removed = (await caller.callApi('DELETE', `/jobs/${jobId}`)).body.data
  expect(removed).toMatchObject({ status: 'completed', removedAt: expect.any(String), result: { costInDollars: 0.01 } })
  expect(removed.result).not.toHaveProperty('text')
  expect(removed.result).not.toHaveProperty('data')
  expect(await caller.status(jobId)).toMatchObject({ status: 'completed', result: { source: 'platform_captions' } })
  await eventually(async () =>
    expect(await env.MEDIA.head(transcriptKey(jobId, 'captions', await namesIn(jobId)))).toBeNull(),
  )
})

import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { type FailureCode, failure, failures, type Quote, withQuote } from '../../../../domain/codes/failures.ts'
import { toHex } from '../../../../domain/encoding.ts'
import { uploadKey } from '../../../../domain/media/media-keys.ts'
import { micros } from '../../../../domain/money/money.ts'
import type { Segment } from '../../../../domain/words/segment.ts'
import { namesIn, numbered } from '../../support/caller.ts'
import {
  expectNothingStored,
  type Fields,
  fileOf,
  heard,
  jobsOf,
  liveJob,
  receivedFiles,
  transcribe,
} from '../../support/openai.ts'
import { finishCaptionsStep, leaseOf, newCaller, recognizeAs, SOURCE } from '../../support/transcriptions.ts'

const segments: Segment[] = [
  {
    start: 0.5,
    end: 2,
    text: 'Good morning,',
    words: [
      { start: 0.5, end: 0.9, text: 'Good' },
      { start: 1, end: 2, text: 'morning,' },
    ],
  },
  { start: 2.5, end: 4, text: '“everyone”.', words: [{ start: 2.5, end: 4, text: '“everyone”.', confidence: 0.5 }] },
]
const text = 'Good morning, “everyone”.'
const file: [string, File] = ['file', fileOf('the bytes of a talk')]
// The fake container says that 19 bytes find no place.
const talk: [string, File] = ['file', fileOf('the bytes of a long talk')]

const usage = { type: 'duration', seconds: 90 }
const unmeasured = { seek: 0, tokens: [], temperature: 0, avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 }
const shownSegments = segments.map(({ start, end, text }, id) => ({ id, start, end, text, ...unmeasured }))
const shownWords = segments.flatMap(({ words = [] }) =>
  words.map(({ text, start, end }) => ({ word: text, start, end })),
)
const verbose = { task: 'transcribe', language: 'english', duration: 90, text, usage }

const asked = (...granularities: string[]): Fields => [
  ['response_format', 'verbose_json'],
  ...granularities.map((name): [string, string] => ['timestamp_granularities[]', name]),
]

describe('a transcript is returned', () => {
  test.each<[string, Fields, unknown]>([
    ['as JSON', [], { text, usage }],
    ['as JSON, if it is named', [['response_format', 'json']], { text, usage }],
    ['with segments', [['response_format', 'verbose_json']], { ...verbose, segments: shownSegments }],
    ['with words', asked('word'), { ...verbose, words: shownWords }],
    ['with both', asked('segment', 'word'), { ...verbose, segments: shownSegments, words: shownWords }],
  ])('%s', async (_, fields, body) => {
    const caller = await newCaller()
    const response = await heard(caller, [talk, ['model', 'whisper-1'], ...fields], segments)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(response.body).toEqual(body)
    const [job] = await jobsOf(caller)
    expect(response.headers.get('x-haul-job-id')).toBe(job?.jobId)
  })

  test.each<[string, string, string | RegExp]>([
    ['text', 'text/plain; charset=utf-8', `${text}\n`],
    ['srt', 'application/x-subrip; charset=utf-8', /^1\r\n00:00:00,500 --> 00:00:02,000\r\nGood morning,\r\n/],
    ['vtt', 'text/vtt; charset=utf-8', /^WEBVTT\n\n00:00:00\.500 --> 00:00:02\.000\nGood morning,\n/],
  ])('as %s', async (format, contentType, content) => {
    const response = await heard(await newCaller(), [talk, ['response_format', format]], segments)
    expect([response.status, response.headers.get('content-type')]).toEqual([200, contentType])
    expect(response.text).toMatch(content)
  })

  test('in the language that the request names, whatever the order of the fields, and unknown fields are ignored', async () => {
    const caller = await newCaller()
    const fields: Fields = [
      ['prompt', 'Names: Haul.'],
      ['language', 'en'],
      ['temperature', '0.2'],
      talk,
      ['chunking_strategy', 'auto'],
      ['include[]', 'logprobs'],
      ['stream', 'false'],
      ['response_format', 'text'],
      ['model', ''],
    ]
    expect((await heard(caller, fields, segments)).text).toBe(`${text}\n`)
  })

  test('segment by segment, however long it is', async () => {
    const many = Array.from({ length: 3_000 }, (_, index) => ({
      start: index,
      end: index + 1,
      text: `Segment ${index}.`,
      words: [{ start: index, end: index + 0.5, text: 'Segment' }],
    }))
    const { body } = await heard(await newCaller(), [talk, ...asked('segment', 'word')], many)
    expect([body.segments.length, body.words.length]).toEqual([3_000, 3_000])
    expect(body.segments[2_999]).toMatchObject({ id: 2_999, start: 2_999, text: 'Segment 2999.' })
    expect(body.text).toHaveLength(many.map((segment) => segment.text).join(' ').length)
  })
})

describe('a URL', () => {
  test('has its captions returned, for their price, and no invented word times', async () => {
    const caller = await newCaller()
    const responding = transcribe(caller, [['url', SOURCE], ...asked('segment', 'word')])
    const jobId = await liveJob(caller)
    await finishCaptionsStep(caller, jobId)
    const { status, body } = await responding
    expect([status, body.text]).toEqual([200, 'Caption number 1. Caption number 2.'])
    expect(body.segments).toHaveLength(2)
    expect(body).not.toHaveProperty('words')
    expect((await caller.money()).balanceDollars).toBe(9.99)
    expect(await receivedFiles(caller)).toEqual([])
  })

  test.each([
    ['haul-auto', 'captions'],
    ['haul-builtin', 'audio'],
    ['whisper-1', 'audio'],
  ] as const)('with %s starts with the step %s', async (model, step) => {
    const caller = await newCaller()
    const { status, body } = await transcribe(
      caller,
      [
        ['url', SOURCE],
        ['model', model],
      ],
      { waitMs: 1 },
    )
    expect(status).toBe(504)
    expect(await caller.account.claim(body.error.jobId, step)).toMatchObject({
      job: { request: { provider: 'builtin' } },
    })
  })

  test('with a provider needs the key that is stored for it', async () => {
    const caller = await newCaller()
    const fields: Fields = [
      ['url', SOURCE],
      ['model', 'provider_b'],
    ]
    const refused = await transcribe(caller, fields)
    expect([refused.status, refused.body.error]).toMatchObject([400, { code: 'PROVIDER_KEY_REQUIRED', param: 'model' }])
    await caller.callApi('POST', '/transcription-provider', { provider: 'provider_b', apiKey: 'the-key-of-deepgram' })
    expect((await transcribe(caller, fields, { waitMs: 1 })).status).toBe(504)
  })

  test('that does not answer is refused before a job exists', async () => {
    const caller = await newCaller()
    const { status, body } = await transcribe(caller, [['url', 'https://status.example/404']])
    expect([status, body.error]).toMatchObject([400, { code: 'UNREACHABLE_URL', param: 'url' }])
    expect(await jobsOf(caller)).toEqual([])
  })
})

const noModel = {
  ...{ code: 'model_not_found', param: 'model' },
  message: expect.stringMatching(/haul-auto, haul-builtin, provider_a, provider_b, provider_c, whisper-1, .*gpt-4o/),
}

describe('a file', () => {
  test('is stored in parts, and deleted when its job has ended', async () => {
    const caller = await newCaller()
    const bytes = numbered(11_000_000)
    const responding = transcribe(caller, [
      ['file', fileOf(bytes, 'C:\\talks\\My talk.mp3')],
      ['response_format', 'text'],
    ])
    const jobId = await liveJob(caller)
    const [received] = await receivedFiles(caller)
    const stored = await env.MEDIA.get(uploadKey(received?.id ?? '', await namesIn(received?.id ?? '')))
    const hash = async (data: BufferSource) => toHex(await crypto.subtle.digest('SHA-256', data))
    expect(await hash((await stored?.arrayBuffer()) ?? new ArrayBuffer())).toBe(await hash(bytes))
    await recognizeAs(caller, jobId, segments)
    expect((await responding).text).toBe(`${text}\n`)
    expect(await expectNothingStored(caller)).toHaveLength(1)
    expect((await caller.callApi('GET', `/uploads/${received?.id}`)).status).toBe(410)
  })

  test('that is sent without a length is read too', async () => {
    const caller = await newCaller()
    const form = `--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\nbytes of a talk\r\n--b--\r\n`
    const body = new Response(form).body?.pipeThrough(new TransformStream()) ?? null
    const headers = { 'content-type': 'multipart/form-data; boundary=b' }
    expect((await transcribe(caller, [], { body, headers, waitMs: 1 })).status).toBe(504)
  })

  test.each<[string, Fields, number, object]>([
    ['that is not media', [['file', fileOf('thirteen byte')]], 400, { code: 'SOURCE_UNSUPPORTED', param: 'file' }],
    ['that is empty', [['file', fileOf('')]], 400, { code: 'INVALID_REQUEST', param: 'file' }],
    ['that is given twice', [talk, talk], 400, { code: 'INVALID_REQUEST', param: 'file' }],
    ['beside a URL', [talk, ['url', SOURCE]], 400, { code: 'INVALID_REQUEST', param: 'url' }],
    ['for which no container has a place', [file], 503, { code: 'SERVICE_BUSY', type: 'server_error' }],
    ['with an unknown model', [talk, ['model', 'gpt-9']], 404, noModel],
    ['in a format that does not exist', [talk, ['response_format', 'pdf']], 400, { param: 'response_format' }],
    [
      'with words outside of verbose_json',
      [talk, ['timestamp_granularities[]', 'word']],
      400,
      { param: 'timestamp_granularities[]' },
    ],
    ['with another granularity', [talk, ...asked('letter')], 400, { param: 'timestamp_granularities[]' }],
    ['with a language that is none', [talk, ['language', '!']], 400, { param: 'language' }],
    ['with a ceiling that is no number', [talk, ['max_cost_dollars', 'much']], 400, { param: 'max_cost_dollars' }],
  ])('%s is refused, counts once, and leaves nothing in storage', async (_, fields, status, error) => {
    const caller = await newCaller()
    const response = await transcribe(caller, fields)
    expect([response.status, response.body.error]).toMatchObject([status, error])
    expect(response.headers.get('x-ratelimit-remaining')).toBe('239')
    expect(await expectNothingStored(caller)).not.toEqual([])
    expect(await jobsOf(caller)).toEqual([])
    expect((await caller.money()).heldDollars).toBe(0)
  })

  test('whose sender disconnects leaves nothing in storage', async () => {
    const caller = await newCaller()
    const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="a.mp3"\r\n\r\n'
    let pulls = 0
    const body = new ReadableStream({
      pull: (controller) => {
        if (pulls++ === 0) controller.enqueue(new TextEncoder().encode(head))
        else if (pulls < 100) controller.enqueue(new Uint8Array(65_536))
        else controller.error(new Error('disconnected'))
      },
    })
    await transcribe(caller, [], { body, headers: { 'content-type': 'multipart/form-data; boundary=b' } })
    expect(await expectNothingStored(caller)).toHaveLength(1)
    expect(await jobsOf(caller)).toEqual([])
  })
})

const failed = async (code: FailureCode, quote?: Quote) => {
  const caller = await newCaller()
  const responding = transcribe(caller, [
    ['url', SOURCE],
    ['model', 'haul-builtin'],
    ['max_cost_dollars', '0.5'],
  ])
  const jobId = await liveJob(caller)
  await caller.account.failStep(await leaseOf(caller, jobId, 'audio'), withQuote(failure(code), quote ?? null))
  return { ...(await responding), jobId }
}

test.each([
  ['NO_AUDIO', 400, 'invalid_request_error', 'url'],
  ['INSUFFICIENT_BALANCE', 402, 'invalid_request_error', null],
  ['PROVIDER_RATE_LIMITED', 429, 'invalid_request_error', null],
  ['INTERNAL', 500, 'server_error', null],
] as const)('a job that fails with %s is a %i with the id of the job', async (code, expected, type, param) => {
  const { status, headers, body, jobId } = await failed(code)
  expect(status).toBe(expected)
  expect(body).toEqual({ error: { message: failures[code].message, type, param, code, jobId } })
  expect(headers.get('x-haul-job-id')).toBe(jobId)
})

test('a job that would cost more than the ceiling is an error of money, with the quote', async () => {
  const { status, body } = await failed('MAX_COST_EXCEEDED', { seconds: 6_000, costMicros: micros(1_000_000) })
  expect([status, body.error]).toMatchObject([
    402,
    { param: 'max_cost_dollars', quote: { estimatedMinutes: 100, estimatedCostDollars: 1 } },
  ])
})

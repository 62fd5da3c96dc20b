import { describe, expect, test } from 'vitest'
import { failure } from '../../../../domain/codes/failures.ts'
import type { Segment } from '../../../../domain/words/segment.ts'
import { type Fields, fileOf, formOf, liveJob, PATH, sendTo, transcribe } from '../../support/openai.ts'
import { jobOf, leaseOf, newCaller, recognizeAs, SOURCE } from '../../support/transcriptions.ts'

const TRANSLATIONS = '/v1/audio/translations'
const talk: [string, File] = ['file', fileOf('the bytes of another long talk')]
const segments: Segment[] = [
  { start: 0.5, end: 2, text: 'Good morning,', speaker: 'A' },
  { start: 2.5, end: 4, text: 'everyone.', speaker: 'B' },
]

const answered = async (fields: Fields, { path = PATH, spoken = segments, creditDollars = 10 } = {}) => {
  const caller = await newCaller(creditDollars)
  const responding = sendTo(path, { apiKey: caller.apiKey, body: formOf([talk, ...fields]) })
  const jobId = await liveJob(caller)
  if (spoken.length > 0) await recognizeAs(caller, jobId, spoken)
  else await caller.account.failStep(await leaseOf(caller, jobId, 'audio'), failure('NO_SPEECH'))
  return { ...(await responding), caller, jobId }
}

const eventsIn = (text: string) =>
  text
    .split('\n\n')
    .slice(0, -1)
    .map((event) => JSON.parse(event.replace(/^data: /, '')))

describe('a stream', () => {
  test('has an event for each segment, and one with the whole text', async () => {
    const { status, headers, text } = await answered([['stream', 'true']])
    expect([status, headers.get('content-type')]).toEqual([200, 'text/event-stream; charset=utf-8'])
    expect(eventsIn(text)).toEqual([
      { type: 'transcript.text.delta', delta: 'Good morning,' },
      { type: 'transcript.text.delta', delta: ' everyone.' },
      { type: 'transcript.text.done', text: 'Good morning, everyone.' },
    ])
  })

  test('of silence has only its end', async () => {
    const { text } = await answered([['stream', '1']], { spoken: [] })
    expect(eventsIn(text)).toEqual([{ type: 'transcript.text.done', text: '' }])
  })

  test('whose job fails at once has its status', async () => {
    const caller = await newCaller()
    const responding = transcribe(caller, [talk, ['stream', 'true']])
    await caller.account.failStep(await leaseOf(caller, await liveJob(caller), 'audio'), failure('NO_AUDIO'))
    const { status, body } = await responding
    expect([status, body.error.code]).toEqual([400, 'NO_AUDIO'])
  })
})

describe('silence is an empty transcript, and free', () => {
  test.each<[string, unknown]>([
    ['json', { text: '', usage: { type: 'duration', seconds: 0 } }],
    ['verbose_json', { task: 'transcribe', language: 'unknown', duration: 0, text: '', segments: [] }],
    ['text', '\n'],
    ['srt', ''],
    ['vtt', 'WEBVTT\n'],
  ])('as %s', async (format, expected) => {
    const { status, body, text, caller } = await answered([['response_format', format]], { spoken: [] })
    expect(status).toBe(200)
    if (typeof expected === 'string') expect(text).toBe(expected)
    else expect(body).toMatchObject(expected as object)
    expect((await caller.money()).balanceDollars).toBe(10)
  })
})

describe('speakers', () => {
  test('are told by the built-in engine too', async () => {
    const { body, caller, jobId } = await answered([['response_format', 'diarized_json']])
    expect(body.segments).toEqual(shown)
    expect((await jobOf(caller, jobId)).request).toMatchObject({
      provider: 'builtin',
      speakers: { min: null, max: null },
    })
  })

  const asked: Fields = [
    ['response_format', 'diarized_json'],
    ['model', 'provider_b'],
    ['chunking_strategy', 'auto'],
    ['known_speaker_names[]', 'Ada'],
  ]
  const withKey = async () => {
    const caller = await newCaller()
    await caller.callApi('POST', '/transcription-provider', { provider: 'provider_b', apiKey: 'the-key-of-deepgram' })
    return caller
  }
  const shown = segments.map(({ start, end, text, speaker }, index) => ({
    ...{ type: 'transcript.text.segment', id: `seg_${index}` },
    ...{ start, end, text, speaker },
  }))

  test('are in diarized_json, from an engine that can tell them', async () => {
    const caller = await withKey()
    const responding = transcribe(caller, [talk, ...asked])
    const jobId = await liveJob(caller)
    await recognizeAs(caller, jobId, segments)
    const { body } = await responding
    expect(body).toEqual({
      ...{ task: 'transcribe', duration: 90, text: 'Good morning, everyone.' },
      ...{ segments: shown, usage: { type: 'duration', seconds: 90 } },
    })
  })

  test('are in a stream too', async () => {
    const caller = await withKey()
    const responding = transcribe(caller, [talk, ...asked, ['stream', 'true']])
    await recognizeAs(caller, await liveJob(caller), segments)
    expect(eventsIn((await responding).text)).toEqual([
      { type: 'transcript.text.delta', delta: 'Good morning,', segment_id: 'seg_0' },
      shown[0],
      { type: 'transcript.text.delta', delta: ' everyone.', segment_id: 'seg_1' },
      shown[1],
      { type: 'transcript.text.done', text: 'Good morning, everyone.' },
    ])
  })
})

describe('a prompt', () => {
  const prompts = async (fields: Fields) => {
    const { caller, jobId } = await answered(fields)
    return (await jobOf(caller, jobId)).request.vocabulary
  }

  test('is what the speech is about, and of a long one the end counts', async () => {
    expect(await prompts([['prompt', 'Zoe, and Haul.']])).toEqual({ prompt: 'Zoe, and Haul.', keywords: [] })
    const long = await prompts([['prompt', `${'word '.repeat(300)}Zoe`]])
    expect(long?.prompt).toMatch(/^d (?:word )+Zoe$/)
    expect(long?.prompt).toHaveLength(1_000)
  })

  test('of a translation is taken as well', async () => {
    const { caller, jobId } = await answered([['prompt', 'Zoe']], { path: TRANSLATIONS })
    expect((await jobOf(caller, jobId)).request.vocabulary).toEqual({ prompt: 'Zoe', keywords: [] })
  })
})

describe('a translation', () => {
  test('is written as a translation into English', async () => {
    const { body } = await answered([['response_format', 'verbose_json']], { path: TRANSLATIONS })
    expect(body).toMatchObject({ task: 'translate', language: 'english', text: 'Good morning, everyone.' })
    expect(body.segments).toHaveLength(2)
  })

  test('of a URL takes no captions, and shares no job with a transcription of it', async () => {
    const caller = await newCaller()
    const fields: Fields = [
      ['url', SOURCE],
      ['model', 'whisper-1'],
    ]
    const send = (path: string) => sendTo(path, { apiKey: caller.apiKey, body: formOf(fields), waitMs: 1 })
    const [one, other] = [await send(TRANSLATIONS), await send(PATH)]
    expect(await caller.account.claim(one.body.error.jobId, 'audio')).toMatchObject({
      job: { request: { provider: 'builtin', captionsFirst: false, translate: 'en' } },
    })
    expect(other.body.error.jobId).not.toBe(one.body.error.jobId)
  })

  test('by a provider is refused', async () => {
    const { apiKey } = await newCaller()
    const body = formOf([talk, ['model', 'provider_a']])
    const { status, body: refused } = await sendTo(TRANSLATIONS, { apiKey, body })
    expect([status, refused.error]).toMatchObject([400, { code: 'OPTION_UNSUPPORTED', param: 'model' }])
  })
})

describe('models', () => {
  const within = { OPENAI_MODELS: '{"large-v3": "haul-builtin", "whisper-1": "provider_a"}' }

  test('have the names of speech models, and those that the operator has given', async () => {
    const { apiKey } = await newCaller()
    const get = (path: string, given = {}) => sendTo(path, { apiKey, method: 'GET', within: given })
    const { body } = await get('/v1/models', within)
    expect(body.data.map(({ id }: { id: string }) => id)).toEqual([
      ...['haul-auto', 'haul-builtin', 'provider_a', 'provider_b', 'provider_c', 'whisper-1', 'large-v3'],
    ])
    for (const { id, ...model } of [...body.data, (await get('/v1/models/gpt-4o-transcribe')).body]) {
      expect([id, model]).toEqual([id, { object: 'model', created: expect.any(Number), owned_by: 'haul' }])
    }
    expect((await get('/v1/models')).body).toMatchObject({ object: 'list', data: Array(6).fill({ object: 'model' }) })
    expect((await get('/v1/models/large-v3', within)).status).toBe(200)
    expect((await get('/v1/models/large-v3')).status).toBe(404)
  })

  test('mean what the operator says', async () => {
    const fields: Fields = [talk, ['model', 'whisper-1']]
    const { status, body } = await transcribe(await newCaller(), fields, { within })
    expect([status, body.error.code]).toEqual([400, 'PROVIDER_KEY_REQUIRED'])
  })
})

describe('a key as the password of a base URL', () => {
  const basic = (user: string, key: string) => ({ authorization: `Basic ${btoa(`${user}:${key}`)}` })
  const list = (headers: Record<string, string>, path = '/v1/models') =>
    sendTo(path, { apiKey: '', method: 'GET', headers })

  test.each(['haul', '', 'any name'])('is accepted for the user "%s"', async (user) => {
    const { apiKey } = await newCaller()
    expect((await list(basic(user, apiKey))).status).toBe(200)
  })

  test('is refused if it is wrong, in pages of other origins, and for other paths', async () => {
    const { apiKey } = await newCaller()
    expect((await list(basic('haul', 'haul_0_1_2'))).status).toBe(401)
    expect((await list({ authorization: 'Basic !' })).status).toBe(401)
    expect((await list({ authorization: `Basic ${btoa(apiKey)}` })).status).toBe(401)
    expect((await list({ ...basic('haul', apiKey), origin: 'https://evil.example' })).status).toBe(401)
    expect((await list(basic('haul', apiKey), '/account')).status).toBe(401)
  })
})

test('a file above the limit is refused with what to do instead', async () => {
  const within = { MAX_BODY_BYTES: '1000000' }
  const caller = await newCaller()
  const { status, body } = await transcribe(caller, [['file', fileOf('x'.repeat(1_000_001))]], { within })
  expect([status, body.error.code, body.error.limit]).toEqual([413, 'BODY_TOO_LARGE', 1_000_000])
  expect(body.error.message).toMatch(/at most 1 MB\. Send the URL .* POST \/uploads/)
})

import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { wordErrorRate } from '../../../bench/speech/word-errors.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { ownProduct } from '../../support/product/product.ts'
import { type Call, fromJavaScript, fromPython, type MakeCalls, type Outcome } from './openai/calls.ts'

const run = promisify(execFile)

/**
 * OpenAI's packages for JavaScript and Python, unmodified, against the whole product as `npm start` runs it. Its own
 * speech engine hears the files. A request waits for three seconds, so the first one of each file is sent again.
 */

const clip = join(import.meta.dirname, '../../media/clips/0870.flac')
const spoken =
  'and mister john dashwood had then leisure to consider how much there might be prudently in his power to do for them'

/** Loads the speech model, on a busy machine. */
const CALLS_TIMEOUT_MS = 120_000

const site = ownProduct(async () => {
  const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '20']
  await run('ffmpeg', ['-v', 'error', '-nostdin', ...silence, '-c:a', 'aac', join(site.folder, 'silence.m4a')])
  await writeFile(join(site.folder, 'notes.mp3'), 'This is not media.')
  await writeFile(join(site.folder, 'empty.mp3'), '')
  await writeFile(join(site.folder, 'large.mp3'), Buffer.alloc(100_000_001))
  return { speech: 'scripted', env: { TRANSCRIPTION_WAIT_MS: '3000', MAX_BODY_BYTES: '100000000' } }
})

const operate = async (client: AccountClient, changes: object) => {
  const { accountId } = await client.account()
  await site.operator().request('PATCH', `/admin/accounts/${accountId}`, changes)
}

interface Made {
  client: AccountClient
  outcomes: Map<string, Outcome>
}

const packages = { JavaScript: fromJavaScript, Python: fromPython }
const made = new Map<string, Made>()

/** Both at the same time, because most of it is waiting. */
beforeAll(async () => {
  const making = Object.entries(packages).map(async ([name, makeCalls]) => made.set(name, await makeAll(makeCalls)))
  await Promise.all(making)
}, CALLS_TIMEOUT_MS)

const makeAll = async (makeCalls: MakeCalls): Promise<Made> => {
  const client = await site.newClient()
  const poor = await site.newClient({ creditDollars: 0.001 })
  const suspended = await site.newClient()
  await operate(suspended, { suspended: true })
  const limited = await site.newClient()
  await operate(limited, { limits: { requestsPerHour: { transcribe: 1 } } })
  await limited.request('POST', '/transcribe', {})

  const { apiKey } = client
  const hear = (options: object): Call => ({
    method: 'transcribe',
    apiKey,
    path: clip,
    options: { model: 'whisper-1', ...options },
  })
  const read = (url: string, options: object = {}): Call => ({
    method: 'transcribe',
    apiKey,
    options: { url: `${site.origin.url}/${url}`, model: 'haul-auto', ...options },
  })
  const silent = join(site.folder, 'silence.m4a')
  const once = { maxRetries: 0 }
  const verbose = { response_format: 'verbose_json' }
  const calls: Record<string, Call> = {
    models: { method: 'listModels', apiKey },
    model: { method: 'getModel', apiKey, model: 'haul-builtin' },
    json: hear({}),
    text: hear({ response_format: 'text' }),
    srt: hear({ response_format: 'srt' }),
    vtt: hear({ response_format: 'vtt' }),
    verbose_json: hear(verbose),
    words: hear({ ...verbose, timestamp_granularities: ['word', 'segment'] }),
    'captions of a URL': read('page/video.html', { response_format: 'text' }),
    'a slow URL': { ...read('generated/30000000.mp4?ratePerSecond=4000000', { model: 'haul-builtin' }), ...once },
    'a wrong key': { ...hear({}), apiKey: 'sk-none' },
    'an unknown model': hear({ model: 'gpt-9' }),
    'an unknown format': hear({ response_format: 'pdf' }),
    speakers: hear({ response_format: 'diarized_json' }),
    'neither file nor URL': { method: 'transcribe', apiKey, options: { model: 'haul-auto' } },
    'a file that is not media': { ...hear({}), path: join(site.folder, 'notes.mp3') },
    'an empty file': { ...hear({}), path: join(site.folder, 'empty.mp3') },
    'a file that is too large': { ...hear({}), path: join(site.folder, 'large.mp3') },
    silence: { ...hear({}), path: silent },
    stream: hear({ stream: true }),
    translation: { ...hear({ language: undefined }), method: 'translate' },
    'another name of a model': hear({ model: 'gpt-4o-transcribe' }),
    'an unreachable URL': read('status/404'),
    'an empty balance': { ...hear({}), apiKey: poor.apiKey },
    'a suspended account': { ...hear({}), apiKey: suspended.apiKey },
    'a reached limit': { ...hear({}), apiKey: limited.apiKey, ...once },
  }
  const outcomes = await makeCalls(`${site.haul.baseUrl}/v1`, Object.values(calls))
  return { client, outcomes: new Map(Object.keys(calls).map((name, index) => [name, outcomes[index] ?? {}])) }
}

describe.each(Object.keys(packages))('the package for %s', (language) => {
  const outcomeOf = (name: string): Outcome => made.get(language)?.outcomes.get(name) ?? {}
  const client = () => made.get(language)?.client as AccountClient

  const returned = (name: string) => {
    const { value, error } = outcomeOf(name)
    expect(error).toBeUndefined()
    return value
  }

  test('lists and retrieves models', () => {
    expect(returned('models')).toEqual(expect.arrayContaining(['haul-auto', 'haul-builtin', 'whisper-1']))
    expect(returned('model')).toMatchObject({ id: 'haul-builtin', object: 'model', owned_by: 'haul' })
  })

  test('gets the transcript of a file, and sends the request again until it is there', () => {
    const { text, usage } = returned('json')
    expect(wordErrorRate(spoken, text)).toBeLessThan(0.1)
    expect(usage).toEqual({ type: 'duration', seconds: 7.1 })
  })

  test('gets it as text and as subtitles', () => {
    const { text } = returned('json')
    expect(returned('text')).toBe(`${text}\n`)
    expect(returned('srt')).toMatch(/^1\r\n00:00:00,\d{3} --> /)
    expect(returned('vtt')).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> /)
  })

  test('gets it with segments and words', () => {
    const { text } = returned('json')
    const verbose = returned('verbose_json')
    expect(verbose).toMatchObject({ task: 'transcribe', language: 'english', duration: 7.1, text })
    expect(verbose.segments[0]).toMatchObject({
      id: 0,
      start: expect.closeTo(0, 0),
      text: expect.stringMatching(/^And Mr/),
      tokens: [],
    })
    expect(verbose).not.toHaveProperty('words')
    const { words, segments } = returned('words')
    expect(words.map(({ word }: { word: string }) => word).join(' ')).toBe(text)
    expect(segments).toEqual(verbose.segments)
  })

  test('gets it as a stream of events, and by another name of the model', () => {
    const { text } = returned('json')
    const events = returned('stream')
    const deltas = events.flatMap(({ delta = [] }) => delta)
    expect(deltas.join('')).toBe(text)
    expect(events.at(-1)).toEqual({ type: 'transcript.text.done', text })
    expect(returned('another name of a model').text).toBe(text)
  })

  test('gets it with speakers', () => {
    const { text } = returned('json')
    const { segments } = returned('speakers')
    expect(segments.map((segment: { text: string }) => segment.text).join(' ')).toBe(text)
    for (const { type, speaker } of segments) expect([type, speaker]).toEqual(['transcript.text.segment', 'A'])
  })

  test('gets a translation', () => {
    expect(returned('translation').text).toMatch(/^AND MR\. JOHN DASHWOOD/)
  })

  test('gets an empty transcript of silence', () => {
    expect(returned('silence')).toMatchObject({ text: '' })
  })

  test('pays once for all formats of a file, once for its speakers and once for its translation', async () => {
    const { jobs } = await client().get<{ jobs: { status: string; url: string | null }[] }>('/jobs')
    const heard = jobs.filter(({ status, url }) => status === 'completed' && url === null)
    expect(heard).toHaveLength(3)
  })

  test('gets the captions of a URL', () => {
    expect(returned('captions of a URL')).toMatch(/\S/)
  })

  test('is told the job of a request that takes too long', async () => {
    const { error } = outcomeOf('a slow URL')
    expect(error).toMatchObject({ status: 504, code: 'TRANSCRIPT_NOT_READY', jobId: expect.stringMatching(/^trn_/) })
    expect(error?.names).toContain('InternalServerError')
    await client().remove(`/jobs/${error?.jobId}`)
  })

  test.each([
    ['a wrong key', 'AuthenticationError', 401, 'UNAUTHORIZED', null],
    ['an unknown model', 'NotFoundError', 404, 'model_not_found', 'model'],
    ['an unknown format', 'BadRequestError', 400, 'INVALID_REQUEST', 'response_format'],
    ['neither file nor URL', 'BadRequestError', 400, 'INVALID_REQUEST', 'file'],
    ['a file that is not media', 'BadRequestError', 400, 'SOURCE_UNSUPPORTED', 'file'],
    ['an empty file', 'BadRequestError', 400, 'INVALID_REQUEST', 'file'],
    ['a file that is too large', 'APIError', 413, 'BODY_TOO_LARGE', 'file'],
    ['an unreachable URL', 'BadRequestError', 400, 'UNREACHABLE_URL', 'url'],
    ['an empty balance', 'APIError', 402, 'INSUFFICIENT_BALANCE', null],
    ['a suspended account', 'PermissionDeniedError', 403, 'ACCOUNT_SUSPENDED', null],
    ['a reached limit', 'RateLimitError', 429, 'RATE_LIMITED', null],
  ])('throws for %s its %s', (name, exception, status, code, param) => {
    const { error } = outcomeOf(name)
    expect(error).toMatchObject({ status, code, param })
    expect(error?.names).toContain(exception)
  })
})

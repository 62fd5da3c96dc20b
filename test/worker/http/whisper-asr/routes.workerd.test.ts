import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { failure } from '../../../../domain/codes/failures.ts'
import { uploadKey } from '../../../../domain/media/media-keys.ts'
import type { Segment } from '../../../../domain/words/segment.ts'
import { namesIn } from '../../support/caller.ts'
import {
  expectNothingStored,
  type Fields,
  fileOf,
  formOf,
  jobsOf,
  liveJob,
  openTo,
  receivedFiles,
  sendTo,
} from '../../support/openai.ts'
import { leaseOf, newCaller, recognizeAs } from '../../support/transcriptions.ts'

type Caller = Awaited<ReturnType<typeof newCaller>>

const file: [string, File] = ['audio_file', fileOf('the bytes of a long talk', 'audio_file')]
const segments: Segment[] = [
  {
    ...{ start: 0.5, end: 2, text: 'Good morning,' },
    // Real segments have many words.
    words: [
      { start: 0.5, end: 0.9, text: 'Good', confidence: 0.5 },
      { start: 1, end: 2, text: 'morning,', confidence: 0.9 },
    ],
  },
  { start: 2.5, end: 4.2, text: 'everyone.', words: [{ start: 2.5, end: 4.2, text: 'everyone.' }] },
]

const post = (caller: Pick<Caller, 'apiKey'>, path: string, fields: Fields = [file], options = {}) =>
  sendTo(path, { apiKey: caller.apiKey, body: formOf(fields), ...options })

const heard = async (path: string, spoken = segments) => {
  const caller = await newCaller()
  const responding = post(caller, path)
  const jobId = await liveJob(caller)
  if (spoken.length > 0) await recognizeAs(caller, jobId, spoken)
  else await caller.account.failStep(await leaseOf(caller, jobId, 'audio'), failure('NO_SPEECH'))
  return { ...(await responding), caller, jobId }
}

describe('POST /asr', () => {
  test.each([
    ['txt', 'Good morning,\neveryone.\n'],
    ['tsv', 'start\tend\ttext\n500\t2000\tGood morning,\n2500\t4200\teveryone.\n'],
    ['srt', /^1\r?\n00:00:00,500 --> 00:00:02,000\r?\nGood morning,\r?\n/],
    ['vtt', /^WEBVTT\n\n00:00:00\.500 --> 00:00:02\.000\nGood morning,\n/],
  ])('writes %s', async (output, content) => {
    const { status, headers, text, jobId } = await heard(`/asr?task=transcribe&output=${output}&language=en`)
    expect([status, headers.get('content-type')]).toEqual([200, 'text/plain; charset=utf-8'])
    expect(headers.get('content-disposition')).toBe(`attachment; filename=transcript.${output}`)
    expect(headers.get('x-haul-job-id')).toBe(jobId)
    if (typeof content === 'string') expect(text).toBe(content)
    else expect(text).toMatch(content)
  })

  test('writes JSON with the segments of Whisper, and words if they are asked for', async () => {
    const { text } = await heard('/asr?output=json')
    expect(JSON.parse(text)).toEqual({
      text: 'Good morning, everyone.',
      language: 'en',
      segments: segments.map(({ start, end, text }, id) => ({
        ...{ id, seek: 0, start, end, text, tokens: [] },
        ...{ temperature: 0, avg_logprob: 0, compression_ratio: 1, no_speech_prob: 0 },
      })),
    })
    const withWords = JSON.parse((await heard('/asr?output=json&word_timestamps=true')).text)
    expect(withWords.segments.map(({ words }: { words: unknown }) => words)).toEqual([
      [
        { word: 'Good', start: 0.5, end: 0.9, probability: 0.5 },
        { word: 'morning,', start: 1, end: 2, probability: 0.9 },
      ],
      [{ word: 'everyone.', start: 2.5, end: 4.2, probability: 1 }],
    ])
  })

  test('of silence is an empty transcript, and free', async () => {
    const { status, text, caller } = await heard('/asr?output=srt', [])
    expect([status, text]).toEqual([200, ''])
    expect((await caller.money()).balanceDollars).toBe(10)
    expect(JSON.parse((await heard('/asr?output=json', [])).text)).toMatchObject({ text: '', segments: [] })
  })

  test('hears raw samples as a WAV file', async () => {
    const caller = await newCaller()
    const samples = new Uint8Array(32_000).fill(7)
    const sent: Fields = [['audio_file', fileOf(samples, 'audio_file')]]
    await post(caller, '/asr?encode=false&output=srt&language=de', sent, { waitMs: 1 })
    const [{ id = '', sizeBytes = 0 } = {}] = await receivedFiles(caller)
    expect(sizeBytes).toBe(32_044)
    const stored = await env.MEDIA.get(uploadKey(id, await namesIn(id)))
    const bytes = new Uint8Array((await stored?.arrayBuffer()) ?? new ArrayBuffer())
    expect(new TextDecoder().decode(bytes.subarray(0, 4))).toBe('RIFF')
    expect(bytes.subarray(44)).toEqual(samples)
  })

  test('asks for what its parameters say, and ignores others', async () => {
    const caller = await newCaller()
    const path =
      '/asr?task=translate&language=german&initial_prompt=Names&vad_filter=true&diarize=true&min_speakers=2&more=1'
    const { status, text } = await post(caller, path, [file], { waitMs: 1 })
    expect([status, JSON.parse(text).detail]).toEqual([
      504,
      expect.stringMatching(/^The transcription trn_\w+ is still/),
    ])
    const [job] = await jobsOf(caller)
    expect(await caller.account.claim(job?.jobId ?? '', 'audio')).toMatchObject({
      job: {
        request: {
          ...{ provider: 'builtin', language: 'de', translate: 'en', captionsFirst: false },
          ...{ speakers: { min: 2, max: null }, vocabulary: { prompt: 'Names', keywords: [] } },
        },
      },
    })
  })

  test('detects the language where the program does not know it', async () => {
    const caller = await newCaller()
    await post(caller, '/asr?language=', [file], { waitMs: 1 })
    const [job] = await jobsOf(caller)
    expect(await caller.account.claim(job?.jobId ?? '', 'audio')).toMatchObject({
      job: { request: { language: null } },
    })
  })

  test.each<[string, string, Fields, number]>([
    ['without a file', '/asr', [], 400],
    ['with an empty file', '/asr', [['audio_file', fileOf('')]], 400],
    ['with a file that is not media', '/asr', [['audio_file', fileOf('thirteen byte')]], 400],
    ['with another output', '/asr?output=pdf', [file], 400],
    ['with a number of speakers that is none', '/asr?diarize=true&min_speakers=two', [file], 400],
    ['with more speakers at least than at most', '/asr?diarize=true&min_speakers=3&max_speakers=2', [file], 400],
    ['with another task', '/asr?task=sing', [file], 400],
  ])('%s is refused with a sentence', async (_, path, fields, status) => {
    const caller = await newCaller()
    const response = await post(caller, path, fields)
    expect(response.status).toBe(status)
    expect(response.body).toEqual({ detail: expect.stringMatching(/^[A-Z]/) })
    await expectNothingStored(caller)
  })

  test('needs a key, also as a password', async () => {
    const caller = await newCaller()
    expect(await post({ apiKey: 'haul_0_1_2' }, '/asr')).toMatchObject({
      status: 401,
      body: { detail: expect.any(String) },
    })
    const headers = { authorization: `Basic ${btoa(`haul:${caller.apiKey}`)}` }
    expect((await post(caller, '/asr', [file], { headers, waitMs: 1 })).status).toBe(504)
  })

  test('whose job fails says why', async () => {
    const caller = await newCaller()
    const responding = post(caller, '/asr')
    await caller.account.failStep(await leaseOf(caller, await liveJob(caller), 'audio'), failure('NO_AUDIO'))
    expect(await responding).toMatchObject({ status: 400, body: { detail: failure('NO_AUDIO').message } })
  })

  test('begins before its transcript is there, and subtitles stay readable', async () => {
    const caller = await newCaller()
    const within = { TRANSCRIPTION_SILENCE_MS: '12' }
    const sent = { apiKey: caller.apiKey, body: formOf([file]), waitMs: 600_000, within }
    const { response } = await openTo('/asr?output=srt', sent)
    const text = response.text()
    await recognizeAs(caller, await liveJob(caller), segments)
    expect(await text).toMatch(/^\n+1\r?\n00:00:00,500 --> /)
  })
})

describe('POST /detect-language', () => {
  test('hears the start of the file and names the language', async () => {
    const caller = await newCaller()
    const responding = post(caller, '/detect-language?encode=true')
    const jobId = await liveJob(caller)
    await recognizeAs(caller, jobId, segments)
    const { status, text } = await responding
    expect([status, JSON.parse(text)]).toEqual([
      200,
      { detected_language: 'english', language_code: 'en', confidence: 1 },
    ])
    expect((await caller.money()).balanceDollars).toBe(9.97)
  })

  test('of silence is unknown', async () => {
    const { text } = await heard('/detect-language', [])
    expect(JSON.parse(text)).toEqual({ detected_language: 'unknown', language_code: 'und', confidence: 0 })
  })
})

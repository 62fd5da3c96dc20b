import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { wordErrorRate } from '../../../bench/speech/word-errors.ts'
import { product } from '../../support/product/product.ts'
import { type Call, fromJavaScript, fromPython, type MakeCalls, type Outcome } from './openai/calls.ts'

/** OpenAI's packages for JavaScript and Python, unmodified: whether they understand what the whole product answers. */
const site = product()

const clip = join(import.meta.dirname, '../../media/clips/0870.flac')
const spoken =
  'and mister john dashwood had then leisure to consider how much there might be prudently in his power to do for them'

/** Installs and starts Python's package, on a busy machine. */
const CALLS_TIMEOUT_MS = 120_000

const packages: Record<string, MakeCalls> = { JavaScript: fromJavaScript, Python: fromPython }
const made: Record<string, Record<string, Outcome>> = {}

/** Both at the same time, because most of it is waiting. */
beforeAll(async () => {
  const silence = ['-f', 'lavfi', '-i', 'anullsrc=r=16000:cl=mono', '-t', '20', join(site.folder, 'silence.wav')]
  await promisify(execFile)('ffmpeg', ['-v', 'error', '-nostdin', ...silence])
  const making = Object.entries(packages).map(async ([name, makeCalls]) => {
    made[name] = await makeAll(makeCalls)
  })
  await Promise.all(making)
}, CALLS_TIMEOUT_MS)

const makeAll = async (makeCalls: MakeCalls): Promise<Record<string, Outcome>> => {
  const { apiKey } = await site.newClient()
  const hear = (options: object): Call => ({
    ...{ method: 'transcribe', apiKey, path: clip },
    options: { model: 'whisper-1', ...options },
  })
  const verbose = { response_format: 'verbose_json' }
  const calls: Record<string, Call> = {
    models: { method: 'listModels', apiKey },
    json: hear({}),
    text: hear({ response_format: 'text' }),
    srt: hear({ response_format: 'srt' }),
    vtt: hear({ response_format: 'vtt' }),
    words: hear({ ...verbose, timestamp_granularities: ['word', 'segment'] }),
    speakers: hear({ response_format: 'diarized_json' }),
    stream: hear({ stream: true, model: 'gpt-4o-transcribe' }),
    translation: { ...hear({}), method: 'translate' },
    silence: { ...hear({}), path: join(site.folder, 'silence.wav') },
    captions: {
      ...{ method: 'transcribe', apiKey },
      options: { url: site.media('page/video.html'), model: 'haul-auto', response_format: 'text' },
    },
    'a wrong key': { ...hear({}), apiKey: 'sk-none' },
    'an unknown model': hear({ model: 'gpt-9' }),
    'an invalid language': hear({ language: '!' }),
  }
  const outcomes = await makeCalls(`${site.haul.baseUrl}/v1`, Object.values(calls))
  return Object.fromEntries(Object.keys(calls).map((name, index) => [name, outcomes[index] ?? {}]))
}

describe.each(Object.keys(packages))('the package for %s', (language) => {
  const returned = (name: string) => {
    const { value, error } = made[language]?.[name] ?? {}
    expect(error).toBeUndefined()
    return value
  }

  test('lists the models', () => {
    expect(returned('models')).toEqual(expect.arrayContaining(['haul-auto', 'haul-builtin', 'whisper-1']))
  })

  test('gets the transcript of a file in every format', () => {
    const { text, usage } = returned('json')
    expect(wordErrorRate(spoken, text)).toBeLessThan(0.1)
    expect(usage).toEqual({ type: 'duration', seconds: 7.1 })
    expect(returned('text')).toBe(`${text}\n`)
    expect(returned('srt')).toMatch(/^1\r\n00:00:00,\d{3} --> /)
    expect(returned('vtt')).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> /)
    const { words, segments, ...about } = returned('words')
    expect(about).toMatchObject({ task: 'transcribe', language: 'english', duration: 7.1, text })
    expect(segments[0]).toMatchObject({ id: 0, start: expect.closeTo(0, 0), text: expect.stringMatching(/^And Mr/) })
    expect(words.map(({ word }: { word: string }) => word).join(' ')).toBe(text)
  })

  test('gets it as a stream of events, and by another name of the model', () => {
    const { text } = returned('json')
    const events = returned('stream')
    expect(events.flatMap(({ delta = [] }) => delta).join('')).toBe(text)
    expect(events.at(-1)).toEqual({ type: 'transcript.text.done', text })
  })

  test('gets it with speakers', () => {
    const { segments } = returned('speakers')
    expect(segments.map((segment: { text: string }) => segment.text).join(' ')).toBe(returned('json').text)
    for (const { type, speaker } of segments) expect([type, speaker]).toEqual(['transcript.text.segment', 'A'])
  })

  test('gets a translation, the captions of a URL, and an empty transcript of silence', () => {
    expect(returned('translation').text).toMatch(/^AND MR\. JOHN DASHWOOD/)
    expect(returned('captions')).toMatch(/\S/)
    expect(returned('silence')).toMatchObject({ text: '' })
  })

  test.each([
    ['a wrong key', 'AuthenticationError', 401, 'UNAUTHORIZED', null],
    ['an unknown model', 'NotFoundError', 404, 'model_not_found', 'model'],
    ['an invalid language', 'BadRequestError', 400, 'INVALID_REQUEST', 'language'],
  ])('throws for %s its %s', (call, name, status, code, param) => {
    expect(made[language]?.[call]?.error).toEqual({ name, status, code, param })
  })
})

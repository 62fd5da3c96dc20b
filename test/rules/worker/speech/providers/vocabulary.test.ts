import type { Deepgram } from '@deepgram/sdk'
import type { AssemblyAI } from 'assemblyai'
import type OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import type { Vocabulary } from '../../../../../domain/protocol/protocol.ts'
import { openai } from '../../../../../worker/speech/providers/openai.ts'
import { type ProviderOptions, refusedOptions } from '../../../../../worker/speech/providers/provider.ts'
import { recognizedBy, type ServiceName, services } from './each-provider.ts'

const recognize = (name: ServiceName, vocabulary: Vocabulary, options: ProviderOptions = {}) =>
  recognizedBy(name, { vocabulary, options })

/** The names of the fields, as the official packages have them. */
const ofOpenAI: keyof OpenAI.Audio.TranscriptionCreateParams = 'prompt'
const ofDeepgram: (keyof Deepgram.listen.v1.MediaTranscribeRequestOctetStream)[] = ['keyterm', 'keywords']
type AssemblyAIParams = Parameters<AssemblyAI['transcripts']['submit']>[0]
const ofAssemblyAI: (keyof AssemblyAIParams)[] = ['keyterms_prompt', 'prompt']

const prompt = 'A talk about engines.'
const keywords = ['Quornby', 'Haldane Thorsvik']
const both = { prompt, keywords }
const onlyPrompt = { prompt, keywords: [] }
const onlyKeywords = { prompt: null, keywords }

test.each([
  [both, 'A talk about engines. Quornby, Haldane Thorsvik.'],
  [onlyPrompt, 'A talk about engines.'],
  [onlyKeywords, 'Quornby, Haldane Thorsvik.'],
])('OpenAI gets %o as its prompt', async (vocabulary, text) => {
  const { fake } = await recognize('openai', vocabulary)
  expect(fake.requests[0]?.fields).toContainEqual([ofOpenAI, text])
})

test.each([
  [
    'keyterms',
    both,
    {},
    [
      ['keyterm', 'Quornby'],
      ['keyterm', 'Haldane Thorsvik'],
    ],
  ],
  [
    'keyterms of a model of its family',
    onlyKeywords,
    { model: 'nova-3-medical' },
    [
      ['keyterm', 'Quornby'],
      ['keyterm', 'Haldane Thorsvik'],
    ],
  ],
  [
    'single words, without weights, for older models',
    { prompt, keywords: [...keywords, 'Quornby:9'] },
    { model: 'nova-2' },
    [
      ['keywords', 'Quornby'],
      ['keywords', 'Haldane'],
      ['keywords', 'Thorsvik'],
      ['keywords', '9'],
    ],
  ],
  ['nothing of a prompt', onlyPrompt, {}, []],
] as const)('Deepgram gets %s', async (_, vocabulary, options, expected) => {
  const { fake } = await recognize('deepgram', { ...vocabulary, keywords: [...vocabulary.keywords] }, options)
  const names: string[] = ofDeepgram
  expect([...(fake.requests[0]?.query ?? [])].filter(([name]) => names.includes(name))).toEqual(expected)
})

test('Deepgram gets as many keyterms as it takes', async () => {
  const long = Array.from({ length: 100 }, (_, index) => `${index} ${'Quornby '.repeat(7)}`.trim())
  const { fake } = await recognize('deepgram', { prompt: null, keywords: long })
  const sent = fake.requests[0]?.query.getAll('keyterm') ?? []
  expect(sent).toEqual(long.slice(0, sent.length))
  expect(sent.length).toBeGreaterThan(10)
  expect(sent.join(' ').length).toBeLessThan(1_000)
})

test.each([
  ['keywords, and not the prompt with them', both, {}, { keyterms_prompt: keywords }],
  ['keywords', onlyKeywords, {}, { keyterms_prompt: keywords }],
  ['a prompt', onlyPrompt, {}, { prompt }],
  ['no prompt for a model that takes none', onlyPrompt, { speech_models: ['universal-2'] }, {}],
  [
    'no phrase of more than six words',
    { prompt: null, keywords: ['a b c d e f g', 'Quornby'] },
    {},
    { keyterms_prompt: ['Quornby'] },
  ],
] as const)('AssemblyAI gets %s', async (_, vocabulary, options, expected) => {
  const { fake } = await recognize('assemblyai', { ...vocabulary, keywords: [...vocabulary.keywords] }, options)
  const body: Record<string, unknown> = JSON.parse(
    fake.requests.find(({ path }) => path === '/v2/transcript')?.text ?? '',
  )
  const sent = ofAssemblyAI.filter((name) => name in body).map((name) => [name, body[name]])
  expect(Object.fromEntries(sent)).toEqual(expected)
})

test.each([
  ['openai', {}, 'whisper-1'],
  ['openai', { model: 'gpt-4o-transcribe' }, 'gpt-4o-transcribe'],
  ['deepgram', {}, 'general-nova-3'],
  ['assemblyai', {}, 'universal-3-5-pro'],
] as const)('the model that answered for %s with %o is %s', async (name, options, model) => {
  expect((await recognize(name, both, options)).result.model).toBe(model)
})

describe('before a job exists', () => {
  const asked = { words: false, speakers: null }

  test.each([
    ['openai', both, {}, true],
    ['deepgram', both, {}, true],
    ['deepgram', onlyPrompt, {}, false],
    ['assemblyai', onlyPrompt, {}, true],
    ['assemblyai', onlyPrompt, { speech_model: 'nano' }, false],
  ] as const)('it is known whether %s takes any of %o (%o)', (name, vocabulary, options, expected) => {
    const { takesVocabulary } = services[name].adapter()
    expect(takesVocabulary({ ...vocabulary, keywords: [...vocabulary.keywords] }, options)).toBe(expected)
  })

  test.each([
    ['openai', both, { model: 'gpt-4o-transcribe-diarize' }, 'prompt'],
    ['openai', onlyKeywords, { model: 'gpt-4o-transcribe-diarize' }, 'keywords'],
    ['deepgram', onlyKeywords, { model: 'whisper-large' }, 'keywords'],
    ['deepgram', onlyPrompt, { model: 'whisper-large' }, undefined],
    ['openai', both, {}, undefined],
    ['assemblyai', both, {}, undefined],
  ] as const)('%s with %o and %o: unsupported is %s', (name, vocabulary, options, expected) => {
    const given = { ...asked, vocabulary: { ...vocabulary, keywords: [...vocabulary.keywords] } }
    expect(services[name].adapter().unsupported(given, options)?.option).toBe(expected)
  })

  test('OpenAI has no model for speakers that takes a prompt', () => {
    const given = { words: false, speakers: { min: null, max: null }, vocabulary: onlyKeywords }
    expect(openai().unsupported(given, {})?.option).toBe('keywords')
  })

  test.each([
    ['openai', { prompt: 'another' }, 'prompt contradicts keywords. Remove one of them.'],
    ['deepgram', { keyterm: 'another' }, 'keyterm contradicts keywords. Remove one of them.'],
    ['assemblyai', { keyterms_prompt: ['another'] }, 'keyterms_prompt contradicts keywords. Remove one of them.'],
    ['assemblyai', { prompt: 'another' }, 'prompt contradicts keywords. Remove one of them.'],
  ] as const)('%s is not told two things: %o', (name, options, message) => {
    const refused = refusedOptions(services[name].adapter(), options, { ...asked, vocabulary: onlyKeywords })
    expect(refused).toEqual([{ option: Object.keys(options)[0], message }])
    expect(refusedOptions(services[name].adapter(), options, asked)).toEqual([])
  })
})

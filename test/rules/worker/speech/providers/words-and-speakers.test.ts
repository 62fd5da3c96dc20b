import { describe, expect, test } from 'vitest'
import type { Segment } from '../../../../../domain/words/segment.ts'
import { openai } from '../../../../../worker/speech/providers/openai.ts'
import type { ProviderPieceRequest } from '../../../../../worker/speech/providers/provider.ts'
import { workersAi } from '../../../../../worker/speech/workers-ai.ts'
import { pieceOf, resultOf } from '../../../../doubles/providers/audio-piece.ts'
import { defaultSpeech, nastySpeech, type Sentence } from '../../../../doubles/providers/speech.ts'
import { recognizedBy, type ServiceName, serviceNames } from './each-provider.ts'

const recognize = async (name: ServiceName, speech: Sentence[], piece: Partial<ProviderPieceRequest>) => {
  const { fake, result } = await recognizedBy(name, piece, speech)
  return { fake, segments: result.segments }
}

const shown = (segments: Segment[]) =>
  segments.map(({ text, words = [] }) => [
    text,
    words.map((word) => `${word.start}-${word.end} ${word.text}`).join(' '),
  ])

const everyWord = defaultSpeech.map(({ text, words }) => [
  text,
  words.map((word) => `${word.start}-${word.end} ${word.text}`).join(' '),
])

test.each(serviceNames)('the words of %s have the text that was written', async (name) => {
  const { segments } = await recognize(name, defaultSpeech, { words: true })
  expect(shown(segments)).toEqual(everyWord)
})

test('OpenAI is asked for words only when the caller wants them, because they take it longer', async () => {
  const granularities = async (words: boolean) => {
    const { fake } = await recognize('openai', defaultSpeech, { words })
    return fake.requests[0]?.fields.flatMap(([name, value]) => (name === 'timestamp_granularities[]' ? value : []))
  }
  expect([await granularities(false), await granularities(true)]).toEqual([['segment'], ['segment', 'word']])
})

test.each(serviceNames)('for %s a piece without speech is a result without segments', async (name) => {
  expect((await recognizedBy(name, {}, [])).result).toMatchObject({ segments: [], text: '' })
})

test.each([
  ['gpt-4o-transcribe', { model: 'gpt-4o-transcribe' }, false],
  ['the model with speakers', {}, true],
])('%s of OpenAI returns no words, and none are invented', async (_, options, speakers) => {
  const { segments } = await recognize('openai', defaultSpeech, {
    words: true,
    speakers: speakers ? { min: null, max: null } : null,
    options,
  })
  expect(segments.length).toBeGreaterThan(0)
  expect(segments.some(({ words }) => words)).toBe(false)
})

describe('words with wrong times', () => {
  test.each(serviceNames)('of %s stay in the order of the text and within their segment', async (name) => {
    const { segments } = await recognize(name, nastySpeech, { words: true })
    expect(segments.map(({ text }) => text)).toEqual(nastySpeech.map(({ text }) => text))
    for (const { start, end, text, words = [] } of segments) {
      let clock = start
      for (const word of words) {
        expect(word.start).toBeGreaterThanOrEqual(clock)
        expect(word.end).toBeGreaterThanOrEqual(word.start)
        clock = word.end
      }
      expect(clock).toBeLessThanOrEqual(end)
      expect(words.map((word) => word.text).join(' ')).toBe(text)
    }
  })

  test('of Workers AI too', async () => {
    const words = [
      { word: ' Yes,', start: 1, end: 0.5 },
      { word: ' it', start: null, end: null },
      { word: ' is', start: 0.2, end: 3 },
      { word: '.', start: 3, end: 3 },
    ]
    const ai = {
      run: async () => ({ text: 'Yes, it is.', segments: [{ start: 0, end: 3, text: 'Yes, it is.', words }] }),
    }
    const { segments } = resultOf(await workersAi(ai).start(pieceOf({ durationSeconds: 3, words: true })))
    expect(segments).toEqual([
      {
        start: 1,
        end: 3,
        text: 'Yes, it is.',
        words: [
          { start: 1, end: 1, text: 'Yes,' },
          { start: 1, end: 1, text: 'it' },
          { start: 1, end: 3, text: 'is.' },
        ],
      },
    ])
  })
})

const anySpeakers = { min: null, max: null }

describe('speakers', () => {
  test.each([
    ['deepgram', anySpeakers, {}, { diarize_model: 'latest' }],
    ['deepgram', anySpeakers, { diarize: true }, { diarize: 'true' }],
    ['deepgram', anySpeakers, { diarize_model: 'v1' }, { diarize_model: 'v1' }],
  ] as const)('%s is asked for them (%o, %o)', async (name, speakers, options, expected) => {
    const { fake } = await recognize(name, nastySpeech, { speakers, options })
    const sent = [...(fake.requests[0]?.query ?? [])].filter(([field]) => field.startsWith('diarize'))
    expect(Object.fromEntries(sent)).toEqual(expected)
  })

  test.each([
    [anySpeakers, {}, { speaker_labels: true }],
    [{ min: 2, max: null }, {}, { speaker_labels: true, speaker_options: { min_speakers_expected: 2 } }],
    [
      { min: 2, max: 4 },
      {},
      { speaker_labels: true, speaker_options: { min_speakers_expected: 2, max_speakers_expected: 4 } },
    ],
    [anySpeakers, { speakers_expected: 3 }, { speaker_labels: true, speakers_expected: 3 }],
    [null, {}, {}],
  ])('AssemblyAI is asked for %o with %o', async (speakers, options, expected) => {
    const { fake } = await recognize('assemblyai', nastySpeech, { speakers, options })
    const body = JSON.parse(fake.requests.find(({ path }) => path === '/v2/transcript')?.text ?? '{}') as object
    const sent = Object.entries(body).filter(([name]) => name.startsWith('speaker'))
    expect(Object.fromEntries(sent)).toEqual(expected)
  })

  test('OpenAI is asked for its model with speakers, unless the caller named one', async () => {
    const { fake, segments } = await recognize('openai', nastySpeech, { speakers: anySpeakers })
    expect(fake.requests[0]?.fields).toContainEqual(['model', 'gpt-4o-transcribe-diarize'])
    expect(fake.requests[0]?.fields).toContainEqual(['response_format', 'diarized_json'])
    expect(segments.map(({ speaker }) => speaker)).toEqual(['B', 'A'])
    const chosen = await recognize('openai', nastySpeech, { options: { model: 'gpt-4o-transcribe-diarize' } })
    expect(chosen.segments.map(({ speaker }) => speaker)).toEqual(['B', 'A'])
    const options = { known_speaker_names: ['agent', 'customer'] }
    const named = await recognize('openai', nastySpeech, { speakers: anySpeakers, options })
    expect(named.segments.map(({ speaker }) => speaker)).toEqual(['customer', 'agent'])
    expect(openai().knownSpeakers(options)).toEqual(['agent', 'customer'])
  })

  test.each([
    ['deepgram', ['1', '0'], ['1', '1', undefined, '1']],
    ['assemblyai', ['B', 'A'], ['B', 'B', undefined, 'B']],
  ] as const)('%s labels segments and words, some words not', async (name, ofSegments, ofWords) => {
    const { segments } = await recognize(name, nastySpeech, { speakers: anySpeakers, words: true })
    expect(segments.map(({ speaker }) => speaker)).toEqual(ofSegments)
    expect(segments[0]?.words?.map(({ speaker }) => speaker)).toEqual(ofWords)
  })
})

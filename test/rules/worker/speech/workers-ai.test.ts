import { expect, test } from 'vitest'
import { type AiBinding, type WhisperInput, workersAi } from '../../../../worker/speech/workers-ai.ts'
import { pieceOf, resultOf } from '../../../doubles/providers/audio-piece.ts'
import { defaultSpeech, oggBytes, secondsOf, textOf } from '../../../doubles/providers/speech.ts'

/** `env.AI.run` for @cf/openai/whisper-large-v3-turbo, with its published input and output schemas. */
const inputNames = [
  'audio',
  'task',
  'language',
  'vad_filter',
  'initial_prompt',
  'prefix',
  'beam_size',
  'condition_on_previous_text',
]

const whisper = (inputs: WhisperInput[], silent = false): AiBinding => ({
  run: async (model, input) => {
    if (model !== '@cf/openai/whisper-large-v3-turbo') throw new Error('5007: No such model')
    for (const name of Object.keys(input))
      if (!inputNames.includes(name)) throw new Error(`5006: Error: unknown ${name}`)
    if (typeof input.audio !== 'string' || input.audio === '')
      throw new Error('5004: Invalid data type for base64 input')
    inputs.push(input)
    const sentences = silent ? [] : defaultSpeech
    return {
      transcription_info: {
        language: input.language ?? 'en',
        language_probability: 0.98,
        duration: secondsOf(defaultSpeech),
        duration_after_vad: silent ? 0 : 4,
      },
      text: textOf(sentences),
      word_count: sentences.flatMap(({ words }) => words).length,
      segments: sentences.map(({ start, end, text, words }) => ({
        start,
        end,
        text: ` ${text}`,
        temperature: 0,
        avg_logprob: -0.2,
        compression_ratio: 1.3,
        no_speech_prob: 0.01,
        words: words.map((word) => ({ word: ` ${word.text}`, start: word.start, end: word.end })),
      })),
      vtt: 'WEBVTT\n\n',
    }
  },
})

const failing = (message: string): AiBinding => ({ run: () => Promise.reject(new Error(message)) })

test('a piece is sent as base64 and returned as segments and words in seconds', async () => {
  const inputs: WhisperInput[] = []
  const bytes = oggBytes(100_001, 7)
  const result = resultOf(await workersAi(whisper(inputs)).start(pieceOf({ bytes, language: 'en-GB' })))
  expect(result).toMatchObject({
    text: textOf(defaultSpeech),
    language: 'en',
    durationSeconds: 5.75,
    model: 'whisper-large-v3-turbo',
    segments: defaultSpeech.map(({ start, end, text }) => ({ start, end, text })),
  })
  expect(result.segments[0]?.words?.[0]).toEqual({ start: 0, end: 0.25, text: 'Haul' })
  expect(Buffer.from(inputs[0]?.audio ?? '', 'base64').equals(bytes)).toBe(true)
  expect(inputs[0]).toMatchObject({
    task: 'transcribe',
    language: 'en',
    vad_filter: true,
    condition_on_previous_text: false,
  })
})

test('without a language none is sent, and the detected one is returned', async () => {
  const inputs: WhisperInput[] = []
  expect(resultOf(await workersAi(whisper(inputs)).start(pieceOf())).language).toBe('en')
  expect(inputs[0]).not.toHaveProperty('language')
})

test('a vocabulary is sent as the initial prompt', async () => {
  const inputs: WhisperInput[] = []
  const vocabulary = { prompt: 'A talk about engines.', keywords: ['Quornby', 'Brannoch'] }
  await workersAi(whisper(inputs)).start(pieceOf({ vocabulary }))
  await workersAi(whisper(inputs)).start(pieceOf())
  expect(inputs[0]?.initial_prompt).toBe('A talk about engines. Quornby, Brannoch.')
  expect(inputs[1]).not.toHaveProperty('initial_prompt')
})

test('a vocabulary that is said back on noise is left out', async () => {
  const segments = [
    { start: 0, end: 2, text: ' We are in Quornby.', no_speech_prob: 0.1, avg_logprob: -0.2 },
    { start: 5, end: 6, text: ' Quornby.', no_speech_prob: 0.2, avg_logprob: -0.3 },
    { start: 10, end: 12, text: ' Quornby, Quornby,', no_speech_prob: 0.7, avg_logprob: -0.3 },
    { start: 15, end: 17, text: ' Brannoch', no_speech_prob: 0.3, avg_logprob: -1.2 },
    { start: 20, end: 22, text: ' Goodbye.', no_speech_prob: 0.7, avg_logprob: -0.3 },
  ]
  const ai: AiBinding = { run: async () => ({ text: segments.map(({ text }) => text).join(''), segments }) }
  const vocabulary = { prompt: null, keywords: ['Quornby', 'Brannoch'] }
  const result = resultOf(await workersAi(ai).start(pieceOf({ durationSeconds: 30, vocabulary })))
  expect(result.segments.map(({ start }) => start)).toEqual([0, 5, 20])
  expect(result.text).toBe('We are in Quornby. Quornby. Goodbye.')
  expect(resultOf(await workersAi(ai).start(pieceOf({ durationSeconds: 30 }))).segments).toHaveLength(5)
})

test('a piece without speech is a result without segments', async () => {
  expect(resultOf(await workersAi(whisper([], true)).start(pieceOf()))).toMatchObject({ segments: [], text: '' })
})

test.each([
  ['3040: Capacity temporarily exceeded, please try again.', true],
  ['AiError: 3007: Request timeout', true],
  ['Network connection lost.', true],
  ['AiError: 3006: Request is too large', false],
  ['3036: You have used up your daily free allocation of 10,000 neurons.', false],
  ['5007: No such model', false],
])('"%s" is an internal error, retryable: %s', async (message, retryable) => {
  const result = await workersAi(failing(message)).start(pieceOf())
  expect(result).toMatchObject({ state: 'failed', failed: { code: 'INTERNAL', retryable } })
  expect(JSON.stringify(result)).not.toContain(message)
})

test('a segment of half a minute is split into readable ones by its words', async () => {
  const words = Array.from({ length: 60 }, (_, at) => ({
    word: at % 10 === 9 ? ' end.' : at % 10 === 0 ? ' So' : ' on',
    start: at / 2,
    end: (at + 1) / 2,
  }))
  const text = words.map(({ word }) => word).join('')
  const ai: AiBinding = { run: async () => ({ text, segments: [{ start: 0, end: 30, text, words }] }) }
  const { segments } = resultOf(await workersAi(ai).start(pieceOf({ durationSeconds: 30 })))
  expect(segments.map(({ start, end }) => end - start)).toEqual([5, 5, 5, 5, 5, 5])
})

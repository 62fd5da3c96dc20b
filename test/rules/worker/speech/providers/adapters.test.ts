import { expect, test } from 'vitest'
import { serviceNames } from '../../../../../domain/jobs/providers.ts'
import { speechProvider } from '../../../../../worker/speech/providers/adapters.ts'
import { refusedOptions } from '../../../../../worker/speech/providers/provider.ts'
import { pieceOf, resultOf } from '../../../../doubles/providers/audio-piece.ts'
import { startOpenAI } from '../../../../doubles/providers/openai.ts'

test.each(serviceNames)('the operator can configure %s', (name) => {
  expect(speechProvider(name).name).toBe(name)
})

test('a base URL may end with a slash', async () => {
  const service = await startOpenAI()
  const provider = speechProvider('openai', { openai: `${service.url}/` })
  resultOf(await provider.start(pieceOf({ apiKey: service.apiKey })))
  expect(service.requests[0]?.path).toBe('/v1/audio/transcriptions')
  await service.close()
})

test.each(['ftp://example.com', 'example.com', 'javascript:alert(1)'])('%s is not a valid base URL', (openai) => {
  expect(() => speechProvider('openai', { openai })).toThrow('base URL of openai')
})

test.each([
  ['openai', { response_format: 'srt', model: 'whisper-1', prompt: 'x' }, ['response_format']],
  [
    'openai',
    { file: 'x', stream: true, timestamp_granularities: ['word'] },
    ['file', 'stream', 'timestamp_granularities'],
  ],
  ['deepgram', { utterances: false, callback: 'https://example.com', keyterm: 'x' }, ['utterances', 'callback']],
  ['assemblyai', { audio_url: 'https://example.com/a.mp3', speaker_labels: true }, ['audio_url']],
  ['assemblyai', { speaker_labels: true, toString: 1, constructor: 2 }, []],
] as const)('%s refuses only those options of %o that reading the response depends on', (name, options, expected) => {
  const refused = refusedOptions(speechProvider(name), options, { words: false, speakers: null })
  expect(refused.map(({ option }) => option)).toEqual(expected)
  for (const { option, message } of refused) expect(message).toMatch(new RegExp(`^${option} cannot be set: .+\\.$`))
})

const both = { min: 2, max: 4 }
const any = { min: null, max: null }

test.each([
  ['deepgram', { speakers: any, words: false }, { diarize: false, keyterm: 'x' }, ['diarize']],
  ['deepgram', { speakers: any, words: true }, { diarize: true }, []],
  ['assemblyai', { speakers: any, words: false }, { speaker_labels: false }, ['speaker_labels']],
  ['assemblyai', { speakers: any, words: false }, { speakers_expected: 2 }, []],
  [
    'assemblyai',
    { speakers: both, words: false },
    { speakers_expected: 2, speaker_options: {} },
    ['speakers_expected', 'speaker_options'],
  ],
  ['openai', { speakers: any, words: false }, { prompt: 'x', include: ['logprobs'] }, ['prompt', 'include']],
  ['openai', { speakers: null, words: true }, { prompt: 'x' }, []],
  ['openai', { speakers: null, words: true }, { response_format: 'text' }, ['response_format']],
] as const)('%s with %o refuses those options of %o that contradict it', (name, asked, options, expected) => {
  expect(refusedOptions(speechProvider(name), options, asked).map(({ option }) => option)).toEqual(expected)
})

test.each([
  ['openai', { words: true, speakers: null }, {}, null],
  ['openai', { words: true, speakers: null }, { model: 'whisper-large-v3-turbo' }, null],
  ['openai', { words: true, speakers: null }, { model: 'gpt-4o-transcribe' }, 'words'],
  ['openai', { words: false, speakers: null }, { model: 'gpt-4o-transcribe' }, null],
  ['openai', { words: false, speakers: any }, {}, null],
  ['openai', { words: false, speakers: any }, { model: 'gpt-4o-transcribe-diarize' }, null],
  ['openai', { words: false, speakers: any }, { model: 'whisper-1' }, 'speakers'],
  ['openai', { words: false, speakers: { min: null, max: 2 } }, {}, 'speakers.max'],
  ['openai', { words: true, speakers: any }, {}, 'words'],
  ['deepgram', { words: true, speakers: any }, {}, null],
  ['deepgram', { words: true, speakers: both }, {}, 'speakers.min'],
  ['deepgram', { words: true, speakers: any }, { model: 'whisper-large' }, 'speakers'],
  ['assemblyai', { words: true, speakers: both }, {}, null],
] as const)('%s with %o and %o cannot do %s', (name, asked, options, expected) => {
  expect(speechProvider(name).unsupported(asked, options)?.option ?? null).toBe(expected)
})

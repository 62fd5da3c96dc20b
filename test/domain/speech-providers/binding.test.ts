import { expect, test } from 'vitest'
import { bindProviders } from '../../../worker/speech/providers/binding.ts'
import { refusedOptions } from '../../../worker/speech/providers/provider.ts'
import { startOpenAI } from '../../providers/openai.ts'
import { pieceOf, resultOf } from '../../providers/piece.ts'

test('the neutral names stand for OpenAI, Deepgram and AssemblyAI unless the operator says otherwise', () => {
  const { provider_a, provider_b, provider_c } = bindProviders()
  expect([provider_a.name, provider_b.name, provider_c.name]).toEqual(['openai', 'deepgram', 'assemblyai'])
  const other = bindProviders({}, { provider_a: 'deepgram', provider_b: 'openai', provider_c: 'openai' })
  expect(other.provider_a.name).toBe('deepgram')
})

test('a base URL works with and without a slash at its end', async () => {
  const service = await startOpenAI()
  const { provider_a } = bindProviders({ openai: `${service.url}/` })
  resultOf(await provider_a.start(pieceOf({ apiKey: service.apiKey })))
  expect(service.requests[0]?.path).toBe('/v1/audio/transcriptions')
  await service.close()
})

test.each(['ftp://example.com', 'example.com', 'javascript:alert(1)'])('%s is no base URL', (openai) => {
  expect(() => bindProviders({ openai })).toThrow('base URL of openai')
})

test.each([
  ['provider_a', { response_format: 'srt', model: 'whisper-1', prompt: 'x' }, ['response_format']],
  [
    'provider_a',
    { file: 'x', stream: true, timestamp_granularities: ['word'] },
    ['file', 'stream', 'timestamp_granularities'],
  ],
  ['provider_b', { utterances: false, callback: 'https://example.com', keyterm: 'x' }, ['utterances', 'callback']],
  ['provider_c', { audio_url: 'https://example.com/a.mp3', speaker_labels: true }, ['audio_url']],
  ['provider_c', { speaker_labels: true, toString: 1, constructor: 2 }, []],
] as const)('%s refuses of %o only what reading the answer depends on', (slot, options, refused) => {
  const said = refusedOptions(bindProviders()[slot], options)
  expect(said.map(({ option }) => option)).toEqual(refused)
  for (const { option, message } of said) expect(message).toMatch(new RegExp(`^${option} cannot be set: .+\\.$`))
})

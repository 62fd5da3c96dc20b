import { expect, test } from 'vitest'
import { modelNamed } from '../../../domain/openai-models.ts'

test.each([
  ['haul-auto', 'haul-auto'],
  ['haul-builtin', 'haul-builtin'],
  ['provider_b', 'provider_b'],
  ['whisper-1', 'haul-builtin'],
  ['whisper-large-v3-turbo', 'haul-builtin'],
  ['gpt-4o-transcribe', 'haul-builtin'],
  ['gpt-4o-mini-transcribe', 'haul-builtin'],
  ['gpt-4o-transcribe-diarize', 'haul-builtin'],
  ['gpt-transcribe', 'haul-builtin'],
  ['distil-whisper-large-v3-en', 'haul-builtin'],
  ['Systran/faster-whisper-medium', 'haul-builtin'],
  ['openai/whisper-large-v3', 'haul-builtin'],
  ['gpt-9', null],
  ['my-whisper', null],
  ['', null],
  ['toString', null],
])('where nothing else is named, %s means the engine %s', (name, engine) => {
  expect(modelNamed(name, {}, [])).toEqual(engine && { engine })
})

test("the operator's names come first", () => {
  const given = { 'large-v3': 'provider_a', 'whisper-1': 'haul-auto', parakeet: 'provider_b' } as const
  expect(modelNamed('large-v3', given, [])).toEqual({ engine: 'provider_a' })
  expect(modelNamed('whisper-1', given, [])).toEqual({ engine: 'haul-auto' })
  expect(modelNamed('whisper-2', given, [])).toEqual({ engine: 'haul-builtin' })
  expect(modelNamed('parakeet', given, ['parakeet'])).toEqual({ engine: 'provider_b' })
})

test.each([
  ['moonshine-base', { engine: 'haul-builtin', model: 'moonshine-base' }],
  // Comes before the names that begin like those of well-known models.
  ['whisper-base', { engine: 'haul-builtin', model: 'whisper-base' }],
  ['whisper-1', { engine: 'haul-builtin' }],
  ['moonshine-tiny', null],
  // Not one of ours that happens to be mounted under the same name.
  ['haul-auto', { engine: 'haul-auto' }],
])('where models are mounted, %s means %j', (name, meant) => {
  expect(modelNamed(name, {}, ['moonshine-base', 'whisper-base', 'haul-auto'])).toEqual(meant)
})

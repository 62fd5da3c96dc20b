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
])('without names of the operator, the model %s is %s', (name, model) => {
  expect(modelNamed(name, {})).toBe(model)
})

test("the operator's names come first", () => {
  const given = { 'large-v3': 'provider_a', 'whisper-1': 'haul-auto' } as const
  expect(modelNamed('large-v3', given)).toBe('provider_a')
  expect(modelNamed('whisper-1', given)).toBe('haul-auto')
  expect(modelNamed('whisper-2', given)).toBe('haul-builtin')
})

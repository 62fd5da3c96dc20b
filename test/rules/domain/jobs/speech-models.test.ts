import { expect, test } from 'vitest'
import {
  type AskedOfModel,
  distinctModels,
  modelAskedFor,
  type OfferedModel,
  unsupportedByModel,
  usesDefaultModel,
} from '../../../../domain/jobs/speech-models.ts'

const whisper: OfferedModel = {
  ...{ name: 'whisper', engine: 'builtin', isDefault: true, languages: 'all', speed: 8.5 },
  ...{ words: true, speakers: true, vocabulary: true, translation: true },
}
const english: OfferedModel = {
  ...{ name: 'english', engine: 'builtin', isDefault: false, languages: ['en'], speed: null },
  ...{ words: false, speakers: false, vocabulary: false, translation: false },
}
const timed: OfferedModel = { ...english, name: 'timed', words: true, languages: ['de', 'en'] }

const nothing: AskedOfModel = {
  ...{ words: false, speakers: false, keywords: false, prompt: false, translate: false, language: null },
}

test.each<[Partial<AskedOfModel>, string, string]>([
  [{ words: true }, 'words', 'does not tell when each word is said. Supported by whisper, timed.'],
  [{ speakers: true }, 'speakers', 'does not tell when each word is said, and so not by whom. Supported by whisper.'],
  [{ keywords: true }, 'keywords', 'takes no vocabulary. Supported by whisper.'],
  [{ prompt: true, words: true }, 'words', 'does not tell when each word is said. Supported by whisper.'],
  [{ translate: true }, 'translate', 'does not translate. Supported by whisper.'],
  [{ language: 'de' }, 'language', 'knows en. Supported by whisper, timed.'],
])('what a model cannot is named with those that can do all of it: %o', (changes, option, reason) => {
  const asked = { ...nothing, ...changes }
  const message = `${option} is not supported: the model english ${reason}`
  expect(unsupportedByModel(english, asked, [whisper, english, timed])).toEqual({ option, message })
  expect(unsupportedByModel(whisper, asked, [whisper, english, timed])).toBeNull()
})

test('a model supports what is not asked of it, and the languages that it knows', () => {
  expect(unsupportedByModel(english, nothing, [])).toBeNull()
  expect(unsupportedByModel(english, { ...nothing, language: 'en' }, [])).toBeNull()
  expect(unsupportedByModel(timed, { ...nothing, words: true, language: 'de' }, [])).toBeNull()
})

test('without any model that can, the reason stands alone', () => {
  const message = 'speakers is not supported: the built-in speech recognition here cannot tell who speaks.'
  const mute = { ...whisper, speakers: false }
  expect(unsupportedByModel(mute, { ...nothing, speakers: true }, [mute])).toEqual({ option: 'speakers', message })
})

test('of several engines each model is listed once, and one is the default', () => {
  const unheard = { ...whisper, speed: null }
  expect(distinctModels([unheard, english, whisper, { ...english, isDefault: true }])).toEqual([whisper, english])
  expect(distinctModels([{ ...timed, isDefault: true }, whisper]).map(({ isDefault }) => isDefault)).toEqual([
    true,
    false,
  ])
})

test('the model of a request is that of its words', () => {
  const words = { language: null, provider: 'builtin' } as const
  expect(modelAskedFor({ ...words, model: 'a' })).toBe('a')
  expect(modelAskedFor(words)).toBeNull()
  expect(modelAskedFor({ transcribe: { ...words, model: 'b' } as never })).toBe('b')
  expect(modelAskedFor({})).toBeNull()
  expect(usesDefaultModel(words)).toBe(true)
  expect(usesDefaultModel({ ...words, provider: null })).toBe(true)
  expect(usesDefaultModel({ transcribe: words as never })).toBe(true)
  expect(usesDefaultModel({ ...words, model: 'a' })).toBe(false)
  expect(usesDefaultModel({ ...words, provider: 'provider_a' })).toBe(false)
  expect(usesDefaultModel({})).toBe(false)
})

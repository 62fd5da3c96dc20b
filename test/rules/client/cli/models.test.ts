import { expect, test } from 'vitest'
import { modelLines } from '../../../../client/cli/commands/models.ts'
import type { Model } from '../../../../client/src/index.ts'

const whisper: Model = {
  ...{ name: 'whisper-base', engine: 'builtin', isDefault: true, languages: 'all', pricePerMinute: 0.02, speed: 8.4 },
  ...{ words: true, speakers: true, vocabulary: true, translation: true },
}
const moonshine: Model = {
  ...{ name: 'moonshine-base', engine: 'builtin', isDefault: false, languages: ['en'], pricePerMinute: 0, speed: null },
  ...{ words: false, speakers: false, vocabulary: false, translation: false },
}

test('the models are a table: names, languages, what each can, prices and how fast each has been', () => {
  expect(modelLines([whisper, moonshine])).toEqual([
    'Name            Default  Languages  Can                                       A minute  Speed',
    'whisper-base    yes      all        words, speakers, vocabulary, translation     $0.02   8.4×',
    'moonshine-base           en                                                       free',
  ])
})

test('on a narrow terminal, what does not fit is cut', () => {
  const lines = modelLines([{ ...moonshine, languages: ['en', 'de', 'es', 'fr', 'it', 'nl', 'pl', 'pt'] }, whisper], 80)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
  expect(lines[1]).toMatch(/^moonshine-base {11}en, de/)
})

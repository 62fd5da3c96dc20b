import { expect, test } from 'vitest'
import { type HeardPart, mainLanguage } from '../../../../domain/words/main-language.ts'

const part = (language: string | null, letters: number, probability?: number): HeardPart => ({
  language,
  letters,
  probability,
})

test.each<[string, HeardPart[], string | null, number | null]>([
  ['nothing', [], null, null],
  ['silence', [part(null, 0, 0.9)], null, null],
  ['one part', [part('en', 100, 0.97)], 'en', 0.97],
  ['a jingle before the speech', [part('ja', 10, 0.99), part('en', 100, 0.6), part('en', 200, 0.9)], 'en', 0.8],
  ['two languages with as much text', [part('de', 50, 0.5), part('fr', 50, 0.9)], 'de', 0.5],
  ['an engine that does not tell', [part('en', 100), part('en', 50)], 'en', null],
  ['an engine that tells it of some parts', [part('en', 100), part('en', 50, 0.7)], 'en', 0.7],
  ['a language without text', [part('en', 0, 0.7)], 'en', 0.7],
])('the language of %s', (_, parts, language, languageProbability) => {
  expect(mainLanguage(parts)).toEqual({ language, languageProbability })
})

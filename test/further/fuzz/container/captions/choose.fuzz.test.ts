import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rankCaptions } from '../../../../../container/captions/choose.ts'
import { isUndetermined, languageMatch, normalizeLanguageTag } from '../../../../../container/captions/languages.ts'
import type { CaptionTrack } from '../../../../../container/source/source.ts'
import { runs } from '../../../../support/runs.ts'
import {
  type Budget,
  countGrowsLinearly,
  growsLinearly,
  once,
  type Part,
  repeated,
  textOf,
  within,
} from '../../hostile-input.ts'

const fragments = [
  ...['en', 'de', 'pt', 'zh', 'Hans', 'Latn', 'US', '419', 'orig', 'und', 'ger', 'fil', 'nb', 'x', 'u', 'ca', 'root'],
  ...['mul', 'art', 'lojban', '-', '_', '--', ' ', 'constructor', '__proto__', 'toString', 'i-klingon'],
  ...['nP7-2PuUl7o', 'a#n', 'I', 'İ'],
]
const track = (language: string, fields: Partial<CaptionTrack> = {}): CaptionTrack => ({
  language,
  kind: 'manual',
  original: true,
  format: 'vtt',
  transport: { kind: 'file', url: 'https://a.example/', headers: {} },
  ...fields,
})

/** Measured: at most 15 operations for each character. */
const budget: Budget = { each: 40, fixed: 500 }

const suspects: Record<string, Part[]> = {
  letters: [repeated('a')],
  'parts of a tag': [repeated('en-')],
  hyphens: [repeated('-')],
  'extensions of a tag': [once('en-u'), repeated('-ca#n')],
  spaces: [once('en'), repeated(' '), once('-US')],
}

test.each(Object.entries(suspects))('a language tag of %s: twice as many take twice as long', (_title, parts) => {
  growsLinearly(parts, normalizeLanguageTag)
})

test('any language tag is a valid one after normalization, or none, and matches itself', () => {
  fc.assert(
    fc.property(textOf(fragments), textOf(fragments), (one, other) => {
      const normalized = within(budget, one.length, () => normalizeLanguageTag(one))
      expect(isUndetermined(one)).toBe(normalized === null)
      if (normalized !== null) {
        expect(Intl.getCanonicalLocales(normalized)).toEqual([normalized])
        expect(languageMatch(one, one)).toBe(3)
      }
      within(budget, one.length + other.length, () => languageMatch(one, other))
      expect(languageMatch(one, other)).toBe(languageMatch(other, one))
    }),
    runs(100),
  )
})

test('any tracks are ranked: manual ones first, and none twice', () => {
  const tracks = fc.array(
    fc.record({
      language: textOf(fragments).map((text) => text.slice(0, 100)),
      kind: fc.constantFrom('manual' as const, 'automatic' as const),
      original: fc.boolean(),
      format: fc.constantFrom('vtt', 'VTT', 'json3', 'ass', '', 'constructor'),
    }),
    { maxLength: 12 },
  )
  fc.assert(
    fc.property(tracks, fc.option(textOf(fragments)), fc.option(textOf(fragments)), (some, requested, spoken) => {
      const all = some.map(({ language, ...fields }) => track(language, fields))
      const ranked = rankCaptions(all, { requested, spoken })
      expect(new Set(ranked).size).toBe(ranked.length)
      for (const each of ranked) expect(all).toContain(each)
    }),
    runs(75),
  )
})

test('twice as many tracks take twice as long', () => {
  const many = (count: number): CaptionTrack[] => Array.from({ length: count }, (_, index) => track(`en-${index}`))
  countGrowsLinearly(many, 300, (tracks) => rankCaptions(tracks, { requested: 'en', spoken: null }))
})

import { expect, test } from 'vitest'
import { languageMatch, normalizeLanguageTag } from '../../../container/captions/languages.ts'

test.each([
  ['en', 'en', 3],
  ['en', 'en-US', 2],
  ['en-US', 'en', 2],
  ['en-GB', 'en-US', 1],
  ['en', 'de', 0],
  ['EN_us', 'en-US', 3],
  ['pt-BR', 'pt', 2],
  ['en', 'eng', 3],
  ['de', 'ger', 3],
  ['deu', 'ger', 3],
  ['fr', 'fre', 3],
  ['he', 'iw', 3],
  ['no', 'nb', 3],
  ['zh', 'cmn', 3],
  ['zh', 'zh-Hans', 3],
  ['zh-CN', 'zh-Hans', 2],
  ['zh-TW', 'zh-CN', 0],
  ['zh-Hant', 'zh-HK', 2],
  ['en', 'en-orig', 3],
  ['en', 'en-nP7-2PuUl7o', 3],
  ['sr-Latn', 'sr', 0],
  ['en', 'und', 0],
  ['', 'en', 0],
  ['en', '!?', 0],
  ['en', 'enm', 0],
  ['es', 'es-419', 2],
] as const)('a request for %j matches a track in %j with rank %i', (requested, offered, match) => {
  expect(languageMatch(requested, offered)).toBe(match)
})

test.each([
  ['ger', 'de'],
  ['eng', 'en'],
  ['en_us', 'en-US'],
  ['zh-Hant-TW', 'zh-Hant-TW'],
  ['en-orig', 'en'],
  ['und', null],
  ['', null],
])('the tag %j is normalized to %j', (tag, normalized) => expect(normalizeLanguageTag(tag)).toBe(normalized))

import { expect, test } from 'vitest'
import { assemblyAiLanguage, baseLanguage, languageCode, languageName } from '../../../../worker/speech/languages.ts'

test.each([
  ['english', 'en'],
  ['English', 'en'],
  ['haitian creole', 'ht'],
  ['mandarin', 'zh'],
  ['cantonese', 'yue'],
  ['yoruba', 'yo'],
  ['en', 'en'],
  ['en_us', 'en-US'],
  ['en_uk', 'en-GB'],
  ['pt-br', 'pt-BR'],
  ['zh-hant-tw', 'zh-Hant-TW'],
  ['', null],
  [null, null],
  ['klingon-!', 'klingon-!'],
])('a service’s language %s is %s for callers', (name, code) => expect(languageCode(name)).toBe(code))

test.each([
  ['en-US', 'en'],
  ['de', 'de'],
  ['iw', 'he'],
])('the language of %s is %s', (code, language) => expect(baseLanguage(code)).toBe(language))

test.each([
  ['en-US', 'en_us'],
  ['en-GB', 'en_uk'],
  ['en-AU', 'en_au'],
  ['de-CH', 'de_ch'],
  ['en', 'en'],
  ['pt-BR', 'pt'],
])('%s is %s for AssemblyAI', (code, name) => expect(assemblyAiLanguage(code)).toBe(name))

test.each([
  ['en', 'english'],
  ['pt-BR', 'portuguese'],
  ['zh-Hant-TW', 'chinese'],
  ['es', 'spanish'],
  ['ht', 'haitian creole'],
  ['yue', 'cantonese'],
  ['fil', 'filipino'],
  ['und', null],
  ['not-!', null],
  ['!', null],
  ['', null],
])('the language %s has the English name %s', (code, name) => expect(languageName(code)).toBe(name))

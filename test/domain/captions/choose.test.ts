import { describe, expect, test } from 'vitest'
import type { CaptionTrack } from '../../../container/source/source.ts'
import { type CaptionWish, chooseCaptions, rankCaptions } from '../../../container/speech/captions/choose.ts'
import { languageMatch } from '../../../container/speech/captions/languages.ts'

const track = (language: string, maker: 'manual' | 'spoken' | 'translated', format = 'vtt'): CaptionTrack => ({
  language,
  kind: maker === 'manual' ? 'manual' : 'automatic',
  original: maker === 'spoken',
  format,
  transport: { kind: 'file', url: `https://captions.example/${language}.${format}`, headers: {} },
})

const said = (found: CaptionTrack | null) =>
  found && [found.language, found.kind === 'manual' ? 'manual' : found.original ? 'spoken' : 'translated', found.format]

const youtube = [
  track('live_chat', 'manual', 'json'),
  track('de', 'manual', 'vtt'),
  track('de', 'manual', 'json3'),
  track('en', 'translated', 'json3'),
  track('es', 'translated', 'json3'),
  track('en-orig', 'spoken', 'vtt'),
  track('en-orig', 'spoken', 'json3'),
]

describe('which captions are taken', () => {
  test.each<[string, CaptionTrack[], CaptionWish, unknown]>([
    ['no language wanted: what was spoken, json3 first', youtube, {}, ['en-orig', 'spoken', 'json3']],
    [
      'people’s captions in the language spoken go before automatic ones',
      [...youtube, track('en-GB', 'manual')],
      {},
      ['en-GB', 'manual', 'vtt'],
    ],
    ['wanted, and made by people', youtube, { wanted: 'de' }, ['de', 'manual', 'json3']],
    [
      'a machine translation only when its language is asked for',
      youtube,
      { wanted: 'es' },
      ['es', 'translated', 'json3'],
    ],
    [
      'what was heard goes before its translation into itself',
      youtube,
      { wanted: 'en' },
      ['en-orig', 'spoken', 'json3'],
    ],
    ['a language that nobody has', youtube, { wanted: 'ja' }, null],
    ['translations alone are nothing without a wish', [track('en', 'translated')], {}, null],
    [
      'the media says its language',
      [track('de', 'manual'), track('fr', 'manual')],
      { spoken: 'fr' },
      ['fr', 'manual', 'vtt'],
    ],
    [
      'people’s captions in another language than the media’s are not the media’s words',
      [track('de', 'manual')],
      { spoken: 'fr' },
      null,
    ],
    [
      'nobody knows what is spoken: the first one that people made',
      [track('fr', 'manual'), track('de', 'manual')],
      {},
      ['fr', 'manual', 'vtt'],
    ],
    [
      'the very region goes before another',
      [track('pt-PT', 'manual'), track('pt', 'manual'), track('pt-BR', 'manual')],
      { wanted: 'pt-BR' },
      ['pt-BR', 'manual', 'vtt'],
    ],
    [
      'no region goes before another region',
      [track('pt-PT', 'manual'), track('pt', 'manual')],
      { wanted: 'pt-BR' },
      ['pt', 'manual', 'vtt'],
    ],
    ['another region goes before nothing', [track('pt-PT', 'manual')], { wanted: 'pt-BR' }, ['pt-PT', 'manual', 'vtt']],
    [
      'a track without a language serves when no other does',
      [track('und', 'manual'), track('de', 'manual')],
      { wanted: 'en' },
      ['und', 'manual', 'vtt'],
    ],
    [
      'a track that says the language goes before one that says none',
      [track('', 'manual'), track('en', 'spoken')],
      { wanted: 'en' },
      ['en', 'spoken', 'vtt'],
    ],
    [
      'formats by how well they are read',
      [track('en', 'manual', 'ttml'), track('en', 'manual', 'srt'), track('en', 'manual', 'vtt')],
      {},
      ['en', 'manual', 'vtt'],
    ],
    [
      'formats that can’t be read are not taken',
      [track('en', 'manual', 'sup'), track('en', 'manual', 'json')],
      {},
      null,
    ],
    ['chats are not captions', [track('live_chat', 'manual', 'vtt'), track('danmaku', 'manual', 'xml')], {}, null],
    ['no captions at all', [], {}, null],
  ])('%s', (_, tracks, wish, expected) => expect(said(chooseCaptions(tracks, wish))).toEqual(expected))

  test('the next best stands behind the best, should that one not be had', () => {
    expect(rankCaptions(youtube, { wanted: 'en' }).map(said)).toEqual([
      ['en-orig', 'spoken', 'json3'],
      ['en-orig', 'spoken', 'vtt'],
      ['en', 'translated', 'json3'],
    ])
  })
})

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
] as const)('a wish for %j is answered by %j with %i', (wanted, offered, match) => {
  expect(languageMatch(wanted, offered)).toBe(match)
})

import { describe, expect, test } from 'vitest'
import { type CaptionPreference, rankCaptions } from '../../../container/captions/choose.ts'
import type { CaptionTrack } from '../../../container/source/source.ts'

const track = (language: string, origin: 'manual' | 'spoken' | 'translated', format = 'vtt'): CaptionTrack => ({
  language,
  kind: origin === 'manual' ? 'manual' : 'automatic',
  original: origin === 'spoken',
  format,
  transport: { kind: 'file', url: `https://captions.example/${language}.${format}`, headers: {} },
})

const summary = ({ language, kind, original, format }: CaptionTrack) =>
  `${language || 'none'} ${kind === 'manual' ? 'manual' : original ? 'spoken' : 'translated'} ${format}`

const youtube = [
  track('live_chat', 'manual', 'json'),
  track('de', 'manual', 'vtt'),
  track('de', 'manual', 'json3'),
  track('en', 'translated', 'json3'),
  track('es', 'translated', 'json3'),
  track('en-orig', 'spoken', 'vtt'),
  track('en-orig', 'spoken', 'json3'),
]

describe('the best track', () => {
  test.each<[string, CaptionTrack[], CaptionPreference, string | null]>([
    [
      'without a requested language, the automatic track in the spoken one, as json3',
      youtube,
      {},
      'en-orig spoken json3',
    ],
    [
      'a manual track in the spoken language goes before an automatic one',
      [...youtube, track('en-GB', 'manual')],
      {},
      'en-GB manual vtt',
    ],
    ['a manual track in the requested language', youtube, { requested: 'de' }, 'de manual json3'],
    ['a machine translation, if its language is requested', youtube, { requested: 'es' }, 'es translated json3'],
    [
      'the automatic track goes before a machine translation into the same language',
      youtube,
      { requested: 'en' },
      'en-orig spoken json3',
    ],
    ['none in the requested language', youtube, { requested: 'ja' }, null],
    ['no machine translation without a requested language', [track('en', 'translated')], {}, null],
    [
      'the language that the source states',
      [track('de', 'manual'), track('fr', 'manual')],
      { spoken: 'fr' },
      'fr manual vtt',
    ],
    ['no manual track in another language than the spoken one', [track('de', 'manual')], { spoken: 'fr' }, null],
    [
      'the first manual track, if the spoken language is unknown',
      [track('fr', 'manual'), track('de', 'manual')],
      {},
      'fr manual vtt',
    ],
    [
      'the requested region goes before others',
      [track('pt-PT', 'manual'), track('pt', 'manual'), track('pt-BR', 'manual')],
      { requested: 'pt-BR' },
      'pt-BR manual vtt',
    ],
    [
      'no region goes before another region',
      [track('pt-PT', 'manual'), track('pt', 'manual')],
      { requested: 'pt-BR' },
      'pt manual vtt',
    ],
    [
      'another region, if there is no better track',
      [track('pt-PT', 'manual')],
      { requested: 'pt-BR' },
      'pt-PT manual vtt',
    ],
    [
      'a track without a language, if no other matches',
      [track('und', 'manual'), track('de', 'manual')],
      { requested: 'en' },
      'und manual vtt',
    ],
    [
      'a track in the language goes before one without a language',
      [track('', 'manual'), track('en', 'spoken')],
      { requested: 'en' },
      'en spoken vtt',
    ],
    [
      'the format that is read most reliably',
      [track('en', 'manual', 'ttml'), track('en', 'manual', 'srt'), track('en', 'manual', 'vtt')],
      {},
      'en manual vtt',
    ],
    ['none in an unsupported format', [track('en', 'manual', 'sup'), track('en', 'manual', 'lrc')], {}, null],
    ['no chat', [track('live_chat', 'manual', 'vtt'), track('danmaku', 'manual', 'xml')], {}, null],
    ['none without tracks', [], {}, null],
  ])('%s', (_, tracks, preference, expected) => {
    expect(rankCaptions(tracks, preference).map(summary)[0] ?? null).toEqual(expected)
  })

  test('the other matching tracks follow in order, in case the best one cannot be fetched', () => {
    expect(rankCaptions(youtube, { requested: 'en' }).map(summary)).toEqual([
      'en-orig spoken json3',
      'en-orig spoken vtt',
      'en translated json3',
    ])
  })
})

import { expect, test } from 'vitest'
import { modelText } from '../../../console/assets/format.js'
import { speechFacts } from '../../../console/assets/jobs/job-card.js'
import { failuresIn, ours, wordsIn } from '../../../console/assets/jobs/job-files.js'

const result = { duration: 6, costInDollars: 0, language: 'fr' }

test.each([
  [{}, ['fr']],
  [{ model: 'whisper-base', languageProbability: 0.93 }, ['fr', 'whisper-base']],
  [{ languageProbability: 0.8 }, ['fr']],
  [{ languageProbability: 0.634 }, ['fr, 63 % sure']],
  [{ model: 'whisper-base', translatedTo: 'en' as const }, ['fr', 'translated into English', 'whisper-base']],
])('of a transcript with %o the card says %j', (given, facts) => {
  expect(speechFacts({ ...result, ...given })).toEqual(facts)
})

test.each([
  [{ languages: 'all', pricePerMinute: 0 } as const, 'small'],
  [{ languages: ['en', 'de'], pricePerMinute: 0.005 }, 'small: en, de, $0.005 a minute'],
  [{ languages: ['en', 'de', 'es', 'fr'], pricePerMinute: 0 }, 'small: 4 languages'],
])('a model with %o is offered as %s', (model, text) => expect(modelText({ name: 'small', ...model })).toBe(text))

const failed = { status: 'failed', costInDollars: 0 } as const
const skipped = { status: 'skipped', costInDollars: 0 } as const

test.each([
  [[{ kind: 'chapters', ...skipped } as const], ''],
  [[{ kind: 'transcript', ...failed } as const], 'Transcript failed'],
  [[{ kind: 'captions', language: 'zh-Hant', ...failed } as const], 'Captions in Traditional Chinese failed'],
  [
    [{ kind: 'captions', language: '<b>', origin: 'automatic', ...failed } as const],
    'Captions in <b>, automatic failed',
  ],
  [[{ kind: 'captions', language: 'und', ...failed } as const, ...Array(2).fill(failed)], 'Captions and 2 more failed'],
])('of the files %j the card says "%s"', (files, sentence) => expect(failuresIn(files)).toBe(sentence))

const words = { status: 'completed', format: 'srt', costInDollars: 0 } as const

test.each([
  [['captions', 'transcript'] as const, 'transcript'],
  [['captions'] as const, 'captions'],
  [[], undefined],
])('the words of a job with %j are its %s', (kinds, kind) => {
  const files = [
    { kind: 'media', status: 'completed', costInDollars: 0 } as const,
    { kind: 'transcript', ...failed } as const,
  ]
  expect(wordsIn([...files, ...kinds.map((each) => ({ kind: each, ...words }))])?.kind).toBe(kind)
})

test.each([
  ['https://haul.example/files/imp_1/a%20b.vtt?signature=1', '/files/imp_1/a%20b.vtt?signature=1'],
  ['https://haul.example/media/trn_1/a.mp4', '/media/trn_1/a.mp4'],
  ['https://s3.example/media/films/a.mp4', 'https://s3.example/media/films/a.mp4'],
])('the page loads %s from %s', (link, path) => expect(ours(link)).toBe(path))

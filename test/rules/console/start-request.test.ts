import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startRequest } from '../../../console/assets/start-request.js'
import { startForm } from '../../../domain/options/start-form.ts'

const stored = { importId: null, uploadId: null }

const page = readFileSync(join(import.meta.dirname, '../../../console/index.html'), 'utf8')

/** What the form asks for, with these values and all other fields empty. */
const asked = (fields: Record<string, string>) => {
  const values: Record<string, string> = {
    from: 'url',
    what: 'transcript',
    way: 'builtin',
    url: 'https://example.com/a.mp4',
  }
  const field = (name: string) => {
    if (!startForm.some((each) => each.name === name)) expect(page).toContain(` name="${name}"`)
    return { ...values, ...fields }[name] ?? ''
  }
  return startRequest(startForm, field, stored).body
}

test('a transcription without options names its engine only', () =>
  expect(asked({})).toEqual({ url: 'https://example.com/a.mp4', provider: 'builtin' }))

test.each([
  ['auto', '', { mode: 'auto', maxCostDollars: 1 }],
  ['auto', '0.01', { mode: 'auto', maxCostDollars: 0.01 }],
  ['captions', '', { mode: 'captions' }],
])('by the way %s a transcript that may cost "%s" asks for %o', (way, maxCostDollars, request) =>
  expect(asked({ way, maxCostDollars })).toEqual({ url: 'https://example.com/a.mp4', ...request }),
)

test.each([
  [{ way: 'builtin' }, { provider: 'builtin', model: 'moonshine-base' }],
  [{ way: 'auto' }, { mode: 'auto', maxCostDollars: 1, model: 'moonshine-base' }],
])('by the way %o a model is asked for by its name', (fields, request) =>
  expect(asked({ ...fields, model: 'moonshine-base' })).toEqual({ url: 'https://example.com/a.mp4', ...request }),
)

test('a clip of the sound is asked for as MP3, with seconds as numbers, and a copy with its name', () => {
  const clip = { clipStart: '0:01', clipEnd: '3', store: 'on', storageFilename: 'a.mp3' }
  const fields = { what: 'audio', audioQuality: 'high', audioFormat: 'mp3', ...clip }
  expect(asked(fields)).toEqual({
    ...{ url: 'https://example.com/a.mp4', includeVideo: false, includeAudio: true, audioQuality: 'high' },
    ...{ audioFormat: 'mp3', clip: { start: '0:01', end: 3 }, store: true, storageFilename: 'a.mp3' },
  })
})

test.each([
  [{ speakers: 'on' }, true],
  [{ speakers: 'on', minSpeakers: '2' }, { min: 2 }],
  [{ speakers: 'on', maxSpeakers: '3' }, { max: 3 }],
  [
    { speakers: 'on', minSpeakers: '2', maxSpeakers: '3' },
    { min: 2, max: 3 },
  ],
  [{ minSpeakers: '2' }, undefined],
])('%o asks for the speakers %o', (fields, speakers) => expect(asked(fields).speakers).toEqual(speakers))

test.each([
  ['Elinor Dashwood, Barton Park', ['Elinor Dashwood', 'Barton Park']],
  ['Elinor\nBarton Park,\n\n Elinor ,', ['Elinor', 'Barton Park']],
  [' ,\n', undefined],
])('the keywords %j are %j', (keywords, sent) => expect(asked({ keywords }).keywords).toEqual(sent))

test('a prompt and a translation are sent', () =>
  expect(asked({ prompt: 'A novel.', translate: 'on' })).toMatchObject({ prompt: 'A novel.', translate: 'en' }))

test('words are kept out of the search, and are searched when nothing is chosen', () => {
  expect(asked({ index: 'false' })).toMatchObject({ index: false })
  expect(asked({ from: 'urls', urls: 'https://example.com/1', what: 'video', index: 'false' })).toMatchObject({
    import: { index: false },
  })
  expect(asked({})).not.toHaveProperty('index')
})

const film = { url: 'https://example.com/a.mp4', includeVideo: true, includeAudio: true }

test.each([
  ['nothing', {}, {}],
  ['all captions', { captions: 'all' }, { captions: 'all' }],
  ['some captions', { captions: 'all', captionLanguages: 'en, zh-Hant' }, { captions: ['en', 'zh-Hant'] }],
  ['no captions, although languages are left', { captionLanguages: 'en' }, {}],
  ['files', { files: 'thumbnail,chapters' }, { files: ['thumbnail', 'chapters'] }],
  ['formats without words', { formats: 'srt' }, {}],
  ['formats of captions', { captions: 'all', formats: 'srt, vtt' }, { captions: 'all', formats: ['srt', 'vtt'] }],
])('a film is also asked for with %s', (_, fields, request) =>
  expect(asked({ what: 'video', ...fields })).toEqual({ ...film, ...request }),
)

test.each([
  ['auto', {}, { mode: 'auto' }, {}],
  ['captions', { language: 'de' }, { mode: 'captions', language: 'de' }, {}],
  ['builtin', { maxCostDollars: '2' }, { provider: 'builtin' }, { maxCostDollars: 2 }],
  ['provider_a', { speakers: 'on', formats: 'txt' }, { provider: 'provider_a', speakers: true }, { formats: ['txt'] }],
  ['auto', { maxSeconds: '60' }, { mode: 'auto' }, { maxSeconds: 60 }],
])('a film with its transcript by the way %s and %o is one import', (way, fields, transcribe, request) =>
  expect(asked({ what: 'video', transcript: 'on', way, ...fields })).toEqual({ ...film, ...request, transcribe }),
)

test('a transcript that is copied has its own formats', () =>
  expect(asked({ store: 'on', transcriptFormats: 'srt', storageKey: '{title}.{ext}' })).toEqual({
    ...{ url: 'https://example.com/a.mp4', provider: 'builtin' },
    ...{ store: true, storageKey: '{title}.{ext}', formats: ['srt'] },
  }))

test('films of a batch are asked for with their words', () =>
  expect(
    asked({ from: 'urls', urls: 'https://example.com/1', what: 'video', transcript: 'on', captions: 'all' }),
  ).toEqual({
    urls: ['https://example.com/1'],
    import: { includeVideo: true, includeAudio: true, captions: 'all', transcribe: { provider: 'builtin' } },
  }))

test('the items of a batch are asked for the same', () =>
  expect(asked({ from: 'urls', urls: 'https://example.com/1\n', speakers: 'on', keywords: 'Elinor' })).toEqual({
    urls: ['https://example.com/1'],
    transcribe: { provider: 'builtin', speakers: true, keywords: ['Elinor'] },
  }))

const feed = 'https://example.com/feed.xml'
const followed = (fields: Record<string, string>) => asked({ from: 'watch', url: feed, ...fields })

test('what is new in a feed is asked for as the items of a batch are, with the terms of the watch', () =>
  expect(
    followed({ what: 'audio', transcript: 'on', way: 'captions', everyMinutes: '360', watchMaxCostDollars: '20' }),
  ).toEqual({
    ...{ url: feed, everyMinutes: 360, maxCostDollarsPerMonth: 20 },
    import: { includeVideo: false, includeAudio: true, transcribe: { mode: 'captions' } },
  }))

test('a watch for transcripts takes some of the newest, and has the webhook that its items have not', () =>
  expect(followed({ first: '3', webhookUrl: 'https://example.com/hook', maxCostDollars: '2' })).toEqual({
    ...{ url: feed, first: 3, webhookUrl: 'https://example.com/hook' },
    transcribe: { provider: 'builtin', maxCostDollars: 2 },
  }))

test('a watch that only tells asks for nothing else', () =>
  expect(followed({ what: 'tell', everyMinutes: '15' })).toEqual({ url: feed, everyMinutes: 15 }))

test.each([
  [{ titlesWith: 'interview, live' }, { title: ['interview', 'live'] }],
  [
    { titlesWith: 'interview', titlesWithout: 'trailer, ' },
    { title: ['interview'], notTitle: ['trailer'] },
  ],
  [{ minSeconds: '120' }, { minSeconds: 120 }],
  [{ titlesWith: ' , ' }, undefined],
])('%o filters a watch by %o', (fields, filter) => expect(followed(fields).filter).toEqual(filter))

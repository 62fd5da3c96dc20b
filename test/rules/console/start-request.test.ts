import { expect, test } from 'vitest'
import { startRequest } from '../../../console/assets/start-request.js'

const stored = { importId: null, uploadId: null }

/** What the form asks for, with these values and all other fields empty. */
const asked = (fields: Record<string, string>) => {
  const values: Record<string, string> = {
    from: 'url',
    what: 'transcript',
    way: 'builtin',
    url: 'https://example.com/a.mp4',
  }
  return startRequest((name) => ({ ...values, ...fields })[name] ?? '', stored).body
}

test('a transcription without options names its engine only', () =>
  expect(asked({})).toEqual({ url: 'https://example.com/a.mp4', provider: 'builtin' }))

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

test('the items of a batch are asked for the same', () =>
  expect(asked({ from: 'urls', urls: 'https://example.com/1\n', speakers: 'on', keywords: 'Elinor' })).toEqual({
    urls: ['https://example.com/1'],
    transcribe: { provider: 'builtin', speakers: true, keywords: ['Elinor'] },
  }))

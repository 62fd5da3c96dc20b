import { expect, test } from 'vitest'
import { isFound, type JobFilter } from '../../../../domain/jobs/job-filter.ts'
import { everyJob } from '../../../support/every-job.ts'

const job = {
  kind: 'import',
  state: 'completed',
  url: 'https://media.example/Film.mp4',
  title: 'Über den FLUSS',
  createdAt: 1_000,
  metadata: { show: 'news', episode: '42' },
  keyId: 'key_1',
} as const

test.each<[string, Partial<JobFilter>]>([
  ['no filter', {}],
  ['its kind', { kind: 'import' }],
  ['its state', { state: 'completed' }],
  ['the time of its creation as the first', { createdFrom: 1_000 }],
  ['a time after its creation as the end', { createdBefore: 1_001 }],
  ['one of its metadata', { metadata: { episode: '42' } }],
  ['all of its metadata', { metadata: { episode: '42', show: 'news' } }],
  ['a part of its title', { text: 'den f' }],
  ['its title in other cases', { text: 'ÜBER DEN fluss' }],
  ['a letter of its title that is composed otherwise', { text: 'u\u0308ber' }],
  ['a part of its URL', { text: '/film.MP4' }],
  ['the key that has started it', { keyId: 'key_1' }],
  ['all at once', { kind: 'import', state: 'completed', createdFrom: 1, createdBefore: 1_001, text: 'fluss' }],
])('a job is found by %s', (_, filter) => expect(isFound(job, { ...everyJob, ...filter })).toBe(true))

test.each<[string, Partial<JobFilter>]>([
  ['another kind', { kind: 'transcription' }],
  ['another state', { state: 'failed' }],
  ['a later first time', { createdFrom: 1_001 }],
  ['the time of its creation as the end', { createdBefore: 1_000 }],
  ['another key', { keyId: 'key_2' }],
  ['another value', { metadata: { episode: '4' } }],
  ['a value in another case', { metadata: { show: 'News' } }],
  ['a key that it does not have', { metadata: { season: '' } }],
  ['a key that all objects have', { metadata: { constructor: '' } }],
  ['one key that matches and one that does not', { metadata: { episode: '42', show: 'films' } }],
  ['another text', { text: 'river' }],
  ['text that spans title and URL', { text: 'flusshttps' }],
  ['what matches but for one', { kind: 'import', text: 'fluss', state: 'failed' }],
])('a job is not found by %s', (_, filter) => expect(isFound(job, { ...everyJob, ...filter })).toBe(false))

test('a job without title, URL and metadata is found by the rest', () => {
  const { metadata: _, keyId: __, ...bare } = { ...job, title: null, url: null }
  expect(isFound(bare, { ...everyJob, kind: 'import' })).toBe(true)
  expect(isFound(bare, { ...everyJob, text: 'null' })).toBe(false)
  expect(isFound(bare, { ...everyJob, metadata: { show: 'news' } })).toBe(false)
  expect(isFound(bare, { ...everyJob, keyId: 'key_1' })).toBe(false)
})

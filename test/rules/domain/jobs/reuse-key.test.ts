import { expect, test } from 'vitest'
import type { ImportRequest, TranscribeRequest } from '../../../../domain/jobs/job.ts'
import { mayBeReused, reuseKeyOf } from '../../../../domain/jobs/reuse-key.ts'

const url = 'https://media.example/film.mp4'
const transcribe: TranscribeRequest = {
  url,
  importId: null,
  uploadId: null,
  language: null,
  provider: 'provider_a',
  captionsFirst: false,
  clip: null,
  words: false,
  speakers: null,
  providerOptions: '{"a":1,"b":{"c":[1,2],"d":3}}',
  maxCostMicros: null,
  webhookUrl: null,
}
const key = await reuseKeyOf(transcribe)

test.each<[string, Partial<TranscribeRequest>]>([
  ['its webhook', { webhookUrl: 'https://receiver.example/' }],
  ['the case of its host', { url: 'HTTPS://Media.Example/film.mp4' }],
  ['the default port', { url: 'https://media.example:443/film.mp4' }],
  ['a fragment', { url: `${url}#t=10` }],
  ['the order of its options', { providerOptions: '{"b":{"d":3,"c":[1,2]},"a":1}' }],
])('a request is the same whatever %s', async (_, changes) => {
  expect(await reuseKeyOf({ ...transcribe, ...changes })).toBe(key)
})

test('a clip without a start is the same as one from 0', async () => {
  const keyOf = (startSeconds: number | null) => reuseKeyOf({ ...transcribe, clip: { startSeconds, endSeconds: 9 } })
  expect(await keyOf(0)).toBe(await keyOf(null))
  expect(await keyOf(1)).not.toBe(await keyOf(null))
})

test.each<[string, Partial<TranscribeRequest>]>([
  ['path', { url: 'https://media.example/other.mp4' }],
  ['query', { url: `${url}?v=2` }],
  ['source', { url: null, importId: 'imp_1' }],
  ['language', { language: 'de' }],
  ['clip', { clip: { startSeconds: 1, endSeconds: null } }],
  ['words', { words: true }],
  ['speakers', { speakers: { min: null, max: null } }],
  ['options', { providerOptions: '{"a":1,"b":{"c":[2,1],"d":3}}' }],
])('a request with another %s is another one', async (_, changes) => {
  expect(await reuseKeyOf({ ...transcribe, ...changes })).not.toBe(key)
})

test('an import and a transcription are different requests', async () => {
  expect(await reuseKeyOf({ url, webhookUrl: null } as ImportRequest)).not.toBe(key)
})

test.each([
  ['{uploader}/{date} {title} [{id}].{ext}', true],
  ['{title} [{jobId}].{ext}', false],
  ['{index}.{ext}', false],
  ['{metadata.customer}/{title}.{ext}', false],
])('whether another job may stand for one whose file is called %s', (storageKey, may) => {
  const storage = { store: true, storageKey, storageFilename: null } as const
  const others = { storagePath: null, storageBucket: null, storageClass: null, storageReturnLocation: true }
  expect(mayBeReused({ ...transcribe, storage: { ...storage, ...others } })).toBe(may)
})

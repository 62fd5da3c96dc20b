import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { beforeEach, expect, test, vi } from 'vitest'
import { mediaKey, thumbnailKey } from '../../../domain/media/media-keys.ts'
import { readJob } from '../../../worker/account/jobs/job-rows.ts'
import { signingKey } from '../../../worker/env.ts'
import { namesOf } from '../../../worker/media/object-secret.ts'
import { type Lease, leaseToken } from '../../../worker/steps/lease-token.ts'
import { leaseOf } from '../../../worker/steps/start-step.ts'
import { mediaFacts } from '../support/account.ts'
import { callApi, completed, namesIn, newCaller, started } from '../support/caller.ts'
import { eventually } from '../support/clock.ts'

/** What the container may ask for with the lease of its step, and nothing else. */
const caller = await newCaller()
const foreignJob = await completed(await newCaller())
let lease: Lease

const token = async () => leaseToken(await signingKey(env, 'leases'), lease)

const post = async (path: string, body: object, key?: string) =>
  callApi('POST', `/internal/jobs/${lease.jobId}/${path}`, { key: key ?? (await token()), body })

const parts = (key: string) => post('parts', { key, uploadId: 'upload', firstPart: 1, count: 2 })

beforeEach(async () => {
  const jobId = await started(caller)
  const claim = await caller.account.claim(jobId, 'fetch')
  if (!claim) throw new Error(`${jobId} cannot be claimed`)
  lease = leaseOf(caller.accountId, 'fetch', claim)
  return () => caller.delete(`/jobs/${jobId}`)
})

test('a planned upload gets URLs for the parts of its own key', async () => {
  const { body: plan } = await post('uploads', { kind: 'media', contentType: 'video/mp4', sizeBytes: null })
  expect(plan.key).toBe(mediaKey(lease.jobId, await namesIn(lease.jobId)))
  const { status, body } = await parts(plan.key)
  expect([status, body.urls.length]).toEqual([200, 2])
  for (const url of body.urls) expect(new URL(url).pathname).toBe(`/haul-media/${plan.key}`)
})

/** `own`: the folder of the job, with its secret. */
test.each<[string, (own: string, foreign: string) => string]>([
  ['of another job', (_, foreign) => mediaKey(foreign, { attempt: 1, secret: 'another' })],
  ['of another job, with the own secret', (own, foreign) => `media/${foreign}/${own.split('/')[1]}/1/media`],
  ['without the secret', (own) => `media/${own.split('/')[0]}/1/media`],
  ['that leaves the own folder with dots', (own, foreign) => `media/${own}/../${foreign}/1/media`],
  ['that enters the own folder with dots', (own, foreign) => `media/${foreign}/1/media/../../../${own}/1/media`],
  ['with encoded dots', (own, foreign) => `media/${own}/%2e%2e/${foreign}/1/media`],
  ['with encoded slashes', (own, foreign) => `media/${own}/..%2f${foreign}/1/media`],
  ['with backslashes', (own, foreign) => `media/${own}/..\\${foreign}/1/media`],
  ['with a dot segment', (own) => `media/${own}/./1/media`],
  ['with a double slash', (own) => `media//${own}/1/media`],
  ['in another bucket', (own) => `../other-bucket/${own}/1/media`],
  ['with a query', (own) => `media/${own}/1/media?uploadId=other`],
  ['with a fragment', (own) => `media/${own}/1/media#`],
  ['with a line break', (own) => `media/${own}/1/me\ndia`],
  ['of another attempt', (own) => `media/${own}/2/media`],
  ['of another kind of object', (own) => `audio/${own}/1/007`],
  ['that is only a folder', (own) => `media/${own}/`],
  ['that is empty', () => ''],
])('a key %s gets no URLs', async (_, key) => {
  const { secret = '' } = await namesIn(lease.jobId)
  const { status, body } = await parts(key(`${lease.jobId}/${secret}`, foreignJob))
  expect([status, body.urls]).toEqual([409, undefined])
})

const film = mediaFacts(1_000)
const whole = { uploadId: null, parts: null, sizeBytes: 1_000 }

/** A finished fetch step, whose file is stored. */
const stored = async () => {
  const names = await namesOf(env, lease)
  const media = { ...whole, key: mediaKey(lease.jobId, names) }
  const thumbnail = { ...whole, key: thumbnailKey(lease.jobId, names), sizeBytes: 10 }
  await env.MEDIA.put(media.key, new Uint8Array(1_000))
  await env.MEDIA.put(thumbnail.key, new Uint8Array(10))
  const keys = [media.key, thumbnail.key]
  return {
    report: (about: object = {}) =>
      post('outcome', { status: 'done', result: { step: 'fetch', facts: film, media, thumbnail }, ...about }),
    isStored: () => Promise.all(keys.map(async (key) => (await env.MEDIA.head(key)) !== null)),
  }
}

const statusOf = async (jobId: string) => (await caller.get(`/jobs/${jobId}`)).body.data

test('an outcome that is reported twice completes its job once and keeps its file', async () => {
  const { report, isStored } = await stored()
  expect((await report()).status).toBe(200)
  expect((await report()).status).toBe(409)
  expect(await statusOf(lease.jobId)).toMatchObject({ status: 'completed', result: { costInDollars: 0.00001 } })
  expect(await isStored()).toEqual([true, true])
})

test('a result names the extractor that has read the source, and its version', async () => {
  const readBy = { extractor: 'youtube', extractorVersion: '2026.11.1' }
  const { report } = await stored()
  expect((await report({ readBy })).status).toBe(200)
  expect(await statusOf(lease.jobId)).toMatchObject({ status: 'completed', result: readBy })
})

test('an outcome under a lost lease changes nothing and leaves no object behind, and an upload gets no URLs', async () => {
  const { report, isStored } = await stored()
  await caller.account.giveBack(lease)
  await caller.account.claim(lease.jobId, 'fetch')
  expect((await report()).status).toBe(409)
  const { status, body } = await post('uploads', { kind: 'media', contentType: 'video/mp4', sizeBytes: null })
  expect([status, body.urls]).toEqual([409, undefined])
  expect(await statusOf(lease.jobId)).toMatchObject({ status: 'running' })
  expect(await isStored()).toEqual([false, false])
})

test('an outcome whose upload was aborted with its lease is refused, so that the container stops', async () => {
  const { body: plan } = await post('uploads', { kind: 'media', contentType: 'video/mp4', sizeBytes: null })
  const upload = env.MEDIA.resumeMultipartUpload(plan.key, plan.uploadId)
  const { etag } = await upload.uploadPart(1, new Uint8Array(1_000))
  await caller.account.giveBack(lease)
  await upload.abort().catch(() => {})
  const media = { key: plan.key, uploadId: plan.uploadId, parts: [etag], sizeBytes: 1_000 }
  const done = { status: 'done', result: { step: 'fetch', facts: film, media, thumbnail: null } }
  expect((await post('outcome', done)).status).toBe(409)
})

test('the thumbnail of a failed attempt is discarded with its media', async () => {
  const { body: plan } = await post('uploads', { kind: 'media', contentType: 'video/mp4', sizeBytes: 1_000 })
  const { body: still } = await post('uploads', { kind: 'thumbnail', contentType: 'image/jpeg', sizeBytes: 10 })
  await env.MEDIA.put(plan.key, new Uint8Array(1_000))
  await env.MEDIA.put(still.key, new Uint8Array(10))
  await caller.account.giveBack(lease)
  for (const { key } of [plan, still]) {
    await eventually(async () => expect(await env.MEDIA.head(key)).toBeNull())
  }
})

test('an outcome that reports the object of another job is refused, and that object stays', async () => {
  const names = await namesIn(foreignJob)
  const foreign = { ...whole, key: mediaKey(foreignJob, names) }
  const own = { ...whole, key: mediaKey(lease.jobId, await namesIn(lease.jobId)) }
  await env.MEDIA.put(own.key, new Uint8Array(1_000))
  const done = (result: object) =>
    post('outcome', { status: 'done', result: { step: 'fetch', facts: film, ...result } })
  expect((await done({ media: foreign, thumbnail: null })).status).toBe(409)
  const thumbnail = { ...foreign, key: thumbnailKey(foreignJob, names) }
  expect((await done({ media: own, thumbnail })).status).toBe(409)
  expect((await done({ media: own, thumbnail: null })).status).toBe(200)
  expect(await env.MEDIA.head(foreign.key)).not.toBeNull()
})

test.each([
  ['is draining', { usesAttempt: false }, { usedAttempts: 0 }],
  [
    'is draining and says what disk space it needs',
    { usesAttempt: false, diskBytes: 5_000 },
    { usedAttempts: 0, diskBytes: 5_000 },
  ],
  ['is stopping', {}, { usedAttempts: 1 }],
])('a step that a container gives back because it %s can be claimed again at once', async (reason, about, expected) => {
  vi.spyOn(console, 'warn').mockReturnValue()
  expect((await post('outcome', { status: 'gaveBack', reason, ...about })).status).toBe(200)
  const row = await runInDurableObject(caller.account, (_, { storage }) => readJob(storage.sql, lease.jobId))
  expect(row).toMatchObject({ lease: null, ...expected })
  const again = await caller.account.claim(lease.jobId, 'fetch')
  expect(again?.job).toMatchObject({ usedAttempts: expected.usedAttempts + 1, attempt: lease.attempt + 1 })
})

test('the token of a step is refused for any other job', async () => {
  const { status } = await callApi('POST', `/internal/jobs/${foreignJob}/progress`, { key: await token(), body: {} })
  expect(status).toBe(401)
})

test('a lease token has one spelling', async () => {
  const valid = await token()
  for (const spelling of [`${valid}=`, `${valid}.`, `${valid}.x`, valid.replace('.1.', '.01.')]) {
    expect((await post('progress', {}, spelling)).status).toBe(401)
  }
})

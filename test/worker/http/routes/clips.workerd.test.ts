import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import type { Job } from '../../../../domain/jobs/job.ts'
import { StepOrder } from '../../../../domain/protocol/protocol.ts'
import { readJob } from '../../../../worker/account/jobs/job-rows.ts'
import { orderFor } from '../../../../worker/steps/start-step.ts'
import { fetchedFile, fetchedImport } from '../../support/account.ts'
import { type Caller, claimed, FILM, newCaller, started } from '../../support/caller.ts'

const orderOf = async ({ account, accountId }: Caller, jobId: string) => {
  const job = await runInDurableObject(account, (_, { storage }) => readJob(storage.sql, jobId))
  const callback = { url: 'https://haul.test/job', token: 'token' }
  const claimed = { job: job as Job, stored: null, agreed: { bytes: null, seconds: null }, names: null }
  const order = await orderFor(env, claimed, { callback, accountId, placeId: 'place', diskBytes: 0 })
  return StepOrder.parse(JSON.parse(JSON.stringify(order)))
}

test('an import of a clip holds the price of one MB, because nobody knows how much of the file it needs', async () => {
  const caller = await newCaller(0.1)
  await started(caller, { clip: { start: 60, end: '2:00' } })
  expect((await caller.get('/account')).body.data.heldDollars).toBe(0.01)
})

test('the orders of a job with a clip say what to cut', async () => {
  const caller = await newCaller()
  const clip = { startSeconds: 60, endSeconds: 120.5 }
  const jobId = await started(caller, { clip: { start: 60, end: '2:00.5' } })
  expect(await orderOf(caller, jobId)).toMatchObject({ step: 'fetch', clip })
  for (const [provider, step] of [
    [undefined, 'captions'],
    ['builtin', 'audio'],
  ]) {
    const { body } = await caller.post('/transcribe', { url: FILM, provider, clip: { start: 60, end: 120.5 } })
    expect(await orderOf(caller, body.data.jobId)).toMatchObject({ step, clip })
  }
})

test('the orders of a job have the lower one of its own limit of the length and that of the deployment', async () => {
  const caller = await newCaller()
  const maxDurationSeconds = async (request: object) =>
    (await orderOf(caller, await started(caller, request))).limits.maxDurationSeconds
  expect(await maxDurationSeconds({ maxSeconds: 600 })).toBe(600)
  expect(await maxDurationSeconds({ maxSeconds: 1_000_000 })).toBe(43_200)
  const { body } = await caller.post('/transcribe', { url: FILM, provider: 'builtin', maxSeconds: 600 })
  expect((await orderOf(caller, body.data.jobId)).limits.maxDurationSeconds).toBe(600)
})

test.each([
  [{ start: 1e-9, end: 2e-9 }],
  [{ end: 1e-300 }],
  [{ start: 0.0001, end: 0.0002 }],
  [{ start: 100, end: 100.0005 }],
])('a clip of less than a millisecond is refused: %j', async (clip) => {
  const { status, body } = await (await newCaller()).post('/import', { url: FILM, clip })
  expect([status, body.details]).toEqual([
    400,
    [{ path: 'clip.end', message: 'must be at least a millisecond after the start' }],
  ])
})

test('a clip of a millisecond is accepted', async () => {
  await started(await newCaller(), { clip: { start: 999_999.998, end: 999_999.999 } })
})

test('an order without a clip is for every container', async () => {
  const caller = await newCaller()
  const order = await orderOf(caller, await started(caller))
  expect([order.v, 'clip' in order]).toEqual([undefined, false])
})

test('the result of a clip says what was cut, in the times of the media', async () => {
  const caller = await newCaller()
  const jobId = await started(caller, { clip: { start: 60 } })
  const lease = await claimed(caller, jobId)
  const clip = { startSeconds: 60, endSeconds: 90, actualStartSeconds: 58.24 }
  await caller.account.finishFetch(lease, fetchedFile({ ...fetchedImport(1_000), clip }))
  expect((await caller.get(`/import/status?id=${jobId}`)).body.data.result.clip).toEqual({
    start: 60,
    end: 90,
    actualStart: 58.24,
  })
})

test('the result of whole media says nothing of a clip', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const lease = await claimed(caller, jobId)
  await caller.account.finishFetch(lease, fetchedFile(fetchedImport(1_000)))
  expect((await caller.get(`/import/status?id=${jobId}`)).body.data.result).not.toHaveProperty('clip')
})

test('a time that is malformed is named once, and not said to be before the start as well', async () => {
  const caller = await newCaller()
  const message = 'must be seconds, or a time such as 2:30 or 1:02:03.5'
  for (const clip of [{ end: '1:75' }, { start: '1:75', end: 30 }]) {
    const { status, body } = await caller.post('/import', { url: FILM, clip })
    const [name] = Object.entries(clip).find(([, time]) => time === '1:75') ?? []
    expect([status, body.details]).toEqual([400, [{ path: `clip.${name}`, message }]])
  }
})

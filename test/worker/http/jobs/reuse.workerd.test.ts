import { expect, test } from 'vitest'
import { asOperator, type Caller, completed, FILM, newCaller, started } from '../../support/caller.ts'
import { skip } from '../../support/clock.ts'

const DAY_SECONDS = 86_400
const body = { url: FILM, reuseWithinSeconds: DAY_SECONDS }

/** Without the time at which the budget of free work is full again, which moves while nothing is used of it. */
const account = async (caller: Caller) => {
  const { freeWork, ...data } = (await caller.get('/account')).body.data
  return { ...data, ...freeWork, resetsAt: null }
}

test('a request is answered with the completed job of an earlier one, which is not charged again', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  const before = await account(caller)
  const again = await caller.post('/import', body)
  expect([again.status, again.headers.get('x-ratelimit-remaining')]).toEqual([202, '238'])
  expect(again.body.data).toEqual({ jobId, status: 'completed', reused: true, message: expect.any(String) })
  expect(await account(caller)).toEqual(before)
  expect((await caller.get('/jobs')).body.data.jobs).toHaveLength(1)
})

test('a full account is answered too, because a reused job takes no place', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  await started(caller, { includeVideo: false })
  await started(caller, { includeVideo: false })
  expect((await caller.post('/import', { url: FILM })).status).toBe(429)
  expect((await caller.post('/import', body)).body.data).toMatchObject({ jobId, reused: true })
})

test('without reuseWithinSeconds a new job is started', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  const again = await caller.post('/import', { url: FILM })
  expect(again.body.data).toMatchObject({ status: 'queued' })
  expect(again.body.data.jobId).not.toBe(jobId)
})

test.each<[string, (caller: Caller, jobId: string) => Promise<unknown>, object?]>([
  ['was removed', (caller, jobId) => caller.delete(`/jobs/${jobId}`)],
  ['is too old', async () => skip((DAY_SECONDS + 1) * 1_000)],
  ['was asked for something else', async () => {}, { includeVideo: false }],
])('a job that %s is not reused', async (_, change, more = {}) => {
  const caller = await newCaller()
  await change(caller, await completed(caller))
  const again = await caller.post('/import', { ...body, ...more })
  expect([again.status, again.body.data.status]).toEqual([202, 'queued'])
})

test('a job that runs or has failed is not reused, and neither is that of another account', async () => {
  const [caller, other] = [await newCaller(), await newCaller()]
  await completed(other)
  const jobId = await started(caller)
  expect((await caller.post('/import', body)).body.data.status).toBe('queued')
  await caller.delete(`/jobs/${jobId}`)
  expect((await caller.post('/import', body)).body.data.status).toBe('queued')
})

test('a job that is as old as allowed is reused', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  skip((DAY_SECONDS - 60) * 1_000)
  expect((await caller.post('/import', body)).body.data).toMatchObject({ jobId, reused: true })
})

test('a webhook is sent at once, with the earlier job', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  const webhookUrl = 'https://receiver.example/hook'
  await caller.post('/import', { ...body, webhookUrl })
  const { deliveries } = (await caller.get('/webhooks/deliveries')).body.data
  expect(deliveries).toMatchObject([{ type: 'import.completed', jobId, url: webhookUrl }])
})

test('a repeated request with the same Idempotency-Key gets the same answer and sends no second webhook', async () => {
  const caller = await newCaller()
  await completed(caller)
  const request = { ...body, webhookUrl: 'https://receiver.example/hook' }
  const first = await caller.post('/import', request, { 'idempotency-key': 'k' })
  const again = await caller.post('/import', request, { 'idempotency-key': 'k' })
  expect([again.status, again.body]).toEqual([202, first.body])
  expect((await caller.get('/webhooks/deliveries')).body.data.deliveries).toHaveLength(1)
})

test('a suspended account gets no reused job', async () => {
  const caller = await newCaller()
  await completed(caller)
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { suspended: true })
  expect((await caller.post('/import', body)).body.code).toBe('ACCOUNT_SUSPENDED')
})

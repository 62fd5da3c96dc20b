import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { eventually, expectWithin, giveUpAfter, timed } from '../clock.ts'
import { completed, FILM, newCaller } from './caller.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })

test('the same key and body get the same job and the same answer, and no second job', async () => {
  const caller = await newCaller()
  const first = await caller.post('/import', { url: FILM }, keyed('order-7'))
  const again = await caller.post('/import', { url: FILM }, keyed('order-7'))
  expect([first.status, again.status]).toEqual([202, 202])
  expect(again.body).toEqual(first.body)
  expect((await caller.get('/account')).body.data.heldDollars).toBe(0.153421)
})

test('a retry counts like the request that it repeats', async () => {
  const caller = await newCaller()
  const first = await caller.post('/import', { url: FILM }, keyed('order-7'))
  const again = await caller.post('/import', { url: FILM }, keyed('order-7'))
  expect(first.headers.get('x-ratelimit-remaining')).toBe('239')
  expect(again.headers.get('x-ratelimit-remaining')).toBe('238')
})

test('the answer stays the same after the job has ended', async () => {
  const caller = await newCaller()
  const first = await caller.post('/import', { url: FILM }, keyed('order-7'))
  await caller.delete(`/jobs/${first.body.data.jobId}`)
  const again = await caller.post('/import', { url: FILM }, keyed('order-7'))
  expect([again.status, again.body]).toEqual([202, first.body])
})

test('an answer that is known is given although there is room for no other job', async () => {
  const caller = await newCaller()
  const first = await caller.post('/import', { url: FILM }, keyed('order-7'))
  await caller.post('/import', { url: FILM })
  const again = await caller.post('/import', { url: FILM }, keyed('order-7'))
  expect([again.status, again.body]).toEqual([202, first.body])
})

test('the same key with another body is a mismatch', async () => {
  const caller = await newCaller()
  await caller.post('/import', { url: FILM }, keyed('order-7'))
  const { status, body } = await caller.post('/import', { url: FILM, includeVideo: false }, keyed('order-7'))
  expect([status, body.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
  expect((await caller.post('/transcribe', { url: FILM }, keyed('order-7'))).status).toBe(422)
})

test('the same key of another account is another key', async () => {
  const [one, other] = [await newCaller(), await newCaller()]
  const first = await one.post('/import', { url: FILM }, keyed('order-7'))
  const second = await other.post('/import', { url: FILM, includeVideo: false }, keyed('order-7'))
  expect([first.status, second.status]).toEqual([202, 202])
})

test('of ten simultaneous requests with one key one makes the job, and all others get it or are told to wait', async () => {
  const caller = await newCaller()
  const all = await Promise.all(
    Array.from({ length: 10 }, () => caller.post('/import', { url: FILM }, keyed('order-7'))),
  )
  const accepted = all.filter(({ status }) => status === 202)
  expect(new Set(accepted.map(({ body }) => body.data.jobId)).size).toBe(1)
  const others = all.filter(({ status }) => status !== 202)
  for (const { status, body } of others) expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect((await caller.get('/account')).body.data.heldDollars).toBe(0.153421)
})

test('while the first request still runs, its repetition is told so, and another body is a mismatch', async () => {
  const caller = await newCaller()
  const url = `https://held.example/wait/${caller.accountId}`
  giveUpAfter(60_000)
  const first = caller.post('/import', { url }, keyed('order-7'))
  await eventually(async () => expect((await fetch(url.replace('wait', 'has'))).status).toBe(200))
  const { status, body } = await caller.post('/import', { url }, keyed('order-7'))
  expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect((await caller.post('/import', { url: FILM }, keyed('order-7'))).status).toBe(422)
  await fetch(url.replace('wait', 'go'))
  expect((await first).status).toBe(202)
})

test.each([
  ['its URL can not be reached', { url: 'http://localhost/' }, 400],
  ['no bucket is set', { url: FILM, store: true }, 400],
  ['its body is not valid', { url: FILM, typo: 1 }, 400],
])('after a request that was refused because %s, the key is free for another', async (_, body, status) => {
  const caller = await newCaller()
  expect((await caller.post('/import', body, keyed('order-7'))).status).toBe(status)
  expect((await caller.post('/import', { url: FILM }, keyed('order-7'))).status).toBe(202)
})

test('after a request for which there was no room or no money, the key is free', async () => {
  const caller = await newCaller(0.2)
  const first = await caller.post('/import', { url: FILM })
  expect((await caller.post('/import', { url: FILM }, keyed('order-7'))).status).toBe(402)
  await caller.delete(`/jobs/${first.body.data.jobId}`)
  expect((await caller.post('/import', { url: FILM, includeVideo: false }, keyed('order-7'))).status).toBe(202)
})

test('after a fault of ours the key is free', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const caller = await newCaller()
  vi.spyOn(env.DB, 'prepare').mockImplementationOnce(() => {
    throw new Error('D1 is gone')
  })
  expect((await caller.post('/import', { url: FILM, store: true }, keyed('order-7'))).status).toBe(500)
  expect((await caller.post('/import', { url: FILM }, keyed('order-7'))).status).toBe(202)
})

test.each(['', 'with space', 'tab\tinside', 'x'.repeat(256)])('the key "%s" is refused', async (key) => {
  const { status, body } = await (await newCaller()).post('/import', { url: FILM }, keyed(key))
  expect([status, body.code, body.details?.[0]?.path]).toEqual([400, 'INVALID_REQUEST', 'Idempotency-Key'])
})

test('a key is remembered for 24 hours and no longer', async () => {
  const caller = await newCaller()
  const { span } = await timed(() => caller.post('/import', { url: FILM }, keyed('order-7')))
  const expiry = await runInDurableObject(caller.account, (_, { storage }) => {
    const { expires_at } = storage.sql.exec<{ expires_at: number }>('SELECT expires_at FROM idempotency').one()
    storage.sql.exec('UPDATE idempotency SET expires_at = 1')
    storage.sql.exec("UPDATE schedule SET at = 1 WHERE kind = 'forget'")
    return expires_at
  })
  expectWithin(expiry, span, 24 * 3_600_000)
  expect((await caller.post('/import', { url: FILM, includeVideo: false }, keyed('order-7'))).status).toBe(202)
  await runDurableObjectAlarm(caller.account)
})

test('transcriptions know keys too', async () => {
  const caller = await newCaller()
  const first = await caller.post('/transcribe', { url: FILM }, keyed('order-8'))
  const again = await caller.post('/transcribe', { url: FILM }, keyed('order-8'))
  expect([first.status, again.body]).toEqual([202, first.body])
})

test('without a key the same body makes two jobs', async () => {
  const caller = await newCaller()
  const first = await completed(caller)
  const second = await completed(caller)
  expect(first).not.toBe(second)
})

import { expect, test } from 'vitest'
import { asOperator, FILM, newCaller, started } from './caller.ts'

/** A source that keeps whoever comes waiting, and tells whether somebody came. */
const source = (name: string) => ({
  url: `https://held.example/wait/${name}`,
  wasLookedAt: async () => (await fetch(`https://held.example/has/${name}`)).ok,
})

test('a key that was just refused cannot have us look at a source', async () => {
  const caller = await newCaller()
  await asOperator('DELETE', `/admin/accounts/${caller.accountId}/keys/${caller.keyId}`)
  expect((await caller.post('/import', { url: FILM })).status).toBe(401)
  const { url, wasLookedAt } = source('revoked')
  const { status, body } = await caller.post('/transcribe', { url })
  expect([status, body.code, await wasLookedAt()]).toEqual([401, 'UNAUTHORIZED', false])
})

test('a caller without room is told so first, counts for nothing, and may come again when there is room', async () => {
  const caller = await newCaller()
  const [job] = [await started(caller), await started(caller)]
  expect((await caller.post('/import', { url: FILM })).status).toBe(429)
  const { url, wasLookedAt } = source('crowded')
  const { status, body, headers } = await caller.post('/import', { url })
  expect([status, body.code, await wasLookedAt()]).toEqual([429, 'CONCURRENCY_LIMITED', false])
  expect(headers.get('x-ratelimit-remaining')).toBe('238')
  await caller.delete(`/jobs/${job}`)
  expect((await caller.post('/import', { url: FILM })).status).toBe(202)
})

test('a refused caller with an Idempotency-Key keeps the key', async () => {
  const caller = await newCaller()
  const [job] = [await started(caller), await started(caller)]
  const order = () => caller.post('/import', { url: FILM }, { 'idempotency-key': 'order-7' })
  expect([(await order()).status, (await order()).status]).toEqual([429, 429])
  await caller.delete(`/jobs/${job}`)
  expect((await order()).status).toBe(202)
})

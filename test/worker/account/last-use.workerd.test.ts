import { evictDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { asOperator, type Caller, callApi, completed, newCaller } from '../support/caller.ts'
import { expectWithin, skip, timed } from '../support/clock.ts'
import { countUse } from '../support/counts.ts'

const HOUR_MS = 3_600_000

const lastUsedAt = async ({ accountId }: Caller): Promise<number | null> => {
  const { lastUsedAt } = (await asOperator('GET', `/admin/accounts/${accountId}`)).body.data
  return lastUsedAt && Date.parse(lastUsedAt)
}

test('polls write the last use once an hour, and it is exact while the object is in memory', async () => {
  const caller = await newCaller()
  const jobId = await completed(caller)
  const poll = () => caller.get(`/import/status?id=${jobId}`)
  await poll()
  const counts = await countUse(caller)
  for (let minutes = 0; minutes < 50; minutes += 5) {
    skip(5 * 60_000)
    const { span } = await timed(poll)
    expectWithin((await lastUsedAt(caller)) ?? 0, span)
  }
  expect(counts.objectRows).toBe(0)
  skip(15 * 60_000)
  await poll()
  expect(counts.objectRows).toBe(1)
  await poll()
  expect(counts.objectRows).toBe(1)
})

test('after an eviction the last use is at most an hour too early', async () => {
  const caller = await newCaller()
  const poll = () => caller.get('/account')
  for (let times = 0; times < 4; times++) {
    await poll()
    skip(25 * 60_000)
  }
  const { span } = await timed(poll)
  await evictDurableObject(caller.account)
  const used = (await lastUsedAt(caller)) ?? 0
  expect(used).toBeLessThanOrEqual(span.until)
  expect(used).toBeGreaterThan(span.from - HOUR_MS)
})

test('an act that writes the account writes the last use with it', async () => {
  const caller = await newCaller()
  await caller.get('/account')
  skip(60_000)
  const { span } = await timed(() => caller.post('/import', { url: 'https://media.example/film.mp4' }))
  await evictDurableObject(caller.account)
  expectWithin((await lastUsedAt(caller)) ?? 0, span)
})

test('the first use is written at once, a refused or revoked key is no use, and a 429 is one', async () => {
  const caller = await newCaller()
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { limits: { requestsPerHour: { general: 1 } } })
  await callApi('GET', '/account', { key: `${caller.apiKey}x` })
  expect(await lastUsedAt(caller)).toBeNull()
  const { span: first } = await timed(() => caller.get('/account'))
  await evictDurableObject(caller.account)
  expectWithin((await lastUsedAt(caller)) ?? 0, first)
  const { span: second } = await timed(async () => expect((await caller.get('/account')).status).toBe(429))
  const last = (await lastUsedAt(caller)) ?? 0
  expectWithin(last, second)
  await asOperator('DELETE', `/admin/accounts/${caller.accountId}/keys/${caller.keyId}`)
  skip(60_000)
  expect((await caller.get('/account')).status).toBe(401)
  expect(await lastUsedAt(caller)).toBe(last)
})

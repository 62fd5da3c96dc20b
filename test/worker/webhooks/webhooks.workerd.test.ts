import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { OLD_SECRET_MS } from '../../../domain/webhooks/retry-schedule.ts'
import { type Account, finishImport, newAccount } from '../support/account.ts'
import { skip } from '../support/clock.ts'
import { hideDeliveries } from '../support/tables.ts'
import { admitted, answered, attempt, finished, log, untilDue, url } from '../support/webhook-deliveries.ts'

test('a job that ends leaves one event, due at once; a job without a webhookUrl leaves none', async () => {
  const { jobId, delivery: read } = await finished()
  const delivery = await read()
  expect(delivery).toMatchObject({ type: 'import.completed', jobId, url, state: 'pending', attempts: 0 })
  expect(delivery.id).toMatch(/^evt_/)
  expect(delivery.nextAt).toBe(delivery.createdAt)
  const silent = await finished({ webhookUrl: null })
  expect(await log(silent.account, silent.identity)).toEqual([])
})

test('when the event cannot be written, the job does not end', async () => {
  const { account, identity } = await newAccount()
  const jobId = await admitted(account, identity)
  await runInDurableObject(account, async (instance, { storage }) => {
    hideDeliveries(storage.sql)
    await expect(finishImport(instance as unknown as Account, jobId, 1_000)).rejects.toThrow('no such table')
  })
  const { result } = await account.read({ ...identity, rateClass: 'status' }, jobId, 'import')
  expect(result).toMatchObject({ value: { job: { state: 'running', result: null } } })
})

test('of several messages for the same attempt only one claims it, with the ended job but without its lease', async () => {
  const { account, id, jobId, delivery } = await finished()
  const claims = await Promise.all([account.claimDelivery(id), account.claimDelivery(id), account.claimDelivery(id)])
  const [claimed, ...others] = claims.filter((claim) => claim !== null)
  expect(others).toEqual([])
  expect(claimed?.job).toMatchObject({ id: jobId, state: 'completed', result: { title: 'film' } })
  expect(claimed?.job).not.toHaveProperty('lease')
  expect(claimed?.seeds).toHaveLength(1)
  expect(await delivery()).toMatchObject({ attempts: 1 })
})

test('after a 2xx a late message claims nothing', async () => {
  const { account, id } = await finished()
  expect(await attempt(account, id, answered(204))).toMatchObject({
    state: 'delivered',
    status: 204,
    responseBody: 'said 204',
    nextAt: null,
  })
  await untilDue(account, id)
  expect(await account.claimDelivery(id)).toBeNull()
})

test('deliveries and secrets survive an eviction of the object', async () => {
  const { account, identity, id, delivery } = await finished()
  await attempt(account, id, answered(500))
  const before = await delivery()
  const secrets = await account.webhookSecrets(identity)
  await evictDurableObject(account)
  expect(await delivery()).toEqual(before)
  expect((await account.webhookSecrets(identity)).result).toEqual(secrets.result)
  await untilDue(account, id)
  expect(await account.claimDelivery(id)).toMatchObject({ delivery: { attempts: 2 } })
})

test('after a rotation both secrets sign for a day, then only the new one', async () => {
  const { account, identity, id } = await finished()
  const first = await account.claimDelivery(id)
  await account.reportDelivery({ id, lease: first?.lease ?? '', outcome: answered(500) })
  await account.rotateWebhookSecret(identity)
  await untilDue(account, id)
  const second = await account.claimDelivery(id)
  expect(second?.seeds).toEqual([expect.any(String), first?.seeds[0]])
  await account.reportDelivery({ id, lease: second?.lease ?? '', outcome: answered(500) })
  skip(OLD_SECRET_MS)
  expect((await account.claimDelivery(id))?.seeds).toEqual([second?.seeds[0]])
})

test('the fifth rotation of a day is refused, and changes nothing', async () => {
  const { account, identity } = await finished()
  for (let i = 0; i < 4; i++) expect((await account.rotateWebhookSecret(identity)).result.ok).toBe(true)
  const before = await account.webhookSecrets(identity)
  const { result } = await account.rotateWebhookSecret(identity)
  expect(result).toMatchObject({ ok: false, refusal: { code: 'RATE_LIMITED', facts: { limit: 4 } } })
  expect((await account.webhookSecrets(identity)).result).toEqual(before.result)
})

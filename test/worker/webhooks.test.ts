import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { failure } from '../../worker/domain/codes/failures.ts'
import { type Account, finishImport, newAccount } from './account.ts'
import { admitted, answered, attempt, finished, log, makeDue, onlyDelivery, url } from './delivering.ts'

test('a job that ends leaves one event, due at once; a job without a webhookUrl leaves none', async () => {
  const { account, pass, jobId } = await finished()
  const delivery = await onlyDelivery(account, pass)
  expect(delivery).toMatchObject({ type: 'import.completed', jobId, url, state: 'pending', attempts: 0 })
  expect(delivery.id).toMatch(/^evt_/)
  expect(delivery.nextAt).toBe(delivery.createdAt)
  const silent = await finished({ webhookUrl: null })
  expect(await log(silent.account, silent.pass)).toEqual([])
})

test('failures and cancellations are told as well', async () => {
  const { account, pass } = await newAccount()
  const general = { ...pass, rateClass: 'general' as const }
  await account.bury(await admitted(account, pass), 'fetch', failure('SOURCE_PRIVATE'))
  await account.remove(general, await admitted(account, pass))
  const deliveries = await log(account, general)
  expect(deliveries.map(({ type }) => type)).toEqual(['import.failed', 'import.failed'])
})

test('when the event cannot be written, the job does not end', async () => {
  const { account, pass } = await newAccount()
  const jobId = await admitted(account, pass)
  await runInDurableObject(account, async (instance, { storage }) => {
    storage.sql.exec('ALTER TABLE deliveries RENAME TO hidden')
    await expect(finishImport(instance as unknown as Account, jobId, 1_000)).rejects.toThrow('no such table')
  })
  const { result } = await account.read({ ...pass, rateClass: 'status' }, jobId, 'import')
  expect(result).toMatchObject({ value: { job: { state: 'queued', result: null } } })
})

test('of two messages for the same attempt the second finds nothing to do', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  const claims = await Promise.all([account.claimDelivery(id), account.claimDelivery(id), account.claimDelivery(id)])
  expect(claims.filter((claim) => claim !== null)).toHaveLength(1)
  expect(await onlyDelivery(account, pass)).toMatchObject({ attempts: 1 })
})

test('a claim brings the job as it ended, and nothing of its leases', async () => {
  const { account, pass, jobId } = await finished()
  const claimed = await account.claimDelivery((await onlyDelivery(account, pass)).id)
  expect(claimed?.job).toMatchObject({ id: jobId, state: 'completed', result: { title: 'film' } })
  expect(claimed?.job).not.toHaveProperty('lease')
  expect(claimed?.seeds).toHaveLength(1)
})

test('a 2xx delivers for good: a message that comes late finds nothing to do', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  expect(await attempt(account, id, answered(204))).toMatchObject({
    state: 'delivered',
    status: 204,
    answer: 'said 204',
    nextAt: null,
  })
  await makeDue(account, id)
  expect(await account.claimDelivery(id)).toBeNull()
})

test('everything about a delivery survives the sleep of the object', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  await attempt(account, id, answered(500))
  const before = await onlyDelivery(account, pass)
  const secrets = await account.webhookSecrets(pass)
  await evictDurableObject(account)
  expect(await onlyDelivery(account, pass)).toEqual(before)
  expect((await account.webhookSecrets(pass)).result).toEqual(secrets.result)
  await makeDue(account, id)
  expect(await account.claimDelivery(id)).toMatchObject({ delivery: { attempts: 2 } })
})

test('after a rotation both secrets sign for a day, then the new one alone', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  const first = await account.claimDelivery(id)
  await account.reportDelivery({ id, lease: first?.lease ?? '', outcome: answered(500) })
  await account.rotateWebhookSecret(pass)
  await makeDue(account, id)
  const second = await account.claimDelivery(id)
  expect(second?.seeds).toEqual([expect.any(String), first?.seeds[0]])
  await account.reportDelivery({ id, lease: second?.lease ?? '', outcome: answered(500) })
  await runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec('UPDATE webhook_secrets SET expires_at = ? WHERE expires_at IS NOT NULL', Date.now() - 1)
  })
  await makeDue(account, id)
  expect((await account.claimDelivery(id))?.seeds).toEqual([second?.seeds[0]])
})

test('the fifth rotation of a day is refused, and changes nothing', async () => {
  const { account, pass } = await finished()
  for (let i = 0; i < 4; i++) expect((await account.rotateWebhookSecret(pass)).result.ok).toBe(true)
  const before = await account.webhookSecrets(pass)
  const { result } = await account.rotateWebhookSecret(pass)
  expect(result).toMatchObject({ ok: false, refusal: { code: 'RATE_LIMITED', facts: { limit: 4 } } })
  expect((await account.webhookSecrets(pass)).result).toEqual(before.result)
})

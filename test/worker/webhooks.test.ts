import {
  createExecutionContext,
  createMessageBatch,
  evictDurableObject,
  getQueueResult,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { findJob } from '../../worker/account/jobs/jobs.ts'
import { announce } from '../../worker/account/webhooks/attempts.ts'
import { failure } from '../../worker/domain/codes/failures.ts'
import { newId } from '../../worker/domain/ids.ts'
import { micros } from '../../worker/domain/money/money.ts'
import type { Delivery, Outcome } from '../../worker/domain/webhooks/deliveries.ts'
import { delaysMs } from '../../worker/domain/webhooks/schedule.ts'
import worker from '../../worker/index.ts'
import { type Account, admission, finishImport, importRequest, newAccount } from './account.ts'

const url = 'https://receiver.example/hook'
const answered = (status: number, retryAfterMs: number | null = null): Outcome => ({
  status,
  answer: `said ${status}`,
  mishap: status < 300 ? null : 'REFUSED',
  retryAfterMs,
})

const finished = async ({ webhookUrl = url as string | null } = {}) => {
  const { accountId, account, pass } = await newAccount()
  const jobId = await finishAnother(account, pass, webhookUrl)
  return { accountId, account, pass: { ...pass, rateClass: 'general' as const }, jobId }
}

type Pass = Awaited<ReturnType<typeof newAccount>>['pass']

const finishAnother = async (account: Account, pass: Pass, webhookUrl: string | null = url): Promise<string> => {
  const jobId = await admitted(account, pass, webhookUrl)
  await finishImport(account, jobId, 1_000)
  return jobId
}

const admitted = async (account: Account, pass: Pass, webhookUrl: string | null = url): Promise<string> => {
  const { result } = await account.admit(pass, admission(micros(10_000), { request: importRequest({ webhookUrl }) }))
  if (!result.ok) throw new Error(result.refusal.code)
  return result.value.jobId
}

const log = async (account: Account, pass: Parameters<Account['deliveries']>[0]): Promise<Delivery[]> => {
  const { result } = await account.deliveries(pass, { jobId: null, state: null }, { before: null, limit: 100 })
  if (!result.ok) throw new Error(result.refusal.code)
  return result.value
}

const onlyDelivery = async (account: Account, pass: Parameters<Account['deliveries']>[0]): Promise<Delivery> => {
  const [delivery, ...others] = await log(account, pass)
  if (!delivery || others.length > 0) throw new Error('there is not exactly one delivery')
  return delivery
}

/** Makes an attempt with the given outcome, as the queue's consumer would. */
const attempt = async (account: Account, id: string, outcome: Outcome) => {
  const claimed = await account.claimDelivery(id)
  if (!claimed) throw new Error('nothing to claim')
  return account.reportDelivery({ id, lease: claimed.lease, outcome })
}

/** The clock of the runtime is real, so what is awaited is made due. */
const makeDue = (account: Account, id: string) =>
  runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec('UPDATE deliveries SET next_at = 1 WHERE id = ? AND next_at IS NOT NULL', id)
    storage.sql.exec('UPDATE deliveries SET lease_until = 1 WHERE id = ? AND lease IS NOT NULL', id)
    storage.sql.exec("UPDATE schedule SET at = 1 WHERE kind = 'delivery' AND ref = ?", id)
  })

const lettersSoFar = (account: Account) =>
  runInDurableObject(
    account,
    (_, { storage }) =>
      storage.sql.exec<{ seq: number }>("SELECT seq FROM sqlite_sequence WHERE name = 'outbox'").one().seq,
  )

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

test('ten attempts are made as the schedule has it, then the delivery is dead and the account says so', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  for (const delay of delaysMs.slice(1)) {
    const before = Date.now()
    const after = await attempt(account, id, answered(500))
    const wait = (after?.nextAt ?? 0) - before
    expect(after?.state).toBe('pending')
    expect(wait).toBeGreaterThanOrEqual(delay * 0.8)
    expect(wait).toBeLessThanOrEqual(delay * 1.2 + 1_000)
    expect(await account.claimDelivery(id)).toBeNull()
    await makeDue(account, id)
  }
  const last = await attempt(account, id, answered(500))
  expect(last).toMatchObject({ state: 'failed', attempts: 10, nextAt: null })
  expect((await account.summary(pass)).result).toMatchObject({ value: { failedDeliveries: 1 } })
})

test('a 410 ends the delivery at the first attempt', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  expect(await attempt(account, id, answered(410))).toMatchObject({ state: 'failed', attempts: 1 })
})

test('a receiver that asks for an hour gets its hour', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  const after = await attempt(account, id, answered(429, 3_600_000))
  expect((after?.nextAt ?? 0) - Date.now()).toBeGreaterThan(3_590_000)
})

test('an attempt that never reports counts as failed, and its late report changes nothing', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  const lost = await account.claimDelivery(id)
  await makeDue(account, id)
  await runDurableObjectAlarm(account)
  expect(await onlyDelivery(account, pass)).toMatchObject({ state: 'pending', attempts: 1, mishap: 'INTERRUPTED' })
  await account.reportDelivery({ id, lease: lost?.lease ?? '', outcome: answered(200) })
  expect(await onlyDelivery(account, pass)).toMatchObject({ state: 'pending', status: null })
})

test('a message that was lost is sent again, and so is that of each later attempt', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  const sent = await lettersSoFar(account)
  await makeDue(account, id)
  await runDurableObjectAlarm(account)
  expect(await lettersSoFar(account)).toBe(sent + 1)
  await attempt(account, id, answered(503))
  await makeDue(account, id)
  await runDurableObjectAlarm(account)
  expect(await lettersSoFar(account)).toBe(sent + 2)
  expect(await account.claimDelivery(id)).toMatchObject({ delivery: { attempts: 2 } })
})

test('what was committed when the object died is sent when it wakes', async () => {
  const { account, pass } = await newAccount()
  const jobId = await admitted(account, pass)
  const outbox = () =>
    runInDurableObject(account, (_, { storage }) => storage.sql.exec('SELECT kind FROM outbox').toArray())
  // As the end of a job writes it, without what follows the commit.
  await runInDurableObject(account, (_, { storage }) => {
    const job = findJob(storage.sql, jobId)
    storage.transactionSync(() => job && announce(storage.sql, job, 'failed', Date.now()))
  })
  await evictDurableObject(account)
  expect(await outbox()).toEqual([{ kind: 'delivery' }])
  await runDurableObjectAlarm(account)
  expect(await outbox()).toEqual([])
  const { id } = await onlyDelivery(account, { ...pass, rateClass: 'general' })
  expect(await account.claimDelivery(id)).not.toBeNull()
})

/** What the queue does with messages. */
const consume = async (queue: string, ...bodies: { accountId: string; deliveryId: string }[]) => {
  const messages = bodies.map((body, i) => ({
    id: `${i}`,
    timestamp: new Date(),
    attempts: 1,
    body: { v: 1, ...body },
  }))
  const batch = createMessageBatch(queue, messages)
  const context = createExecutionContext()
  await worker.queue(batch as MessageBatch<never>, env, context)
  return getQueueResult(batch, context)
}

test('the guard is asked again at delivery: an address that is private by then is not reached', async () => {
  const { accountId, account, pass } = await finished({ webhookUrl: 'http://127.0.0.1:1/hook' })
  const { id } = await onlyDelivery(account, pass)
  const message = { accountId, deliveryId: id }
  const result = await consume('haul-webhooks', message, message)
  expect(result.explicitAcks).toEqual(['0', '1'])
  await vi.waitUntil(async () => (await onlyDelivery(account, pass)).mishap !== null)
  expect(await onlyDelivery(account, pass)).toMatchObject({
    state: 'pending',
    attempts: 1,
    mishap: 'ADDRESS_NOT_PUBLIC',
  })
})

test('a dead letter is counted as an attempt, so that a fault of ours ends as well', async () => {
  const { accountId, account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  const result = await consume('haul-webhooks-dead', { accountId, deliveryId: id })
  expect(result.explicitAcks).toEqual(['0'])
  expect(await onlyDelivery(account, pass)).toMatchObject({ state: 'pending', attempts: 1, mishap: 'INTERRUPTED' })
})

test('an attempt that is not due is not sent, though the alarm rings', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  await attempt(account, id, answered(503))
  const sent = await lettersSoFar(account)
  await runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec("UPDATE schedule SET at = 1 WHERE kind = 'delivery'")
  })
  await runDurableObjectAlarm(account)
  expect(await lettersSoFar(account)).toBe(sent)
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

test('a replay has all attempts before it again and keeps the id', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  await attempt(account, id, answered(410))
  const { result } = await account.replay(pass, id)
  expect(result).toMatchObject({ value: { id, state: 'pending', attempts: 0 } })
  expect(await attempt(account, id, answered(200))).toMatchObject({ state: 'delivered', attempts: 1 })
  expect((await account.replay(pass, 'evt_unknown')).result).toMatchObject({ refusal: { code: 'NOT_FOUND' } })
})

test('a replay leaves an attempt that is being made alone', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  const claimed = await account.claimDelivery(id)
  await account.replay(pass, id)
  expect(await account.claimDelivery(id)).toBeNull()
  const reported = await account.reportDelivery({ id, lease: claimed?.lease ?? '', outcome: answered(200) })
  expect(reported).toMatchObject({ state: 'delivered', attempts: 1 })
})

test('all that failed since a time are replayed: not what was delivered, not what is older, no tests', async () => {
  const { account, pass } = await finished()
  const { id: old } = await onlyDelivery(account, pass)
  await attempt(account, old, answered(410))
  await runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec('UPDATE deliveries SET created_at = created_at - 3600000 WHERE id = ?', old)
  })
  const since = Date.now() - 60_000
  await finishAnother(account, { ...pass, rateClass: 'import' })
  await finishAnother(account, { ...pass, rateClass: 'import' })
  const [delivered, dead] = (await log(account, pass)).filter(({ id }) => id !== old)
  await attempt(account, delivered?.id ?? '', answered(200))
  await attempt(account, dead?.id ?? '', answered(410))
  const test = await account.beginWebhookTest(pass, url)
  if (!test.result.ok) throw new Error('no test')
  const { delivery, lease } = test.result.value
  await account.reportDelivery({ id: delivery.id, lease, outcome: answered(500) })

  expect((await account.summary(pass)).result).toMatchObject({ value: { failedDeliveries: 2 } })
  expect((await account.replayFailed(pass, since)).result).toEqual({ ok: true, value: { replayed: 1, more: false } })
  const states = Object.fromEntries((await log(account, pass)).map(({ id, state }) => [id, state]))
  expect(states).toEqual({
    [old]: 'failed',
    [delivered?.id ?? '']: 'delivered',
    [dead?.id ?? '']: 'pending',
    [delivery.id]: 'failed',
  })
})

test('the log is read in pages, by job and by state, newest first', async () => {
  const { account, pass, jobId } = await finished()
  for (let i = 0; i < 4; i++) await finishAnother(account, { ...pass, rateClass: 'import' })
  const all = await log(account, pass)
  expect(all.map(({ id }) => id)).toEqual(
    all
      .map(({ id }) => id)
      .sort()
      .reverse(),
  )
  await attempt(account, all[0]?.id ?? '', answered(200))
  const read = async (filter: Parameters<Account['deliveries']>[1], before: string | null = null, limit = 100) => {
    const { result } = await account.deliveries(pass, filter, { before, limit })
    return result.ok ? result.value.map(({ id }) => id) : []
  }
  const none = { jobId: null, state: null }
  expect(await read(none, null, 2)).toEqual(all.slice(0, 2).map(({ id }) => id))
  expect(await read(none, all[1]?.id, 100)).toEqual(all.slice(2).map(({ id }) => id))
  expect(await read({ ...none, state: 'delivered' })).toEqual([all[0]?.id])
  expect(await read({ ...none, jobId })).toEqual(all.filter((one) => one.jobId === jobId).map(({ id }) => id))
})

test('what was settled more than 30 days ago is forgotten, and what is pending never', async () => {
  const { account, pass } = await finished()
  const [settled, pending] = [
    newId('event', Date.now() - 31 * 86_400_000),
    newId('event', Date.now() - 32 * 86_400_000),
  ]
  await runInDurableObject(account, (_, { storage }) => {
    const insert = `INSERT INTO deliveries (id, type, job_id, url, state, created_at) VALUES (?, 'import.completed', 'imp_x', '${url}', ?, 1)`
    storage.sql.exec(insert, settled, 'delivered')
    storage.sql.exec(insert, pending, 'pending')
  })
  await finishAnother(account, { ...pass, rateClass: 'import' })
  const ids = (await log(account, pass)).map(({ id }) => id)
  expect(ids).toHaveLength(3)
  expect(ids).toContain(pending)
  expect(ids).not.toContain(settled)
})

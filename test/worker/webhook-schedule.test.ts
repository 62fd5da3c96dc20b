import {
  createExecutionContext,
  createMessageBatch,
  evictDurableObject,
  getQueueResult,
  runDurableObjectAlarm,
  runInDurableObject,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { findJob } from '../../worker/account/jobs/jobs.ts'
import { announce } from '../../worker/account/webhooks/attempts.ts'
import { delaysMs } from '../../worker/domain/webhooks/schedule.ts'
import worker from '../../worker/index.ts'
import { newAccount } from './account.ts'
import { eventually, expectWithin, timed } from './clock.ts'
import { admitted, answered, attempt, finished, lettersSoFar, makeDue, onlyDelivery } from './delivering.ts'

test('ten attempts are made as the schedule has it, then the delivery is dead and the account says so', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  for (const delay of delaysMs.slice(1)) {
    const { value: after, span } = await timed(() => attempt(account, id, answered(500)))
    expect(after?.state).toBe('pending')
    expect(after?.nextAt).toBeGreaterThanOrEqual(span.from + delay * 0.8)
    expect(after?.nextAt).toBeLessThanOrEqual(span.until + delay * 1.2)
    // The first wait is of seconds, which a busy machine may take from one line to the next.
    if (delay > 60_000) expect(await account.claimDelivery(id)).toBeNull()
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
  const { value: after, span } = await timed(() => attempt(account, id, answered(429, 3_600_000)))
  expectWithin(after?.nextAt ?? 0, span, 3_600_000)
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

test('an attempt that is not due is not sent, though the alarm rings', async () => {
  const { account, pass } = await finished()
  const { id } = await onlyDelivery(account, pass)
  await attempt(account, id, answered(503))
  await makeDue(account, id)
  await attempt(account, id, answered(503))
  const sent = await lettersSoFar(account)
  await runInDurableObject(account, (_, { storage }) => {
    storage.sql.exec("UPDATE schedule SET at = 1 WHERE kind = 'delivery'")
  })
  await runDurableObjectAlarm(account)
  expect(await lettersSoFar(account)).toBe(sent)
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
  await eventually(async () => expect((await onlyDelivery(account, pass)).mishap).not.toBeNull())
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

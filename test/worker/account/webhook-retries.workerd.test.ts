import {
  createExecutionContext,
  createMessageBatch,
  evictDurableObject,
  getQueueResult,
  runInDurableObject,
} from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '../../../domain/ids.ts'
import { RESEND_MS } from '../../../domain/limits.ts'
import { delaysMs } from '../../../domain/webhooks/retry-schedule.ts'
import { AccountRows } from '../../../worker/account/account-rows.ts'
import { schedule } from '../../../worker/account/due/due-rows.ts'
import { addEventDelivery } from '../../../worker/account/webhooks/attempts-and-retries.ts'
import worker from '../../../worker/index.ts'
import { defaultTerms } from '../../support/default-terms.ts'
import { newAccount } from '../support/account.ts'
import { eventually, expectWithin, passTime, runAlarm, timed } from '../support/clock.ts'
import { countUse } from '../support/counts.ts'
import { inTables } from '../support/tables.ts'
import {
  admitted,
  answered,
  attempt,
  finishAnother,
  finished,
  log,
  onlyDelivery,
  untilDue,
  url,
} from '../support/webhook-deliveries.ts'

test('after ten attempts on schedule the delivery fails, and the account summary counts it', async () => {
  const { account, identity, id } = await finished()
  for (const delay of delaysMs.slice(1)) {
    const { value: after, span } = await timed(() => attempt(account, id, answered(500)))
    expect(after?.state).toBe('pending')
    expect(after?.nextAt).toBeGreaterThanOrEqual(span.from + delay * 0.8)
    expect(after?.nextAt).toBeLessThanOrEqual(span.until + delay * 1.2)
    // The first delay is a few seconds, which a busy machine may need between two lines.
    if (delay > 60_000) expect(await account.claimDelivery(id)).toBeNull()
    await untilDue(account, id)
  }
  const last = await attempt(account, id, answered(500))
  expect(last).toMatchObject({ state: 'failed', attempts: 10, nextAt: null })
  expect((await account.summary(identity)).result).toMatchObject({ value: { failedDeliveries: 1 } })
})

test('a Retry-After header of an hour is respected', async () => {
  const { account, id } = await finished()
  const { value: after, span } = await timed(() => attempt(account, id, answered(429, 3_600_000)))
  expectWithin(after?.nextAt ?? 0, span, 3_600_000)
})

test('an attempt without a report counts as failed, and a late report changes nothing', async () => {
  const { account, id, delivery } = await finished()
  const lost = await account.claimDelivery(id)
  await passTime(account, RESEND_MS)
  expect(await delivery()).toMatchObject({
    state: 'pending',
    attempts: 1,
    attemptError: 'INTERRUPTED',
  })
  await account.reportDelivery({ id, lease: lost?.lease ?? '', outcome: answered(200) })
  expect(await delivery()).toMatchObject({ state: 'pending', status: null })
})

/** Counts the messages of webhooks, which go nowhere. */
const countMessages = () => {
  const send = vi.spyOn(Object.getPrototypeOf(env.WEBHOOKS), 'send').mockResolvedValue(undefined)
  onTestFinished(() => send.mockRestore())
  return (id: string) =>
    send.mock.calls.filter(([message]) => (message as { deliveryId: string }).deliveryId === id).length
}

test('a lost message is sent again, for the first and for later attempts', async () => {
  const sent = countMessages()
  const { account, id } = await finished()
  await eventually(async () => expect(sent(id)).toBe(1))
  await passTime(account, RESEND_MS)
  expect(sent(id)).toBe(2)
  await attempt(account, id, answered(503))
  await untilDue(account, id)
  await runAlarm(account)
  expect(sent(id)).toBe(3)
  expect(await account.claimDelivery(id)).toMatchObject({ delivery: { attempts: 2 } })
})

test('a message that was committed before an eviction is sent after it', async () => {
  const sent = countMessages()
  const { account, identity } = await newAccount()
  const jobId = await admitted(account, identity)
  // Like at the end of a job, but nothing is sent after the commit.
  await runInDurableObject(account, (_, { storage }) => {
    const event = { id: newId('event', Date.now()), type: 'import.failed' as const, subjectId: jobId }
    const rows = new AccountRows(storage.sql, defaultTerms)
    storage.transactionSync(() => {
      addEventDelivery(rows, event, url, Date.now())
      rows.save()
    })
  })
  await evictDurableObject(account)
  await runAlarm(account)
  const { id } = await onlyDelivery(account, { ...identity, rateClass: 'general' })
  expect(sent(id)).toBe(1)
  expect(await account.claimDelivery(id)).not.toBeNull()
})

test('the alarm does not send an attempt that is not due', async () => {
  const sent = countMessages()
  const { account, id } = await finished()
  await attempt(account, id, answered(503))
  await untilDue(account, id)
  await attempt(account, id, answered(503))
  const before = sent(id)
  await inTables(account, (sql) => schedule(sql, 'delivery', id, 1))
  await runAlarm(account)
  expect(sent(id)).toBe(before)
})

/** Delivers messages like the queue. `result` waits for the attempts. */
const consume = async (queue: string, ...deliveries: Pick<Finished, 'accountId' | 'id'>[]) => {
  const messages = deliveries.map(({ accountId, id }, index) => ({
    ...{ id: `${index}`, timestamp: new Date(), attempts: 1 },
    body: { v: 1, accountId, deliveryId: id },
  }))
  const batch = createMessageBatch(queue, messages)
  const context = createExecutionContext()
  await worker.queue(batch as MessageBatch<never>, env, context)
  return async () => (await getQueueResult(batch, context)).explicitAcks
}

type Finished = Awaited<ReturnType<typeof finished>>

test('a receiver that hangs does not delay the other webhooks of its batch', async () => {
  const held = (what: string) => `https://held.example/${what}/webhook`
  const hanging = await finished({ webhookUrl: held('wait') })
  const other = await finished({ webhookUrl: 'https://status.example/204' })
  const result = await consume('haul-webhooks', hanging, other)
  await eventually(async () => expect(await other.delivery()).toMatchObject({ state: 'delivered', attempts: 1 }))
  await eventually(async () => expect((await fetch(held('has'))).status).toBe(200))
  expect(await hanging.delivery()).toMatchObject({ state: 'pending', attempts: 1, nextAt: null })
  await fetch(held('go'))
  expect(await result()).toEqual(['0', '1'])
  expect(await hanging.delivery()).toMatchObject({ state: 'delivered', status: 206 })
})

test('the address is checked again at delivery: a private one is not requested', async () => {
  const webhook = await finished({ webhookUrl: 'http://127.0.0.1:1/hook' })
  expect(await (await consume('haul-webhooks', webhook, webhook))()).toEqual(['0', '1'])
  expect(await webhook.delivery()).toMatchObject({ state: 'pending', attempts: 1, attemptError: 'ADDRESS_NOT_PUBLIC' })
})

test('a message in the dead-letter queue counts as an attempt', async () => {
  const webhook = await finished()
  expect(await (await consume('haul-webhooks-dead', webhook))()).toEqual(['0'])
  expect(await webhook.delivery()).toMatchObject({ state: 'pending', attempts: 1, attemptError: 'INTERRUPTED' })
})

test('a webhook that arrives at once writes eleven rows: the delivery, its attempt and its end, what is due for each, and an alarm', async () => {
  const rowsOfImport = async (webhookUrl: string | null) => {
    const { account, accountId, identity } = await newAccount()
    // The first one also makes the account's secret.
    await finishAnother(account, identity, url)
    const first = await onlyDelivery(account, { ...identity, rateClass: 'general' })
    await attempt(account, first.id, answered(200))
    const counts = await countUse({ account, accountId })
    await finishAnother(account, identity, webhookUrl)
    const [delivery] = await log(account, { ...identity, rateClass: 'general' })
    if (delivery && delivery.id !== first.id) await attempt(account, delivery.id, answered(200))
    await eventually(async () => expect(counts.d1Rows).toBe(1))
    return counts.objectRows
  }
  expect((await rowsOfImport(url)) - (await rowsOfImport(null))).toBe(11)
})

import { expect, test } from 'vitest'
import { DELIVERY_LOG_MS } from '../../../domain/webhooks/retry-schedule.ts'
import { skip } from '../support/clock.ts'
import { answered, attempt, finishAnother, finished, log, url } from '../support/webhook-deliveries.ts'

test('a replay does not change a delivery with an attempt in progress', async () => {
  const { account, identity, id } = await finished()
  const claimed = await account.claimDelivery(id)
  await account.replay(identity, id)
  expect(await account.claimDelivery(id)).toBeNull()
  const reported = await account.reportDelivery({ id, lease: claimed?.lease ?? '', outcome: answered(200) })
  expect(reported).toMatchObject({ state: 'delivered', attempts: 1 })
})

test('failed deliveries since a time are replayed, but not delivered ones, older ones or tests', async () => {
  const { account, identity, id: old } = await finished()
  await attempt(account, old, answered(410))
  skip(3_600_000)
  const since = Date.now() - 60_000
  await finishAnother(account, { ...identity, rateClass: 'import' })
  await finishAnother(account, { ...identity, rateClass: 'import' })
  const [delivered, failed] = (await log(account, identity)).filter(({ id }) => id !== old)
  await attempt(account, delivered?.id ?? '', answered(200))
  await attempt(account, failed?.id ?? '', answered(410))
  const test = await account.beginWebhookTest(identity, url)
  if (!test.result.ok) throw new Error('no test')
  const { delivery, lease } = test.result.value
  await account.reportDelivery({ id: delivery.id, lease, outcome: answered(500) })

  expect((await account.summary(identity)).result).toMatchObject({ value: { failedDeliveries: 2 } })
  expect((await account.replayFailed(identity, since)).result).toEqual({
    ok: true,
    value: { replayed: 1, more: false },
  })
  expect((await account.summary(identity)).result).toMatchObject({ value: { failedDeliveries: 1 } })
  const states = Object.fromEntries((await log(account, identity)).map(({ id, state }) => [id, state]))
  expect(states).toEqual({
    [old]: 'failed',
    [delivered?.id ?? '']: 'delivered',
    [failed?.id ?? '']: 'pending',
    [delivery.id]: 'failed',
  })
  expect(await attempt(account, failed?.id ?? '', answered(200))).toMatchObject({ state: 'delivered', attempts: 1 })
  expect((await account.replay(identity, 'evt_unknown')).result).toMatchObject({ refusal: { code: 'NOT_FOUND' } })
})

test('ended deliveries are deleted after 30 days, pending ones are kept', async () => {
  const { account, identity } = await finished()
  await finishAnother(account, { ...identity, rateClass: 'import' })
  const [pending, settled] = (await log(account, identity)).map(({ id }) => id)
  await attempt(account, settled ?? '', answered(200))
  skip(DELIVERY_LOG_MS + 60_000)
  await finishAnother(account, { ...identity, rateClass: 'import' })
  const ids = (await log(account, identity)).map(({ id }) => id)
  expect(ids).toHaveLength(2)
  expect(ids).toContain(pending)
})

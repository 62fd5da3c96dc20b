import { runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { newId } from '../../worker/domain/ids.ts'
import type { Account } from './account.ts'
import { answered, attempt, finishAnother, finished, log, onlyDelivery, url } from './delivering.ts'

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

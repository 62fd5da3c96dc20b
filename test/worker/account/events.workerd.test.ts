import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, test, vi } from 'vitest'
import type { AccountEvent, RequestIdentity } from '../../../worker/account/calls.ts'
import type { AccountObject } from '../../../worker/index.ts'
import {
  type Account,
  admission,
  answerOf,
  finishImport,
  importRequest,
  leased,
  newAccount,
} from '../support/account.ts'
import { price } from '../support/account-batches.ts'
import { skip } from '../support/clock.ts'
import { failNextTransaction } from '../support/tables.ts'
import { log, url } from '../support/webhook-deliveries.ts'

/** A reader that has everything up to now, and calls of a caller. */
const reader = async () => {
  const { account, identity } = await newAccount()
  await account.summary({ ...identity, rateClass: 'general' })
  let last = 0
  const page = async (): Promise<AccountEvent[]> => {
    const found = await account.eventsAfter(identity.keyHash, last)
    last = found?.last ?? 0
    return (found?.events ?? []) as AccountEvent[]
  }
  await page()
  return { account, identity, page }
}

const start = async (account: Account, identity: RequestIdentity, changes = {}): Promise<string> =>
  answerOf(await account.admit(identity, admission(price, changes))).jobId

const typesOf = (events: AccountEvent[]): string[] => events.map(({ type }) => type)

test('a page has 50 events, and the next one goes on after it', async () => {
  const { account, identity, page } = await reader()
  const ids: string[] = []
  for (let count = 0; count < 60; count++) {
    const jobId = await start(account, identity)
    await account.remove(identity, jobId)
    ids.push(jobId)
  }
  const pages = [await page(), await page(), await page()]
  expect(pages.map(({ length }) => length)).toEqual([50, 10, 0])
  expect(pages.flat().map(({ job }) => job?.id)).toEqual(ids)
})

test('a reader that asks while nothing happens reads few rows', async () => {
  const { account, identity, page } = await reader()
  await start(account, identity)
  await page()
  await runInDurableObject(account, async (object: AccountObject, { storage }) => {
    const exec = vi.spyOn(storage.sql, 'exec')
    expect(await object.eventsAfter(identity.keyHash, 0)).toEqual({ events: [], last: 0 })
    const read = exec.mock.results.map(({ value }) => (value as SqlStorageCursor<never>).rowsRead)
    exec.mockRestore()
    // The last event, and the job with what is due for it.
    expect(read).toEqual([1])
  })
})

test('an attempt that is repeated does not start its job again', async () => {
  const { account, identity, page } = await reader()
  const jobId = await start(account, identity)
  for (let attempts = 0; attempts < 2; attempts++) await account.giveBack(await leased(account, jobId))
  await finishImport(account, jobId, 1_000)
  expect(typesOf(await page())).toEqual(['job.started', 'import.completed'])
})

test('an act that was rolled back is told of by nobody', async () => {
  const { account, identity, page } = await reader()
  const jobId = await start(account, identity)
  await runInDurableObject(account, async (object, state) => {
    failNextTransaction(state)
    await expect(object.claim(jobId, 'fetch')).rejects.toThrow('disk full')
  })
  expect(await page()).toEqual([])
  await finishImport(account, jobId, 1_000)
  expect(typesOf(await page())).toEqual(['job.started', 'import.completed'])
})

test('events that nobody read for minutes are there for the next reader', async () => {
  const { account, identity, page } = await reader()
  const jobId = await start(account, identity)
  for (const step of ['claim', 'remove'] as const) {
    skip(5 * 60_000)
    if (step === 'claim') await account.claim(jobId, 'fetch')
    else await account.remove(identity, jobId)
  }
  expect(typesOf(await page())).toEqual(['job.started', 'import.failed'])
})

test('the end of a job that took days, because Haul was down, is told after an eviction too', async () => {
  const { account, identity, page } = await reader()
  const jobId = await start(account, identity)
  skip(3 * 86_400_000)
  await account.remove(identity, jobId)
  await evictDurableObject(account)
  expect(typesOf(await page())).toEqual(['import.failed'])
})

test('after an eviction and a clock that was set back, the end of a job still comes after its start', async () => {
  const { account, identity, page } = await reader()
  const jobId = await start(account, identity)
  await account.claim(jobId, 'fetch')
  expect(typesOf(await page())).toEqual(['job.started'])
  await evictDurableObject(account)
  skip(-10_000)
  await account.remove(identity, jobId)
  expect(typesOf(await page())).toEqual(['import.failed'])
})

test('a start that is answered with an earlier job is no event, and its webhook has an id of its own', async () => {
  const { account, identity, page } = await reader()
  const jobId = await start(account, identity, { request: importRequest({ webhookUrl: url }) })
  await finishImport(account, jobId, 1_000)
  const events = await page()
  const again = {
    job: { kind: 'import', request: importRequest({ webhookUrl: url }) },
    reuse: { reuseKey: 'a key', withinMs: 60_000 },
    ...{ joinKey: null, idempotency: null, requestId: 'req_1' },
  } as const
  for (let times = 0; times < 2; times++) {
    expect((await account.openStart(identity, again)).result).toMatchObject({ value: { jobId, isReused: true } })
  }
  expect(await page()).toEqual([])
  const deliveries = await log(account, { ...identity, rateClass: 'general' })
  expect(new Set(deliveries.map(({ id }) => id)).size).toBe(3)
  expect(deliveries.at(-1)?.id).toBe(events.at(-1)?.id)
})

import { evictDurableObject, listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { newId } from '../../../domain/ids.ts'
import { makeKey } from '../../../domain/secrets/api-keys.ts'
import { signingKey } from '../../../worker/env.ts'
import { asOperator, callApi, newCaller } from '../support/caller.ts'
import { eventually } from '../support/clock.ts'
import { tableNames, textInD1 } from '../support/tables.ts'

/** An operator creates an account in D1. Its object is made by the first call that needs it. */
const hasObject = async (accountId: string): Promise<boolean> => {
  const id = env.ACCOUNTS.idFromName(accountId)
  return (await listDurableObjectIds(env.ACCOUNTS)).some((other) => other.equals(id))
}

const balance = async ({ get }: Awaited<ReturnType<typeof newCaller>>): Promise<number> =>
  (await get('/account')).body.data.balanceDollars

test('a new account has no object before its first use, and then its credit', async () => {
  const caller = await newCaller(7)
  expect(await hasObject(caller.accountId)).toBe(false)
  expect(await balance(caller)).toBe(7)
  expect(await hasObject(caller.accountId)).toBe(true)
})

test('first requests that come at once credit once and read D1 once', async () => {
  const caller = await newCaller(7)
  const prepare = vi.spyOn(Object.getPrototypeOf(env.DB), 'prepare')
  onTestFinished(() => prepare.mockRestore())
  const balances = await Promise.all(Array.from({ length: 20 }, () => balance(caller)))
  expect(new Set(balances)).toEqual(new Set([7]))
  expect(prepare.mock.calls.filter(([query]) => `${query}`.includes('FROM accounts'))).toHaveLength(1)
  expect((await caller.get('/account/ledger')).body.data.entries).toHaveLength(1)
})

test.each<[string, (accountId: string) => Promise<{ status: number }>]>([
  ['a credit', (id) => asOperator('POST', `/admin/accounts/${id}/credits`, { amountDollars: 1, reference: 'first' })],
  ['another key', (id) => asOperator('POST', `/admin/accounts/${id}/keys`)],
])('%s before the first use keeps what the account began with', async (_, act) => {
  const caller = await newCaller(7)
  expect((await act(caller.accountId)).status).toBe(200)
  expect(await balance(caller)).toBeGreaterThanOrEqual(7)
})

test('a key that is revoked before the first use is refused', async () => {
  const caller = await newCaller(7)
  expect((await asOperator('DELETE', `/admin/accounts/${caller.accountId}/keys/${caller.keyId}`)).status).toBe(200)
  expect((await caller.get('/account')).status).toBe(401)
})

test('keys of an account that does not exist make no storage, and one of them reads D1', async () => {
  const accountId = newId('account', Date.now())
  const { apiKey } = await makeKey(await signingKey(env, 'api-keys'), accountId, Date.now())
  const prepare = vi.spyOn(Object.getPrototypeOf(env.DB), 'prepare')
  onTestFinished(() => prepare.mockRestore())
  for (let times = 0; times < 5; times++) expect((await callApi('GET', '/account', { key: apiKey })).status).toBe(401)
  expect((await asOperator('POST', `/admin/accounts/${accountId}/keys`)).status).toBe(404)
  expect(prepare.mock.calls.filter(([query]) => `${query}`.includes('FROM accounts'))).toHaveLength(1)
  expect(await tableNames(env.ACCOUNTS.getByName(accountId))).toEqual([])
})

const forgotten = ({ keyId }: { keyId: string }): Promise<void> =>
  eventually(async () => expect(await textInD1('accounts')).not.toContain(keyId))

test('after the first use, D1 has neither the first key nor the credit', async () => {
  const caller = await newCaller(7)
  expect(await textInD1('accounts')).toContain(caller.keyId)
  await balance(caller)
  await forgotten(caller)
})

test('an object that lost its storage is not founded again: its keys are refused, and the log says so once a minute', async () => {
  const caller = await newCaller(7)
  await balance(caller)
  await forgotten(caller)
  await runInDurableObject(caller.account as never, (_, { storage }) => storage.deleteAll())
  await evictDurableObject(caller.account as never)
  const log = vi.spyOn(console, 'log').mockReturnValue()
  onTestFinished(() => log.mockRestore())
  for (let times = 0; times < 3; times++) expect((await caller.get('/account')).status).toBe(401)
  const lost = JSON.stringify({ event: 'account.lost', accountId: caller.accountId })
  expect(log.mock.calls.filter(([line]) => `${line}`.includes('account.'))).toEqual([[lost]])
  expect(await tableNames(caller.account)).toEqual([])
})

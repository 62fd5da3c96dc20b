import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { newId } from '../../../domain/ids.ts'
import { micros } from '../../../domain/money/money.ts'
import { makeKey, sha256Hex } from '../../../domain/secrets/api-keys.ts'
import { signingKey } from '../../../worker/env.ts'
import { admission } from '../support/account.ts'
import { asOperator, callApi, newCaller, send } from '../support/caller.ts'

const caller = await newCaller()
const unknownAccountId = newId('account', Date.now())
const ours = await signingKey(env, 'api-keys')
const foreign = (await crypto.subtle.generateKey({ name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])) as CryptoKey

const revoked = async (): Promise<string> => {
  const other = await newCaller()
  await asOperator('DELETE', `/admin/accounts/${other.accountId}/keys/${other.keyId}`)
  return `Bearer ${other.apiKey}`
}
const flip = (key: string): string => key.slice(0, -1) + (key.endsWith('0') ? '1' : '0')

const kinds: [string, () => Promise<string | null>][] = [
  ['no key', async () => null],
  ['an empty header', async () => ''],
  ['another scheme', async () => `Basic ${btoa(caller.apiKey)}`],
  ['a scheme without a key', async () => 'Bearer'],
  ['a key without a scheme', async () => caller.apiKey],
  ['two keys', async () => `Bearer ${caller.apiKey} ${caller.apiKey}`],
  ['a string that is not a key', async () => 'Bearer sk_live_123'],
  ['the operator token', async () => 'Bearer admin-token'],
  ['a key with a wrong checksum', async () => `Bearer ${flip(caller.apiKey)}`],
  ['an uppercase key', async () => `Bearer ${caller.apiKey.toUpperCase()}`],
  ['a key signed with another secret', async () => `Bearer ${(await makeKey(foreign, caller.accountId, 1)).apiKey}`],
  ['a key that was never issued', async () => `Bearer ${(await makeKey(ours, caller.accountId, 1)).apiKey}`],
  ['a key of an unknown account', async () => `Bearer ${(await makeKey(ours, unknownAccountId, 1)).apiKey}`],
  ['a revoked key', revoked],
]

test.each(kinds)('%s is a 401, always with the same body', async (_, authorization) => {
  const value = await authorization()
  const { status, headers, body } = await callApi('GET', '/account', {
    headers: value === null ? {} : { authorization: value },
  })
  expect(status).toBe(401)
  expect(headers.get('www-authenticate')).toBe('Bearer')
  expect(headers.get('x-ratelimit-remaining')).toBe('3600')
  expect(body).toEqual({
    success: false,
    error: 'A valid API key is required: Authorization: Bearer <API_KEY>.',
    code: 'UNAUTHORIZED',
    requestId: headers.get('x-request-id'),
  })
})

test('a forged key causes no storage access', async () => {
  const get = vi.spyOn(env.ACCOUNTS, 'getByName')
  const prepare = vi.spyOn(env.DB, 'prepare')
  const accountId = newId('account', Date.now())
  const { apiKey } = await makeKey(foreign, accountId, Date.now())
  for (const path of ['/account', '/jobs', '/import/status?id=imp_x', '/metadata?url=https://media.example/']) {
    expect((await callApi('GET', path, { key: apiKey })).status).toBe(401)
  }
  const id = env.ACCOUNTS.idFromName(accountId)
  expect((await listDurableObjectIds(env.ACCOUNTS)).some((other) => other.equals(id))).toBe(false)
  expect(get).not.toHaveBeenCalledWith(accountId)
  // Accounts of earlier tests may still record their jobs.
  expect(prepare.mock.calls.filter(([query]) => !/^\s*(INSERT INTO|UPDATE|DELETE FROM) jobs\b/.test(query))).toEqual([])
})

test('the scheme is case-insensitive', async () => {
  const { status } = await callApi('GET', '/account', { headers: { authorization: `bEARER  ${caller.apiKey}` } })
  expect(status).toBe(200)
})

test('an open event stream ends without another event when its key is revoked', async () => {
  const caller = await newCaller()
  const keyHash = await sha256Hex(caller.apiKey)
  const identity = { keyHash, rateClass: 'import', endpoint: '/import', needs: [] } as const
  const { result } = await caller.account.admit(identity, admission(micros(1)))
  const jobId = result.ok ? result.value.jobId : ''
  const stream = await send('GET', `/jobs/${jobId}/events`, { key: caller.apiKey })
  await asOperator('DELETE', `/admin/accounts/${caller.accountId}/keys/${caller.keyId}`)
  const second = await asOperator('POST', `/admin/accounts/${caller.accountId}/keys`)
  const { apiKey } = second.body.data
  await caller.account.remove({ ...identity, keyHash: await sha256Hex(apiKey) }, jobId)
  const events = await stream.text()
  expect(events.match(/^event: job$/gm)).toHaveLength(1)
  expect(events).toContain('"status":"queued"')
})

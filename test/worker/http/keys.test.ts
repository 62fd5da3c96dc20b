import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { newId } from '../../../worker/domain/ids.ts'
import { makeKey } from '../../../worker/domain/secrets/keys.ts'
import { signingKey } from '../../../worker/env.ts'
import { ask, asOperator, newCaller } from './caller.ts'

const caller = await newCaller()
const stranger = newId('account', Date.now())
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
  ['a text that is no key', async () => 'Bearer sk_live_123'],
  ['the token of the operator', async () => 'Bearer admin-token'],
  ['a key with another checksum', async () => `Bearer ${flip(caller.apiKey)}`],
  ['a key in capitals', async () => `Bearer ${caller.apiKey.toUpperCase()}`],
  ['a key of another secret', async () => `Bearer ${(await makeKey(foreign, caller.accountId, 1)).apiKey}`],
  ['a key that was never given out', async () => `Bearer ${(await makeKey(ours, caller.accountId, 1)).apiKey}`],
  ['a key of no account', async () => `Bearer ${(await makeKey(ours, stranger, 1)).apiKey}`],
  ['a revoked key', revoked],
]

test.each(kinds)('%s is kept out with the one answer for all', async (_, authorization) => {
  const value = await authorization()
  const { status, headers, body } = await ask('GET', '/account', {
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

test('a forged key touches no storage', async () => {
  const get = vi.spyOn(env.ACCOUNTS, 'getByName')
  const prepare = vi.spyOn(env.DB, 'prepare')
  const before = await listDurableObjectIds(env.ACCOUNTS)
  const accountId = newId('account', Date.now())
  const { apiKey } = await makeKey(foreign, accountId, Date.now())
  for (const path of ['/account', '/jobs', '/import/status?id=imp_x', '/metadata?url=https://media.example/']) {
    expect((await ask('GET', path, { key: apiKey })).status).toBe(401)
  }
  expect(await listDurableObjectIds(env.ACCOUNTS)).toHaveLength(before.length)
  expect(get).not.toHaveBeenCalled()
  expect(prepare).not.toHaveBeenCalled()
})

test('the name of the scheme may be written in any case', async () => {
  const { status } = await ask('GET', '/account', { headers: { authorization: `bEARER  ${caller.apiKey}` } })
  expect(status).toBe(200)
})

test('a revoked key is kept out at the very next request, and the other key of the account is not', async () => {
  const owner = await newCaller()
  const second = await asOperator('POST', `/admin/accounts/${owner.accountId}/keys`)
  const { apiKey, keyId } = second.body.data
  expect((await ask('GET', '/account', { key: apiKey })).status).toBe(200)
  await asOperator('DELETE', `/admin/accounts/${owner.accountId}/keys/${keyId}`)
  expect((await ask('GET', '/account', { key: apiKey })).status).toBe(401)
  expect((await owner.get('/account')).status).toBe(200)
})

test.each([
  ['POST', '/import'],
  ['GET', '/import/status?id=imp_x'],
  ['POST', '/transcribe'],
  ['GET', '/transcribe/status?id=trn_x'],
  ['GET', '/transcribe/transcript?id=trn_x'],
  ['GET', '/transcription-provider'],
  ['GET', '/metadata?url=https://media.example/'],
  ['GET', '/account'],
  ['GET', '/account/ledger'],
  ['GET', '/jobs'],
  ['GET', '/jobs/imp_x'],
  ['DELETE', '/jobs/imp_x'],
  ['GET', '/jobs/imp_x/events'],
  ['GET', '/storage'],
  ['GET', '/webhooks/secret'],
  ['GET', '/webhooks/deliveries'],
  ['POST', '/webhooks/test'],
  ['GET', '/admin/accounts'],
  ['POST', '/admin/accounts'],
  ['POST', `/admin/accounts/${caller.accountId}/credits`],
])('%s %s needs a key', async (method, path) => {
  expect((await ask(method, path)).status).toBe(401)
})

test("an API key opens nothing of the operator's", async () => {
  expect((await caller.get('/admin/accounts')).status).toBe(401)
})

import { listDurableObjectIds } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { openSealer } from '../../../../domain/secrets/sealing.ts'
import { findCredential, putCredential } from '../../../../worker/directory.ts'
import { asOperator, callApi, newCaller } from '../../support/caller.ts'
import { textInD1 } from '../../support/tables.ts'

test('a created account has its credit, and its key works immediately', async () => {
  const { status, body } = await asOperator('POST', '/admin/accounts', { name: 'Ada', creditDollars: 12.345678 })
  expect(status).toBe(200)
  expect(body.data).toEqual({
    accountId: expect.stringMatching(/^acct_[0-9a-z]{26}$/),
    keyId: expect.stringMatching(/^key_[0-9a-z]{26}$/),
    apiKey: expect.stringMatching(/^haul_[0-9a-z]{26}_[A-Za-z0-9]{32}_[0-9a-f]{24}$/),
  })
  const read = await callApi('GET', '/account', { key: body.data.apiKey })
  expect(read.body.data).toMatchObject({ name: 'Ada', balanceDollars: 12.345678 })
})

test('an account without creditDollars has no balance', async () => {
  const { body } = await asOperator('POST', '/admin/accounts', { name: 'Ada' })
  expect((await callApi('GET', '/account', { key: body.data.apiKey })).body.data.balanceDollars).toBe(0)
})

test('only the hash of a key is stored', async () => {
  const { accountId, apiKey } = await newCaller()
  const stored = await textInD1('accounts')
  expect(stored).toContain(accountId)
  expect(stored).not.toContain(apiKey.slice(-24))
})

test('a repeated reference credits once', async () => {
  const { accountId } = await newCaller(1)
  const credit = (amountDollars: number, reference: string) =>
    asOperator('POST', `/admin/accounts/${accountId}/credits`, { amountDollars, reference })
  expect((await credit(5, 'invoice 7')).body.data).toEqual({ accountId, credited: true, balanceDollars: 6 })
  expect((await credit(5, 'invoice 7')).body.data).toEqual({ accountId, credited: false, balanceDollars: 6 })
  expect((await credit(5, ' invoice 7 ')).body.data).toEqual({ accountId, credited: false, balanceDollars: 6 })
  expect((await credit(0.000001, 'invoice 8')).body.data).toEqual({
    accountId,
    credited: true,
    balanceDollars: 6.000001,
  })
})

test('a repeated reference with a different amount is refused and credits nothing', async () => {
  const caller = await newCaller(1)
  const credit = (amountDollars: number) =>
    asOperator('POST', `/admin/accounts/${caller.accountId}/credits`, { amountDollars, reference: 'invoice 7' })
  await credit(5)
  for (const amount of [50, 4.999999]) {
    const { status, body } = await credit(amount)
    expect([status, body.code, body.creditedDollars]).toEqual([422, 'IDEMPOTENCY_MISMATCH', 5])
    expect(body.error).toBe('This reference was already credited with a different amount.')
  }
  expect((await caller.get('/account')).body.data.balanceDollars).toBe(6)
  expect((await credit(5)).body.data.credited).toBe(false)
})

test('ten simultaneous credits with one reference credit once', async () => {
  const { accountId } = await newCaller(0)
  const body = { amountDollars: 1, reference: 'invoice 7' }
  const all = await Promise.all(
    Array.from({ length: 10 }, () => asOperator('POST', `/admin/accounts/${accountId}/credits`, body)),
  )
  expect(all.filter(({ body: { data } }) => data.credited)).toHaveLength(1)
  expect(all.map(({ body: { data } }) => data.balanceDollars)).toEqual(Array(10).fill(1))
})

test('keys and credits of an unknown account are a 404', async () => {
  const id = 'acct_01m7y000000000000000000000'
  for (const response of [
    await asOperator('POST', `/admin/accounts/${id}/keys`),
    await asOperator('DELETE', `/admin/accounts/${id}/keys/key_x`),
    await asOperator('POST', `/admin/accounts/${id}/credits`, { amountDollars: 1, reference: 'x' }),
  ]) {
    expect([response.status, response.body.code]).toEqual([404, 'NOT_FOUND'])
  }
})

test('a malformed account id creates no Durable Object', async () => {
  const before = await listDurableObjectIds(env.ACCOUNTS)
  const { status, body } = await asOperator('POST', '/admin/accounts/acct_nonsense/keys')
  expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
  expect(await listDurableObjectIds(env.ACCOUNTS)).toHaveLength(before.length)
})

test('operators add keys with all scopes and revoke those that they name, once or twice, and the others still work', async () => {
  const caller = await newCaller()
  const { accountId } = caller
  const { keyId, apiKey } = (await asOperator('POST', `/admin/accounts/${accountId}/keys`)).body.data
  const listed = await callApi('GET', '/keys', { key: apiKey })
  expect(listed.body.data.keys.find((key: { keyId: string }) => key.keyId === keyId)).toMatchObject({
    ...{ name: null, prefix: apiKey.slice(0, 36) },
    scopes: ['read', 'import', 'transcribe', 'manage'],
  })
  const read = await caller.post('/keys', { name: 'reader', scopes: ['read'] })
  const reader = read.body.data
  for (const revoked of [keyId, keyId, reader.keyId]) {
    const { status, body } = await asOperator('DELETE', `/admin/accounts/${accountId}/keys/${revoked}`)
    expect([status, body.data]).toEqual([200, { keyId: revoked, revoked: true }])
  }
  for (const key of [apiKey, reader.apiKey]) expect((await callApi('GET', '/account', { key })).status).toBe(401)
  expect((await caller.get('/account')).body.data.accountId).toBe(accountId)
  expect((await asOperator('DELETE', `/admin/accounts/${accountId}/keys/key_none`)).status).toBe(404)
})

const keyOf = (byte: number) => btoa(String.fromCharCode(...new Uint8Array(32).fill(byte)))

test('reseal re-encrypts secrets with the new first key and lists those that no key opens', async () => {
  const { accountId } = await newCaller()
  const current = await openSealer(env.SEAL_KEYS)
  const older = await openSealer(`k0:${keyOf(7)}`)
  const keep = async (record: string, sealed: string) =>
    putCredential(env.DB, accountId, { record, sealed, shown: '{}', updatedAt: 1 })
  const records = ['storage', 'provider/openai']
  for (const record of records) await keep(record, await current.seal(`the ${record} secret`, { accountId, record }))
  await keep('provider/deepgram', await older.seal('lost', { accountId, record: 'provider/deepgram' }))

  // Accounts of other tests are older, and have secrets too.
  const reseal = `/admin/reseal?cursor=${encodeURIComponent(`${accountId}/!`)}`
  // The current key has sealed them already.
  const idle = await asOperator('POST', reseal)
  expect(idle.body.data).toEqual({
    checked: 3,
    resealed: 0,
    broken: [{ accountId, record: 'provider/deepgram' }],
    nextCursor: null,
  })

  const kept = env.SEAL_KEYS
  env.SEAL_KEYS = `k2:${keyOf(9)},${kept}`
  const rotated = await asOperator('POST', reseal)
  env.SEAL_KEYS = kept
  expect(rotated.body.data).toMatchObject({ checked: 3, resealed: 2 })
  const alone = await openSealer(`k2:${keyOf(9)}`)
  for (const record of records) {
    const found = await findCredential(env.DB, accountId, record)
    expect(await alone.unseal(found?.sealed ?? '', { accountId, record })).toBe(`the ${record} secret`)
  }
  expect((await callApi('POST', '/admin/reseal')).status).toBe(401)
})

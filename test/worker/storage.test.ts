import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { findCredential, putCredential } from '../../worker/directory.ts'
import { openSealer } from '../../worker/domain/secrets/sealing.ts'
import { ask, asOperator, newCaller } from './http/caller.ts'

const keyOf = (byte: number) => btoa(String.fromCharCode(...new Uint8Array(32).fill(byte)))

const settings = {
  endpoint: 'https://s3.example.com',
  region: 'auto',
  bucket: 'media',
  accessKeyId: 'AKIAEXAMPLE',
  secretAccessKey: 'canary-of-a-secret',
}

test.each([
  ['endpoint', 'http://s3.example.com', 'must be an https URL'],
  ['endpoint', 'https://127.0.0.1:9000', 'must be a public host'],
  ['endpoint', 'https://169.254.169.254/latest', 'must be a public host'],
  ['endpoint', 'https://[::ffff:10.0.0.1]', 'must be a public host'],
  ['endpoint', 'https://user:canary-of-a-secret@s3.example.com', 'must not carry credentials'],
  ['region', 'a/b', 'must be a region such as us-east-1, or auto'],
  ['bucket', 'evil.example/x', 'must be 3 to 63 lowercase letters, digits, dots and hyphens'],
  ['accessKeyId', 'a b', 'must be printable characters without spaces, slashes, commas or equal signs'],
  ['pathPrefix', '../other', 'must not contain . or .. as a segment'],
])('a bucket with %s %s is refused before anybody is asked', async (path, value, message) => {
  const { apiKey } = await newCaller()
  const { status, body } = await ask('PUT', '/storage', { key: apiKey, body: { ...settings, [path]: value } })
  expect({ status, body }).toMatchObject({
    status: 400,
    body: { code: 'INVALID_REQUEST', details: [{ path, message }] },
  })
  expect(JSON.stringify(body)).not.toContain('canary')
})

test.each([
  ['an unknown field', { secret: 'x' }],
  ['no secret', { secretAccessKey: '' }],
  ['an unknown class', { storageClass: 'FREE' }],
])('a bucket with %s is refused', async (_, changes) => {
  const { apiKey } = await newCaller()
  const { status, body } = await ask('PUT', '/storage', { key: apiKey, body: { ...settings, ...changes } })
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' })
})

test.each(['PUT', 'GET', 'DELETE'])('%s /storage is for the owner of a live key', async (method) => {
  const caller = await newCaller()
  const body = method === 'PUT' ? settings : undefined
  expect((await ask(method, '/storage', { body })).status).toBe(401)
  await asOperator('DELETE', `/admin/accounts/${caller.accountId}/keys/${caller.keyId}`)
  expect((await ask(method, '/storage', { key: caller.apiKey, body })).status).toBe(401)
})

test("a new key takes over callers' secrets, which then open without the old one; what opens with none is named", async () => {
  const { accountId } = await newCaller()
  const current = await openSealer(env.SEAL_KEYS)
  const older = await openSealer(`k0:${keyOf(7)}`)
  const keep = async (record: string, sealed: string) =>
    putCredential(env.DB, accountId, { record, sealed, shown: '{}', updatedAt: 1 })
  const records = ['storage', 'provider/openai']
  for (const record of records) await keep(record, await current.seal(`the ${record} secret`, { accountId, record }))
  await keep('provider/deepgram', await older.seal('lost', { accountId, record: 'provider/deepgram' }))

  // Nothing to do under the key that sealed them.
  const idle = await asOperator('POST', '/admin/reseal')
  expect(idle.body.data).toEqual({
    checked: 3,
    resealed: 0,
    broken: [{ accountId, record: 'provider/deepgram' }],
    nextCursor: null,
  })

  const kept = env.SEAL_KEYS
  env.SEAL_KEYS = `k2:${keyOf(9)},${kept}`
  const rotated = await asOperator('POST', '/admin/reseal')
  env.SEAL_KEYS = kept
  expect(rotated.body.data).toMatchObject({ checked: 3, resealed: 2 })
  const alone = await openSealer(`k2:${keyOf(9)}`)
  for (const record of records) {
    const found = await findCredential(env.DB, accountId, record)
    expect(await alone.unseal(found?.sealed ?? '', { accountId, record })).toBe(`the ${record} secret`)
  }
  expect((await ask('POST', '/admin/reseal')).status).toBe(401)
})

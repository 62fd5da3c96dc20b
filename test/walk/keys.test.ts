import { expect, test } from 'vitest'
import { product } from '../support/product/product.ts'

const site = product()

test('a key does what its scopes allow, within its budget, until it is removed', async () => {
  const client = await site.newClient()
  const terms = { name: 'ci', scopes: ['read', 'import'], dollarsPerMonth: 0.001 }
  const { apiKey, keyId } = await client.post<{ apiKey: string; keyId: string }>('/keys', terms)
  const limited = site.clientWith(apiKey)
  expect((await limited.request('GET', '/account')).status).toBe(200)
  const url = site.media()
  expect(await limited.request('POST', '/transcribe', { url })).toMatchObject({
    status: 403,
    body: { code: 'SCOPE_MISSING' },
  })
  expect(await limited.request('POST', '/import', { url })).toMatchObject({
    status: 402,
    body: { code: 'KEY_BUDGET_EXCEEDED' },
  })
  expect((await client.request('DELETE', `/keys/${keyId}`)).status).toBe(204)
  expect((await limited.request('GET', '/account')).status).toBe(401)
  expect((await client.request('GET', '/account')).status).toBe(200)
})

import { expect, test } from 'vitest'
import { type Answer, data, drop, scriptedService } from './scripted-service.ts'

const service = scriptedService()
const made = { keyId: 'key_1', name: 'ci', apiKey: 'haul_secret' }
const removed: Answer = (response) => void response.writeHead(204).end()

test('a key is made of the fields that are given, and is resolved with itself', async () => {
  service.on('POST /keys', data(made, 201))
  const key = { name: 'ci', scopes: ['read'], dollarsPerMonth: 5, expiresAt: null } as const
  expect(await service.client().keys.create({ ...key, scopes: [...key.scopes] })).toEqual(made)
  const [request] = service.received()
  expect(JSON.parse(`${request?.body}`)).toEqual(key)
  expect(request?.headers['idempotency-key']).toBeUndefined()
})

test('the list is read again after a lost connection, and yields each key', async () => {
  service.on('GET /keys', drop, data({ keys: [{ keyId: 'key_1' }, { keyId: 'key_2' }] }))
  const seen = []
  for await (const { keyId } of service.client().keys.list()) seen.push(keyId)
  expect(seen).toEqual(['key_1', 'key_2'])
  expect(service.received()).toHaveLength(2)
})

test('a change is sent again after a lost connection, and null is part of it', async () => {
  service.on('PATCH /keys/key_1', drop, data({ keyId: 'key_1', dollarsPerMonth: null }))
  const changed = await service.client().keys.update('key_1', { dollarsPerMonth: null })
  expect(changed).toEqual({ keyId: 'key_1', dollarsPerMonth: null })
  expect(service.received().map(({ body }) => JSON.parse(`${body}`))).toEqual([
    { dollarsPerMonth: null },
    { dollarsPerMonth: null },
  ])
})

test('a removal resolves without data, also as a request without a method of its own', async () => {
  service.on('DELETE /keys/key_1', removed)
  await expect(service.client().keys.remove('key_1')).resolves.toBeUndefined()
  await expect(service.client().request('DELETE', '/keys/key_1')).resolves.toBeUndefined()
})

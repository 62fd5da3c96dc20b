import { expect, test } from 'vitest'
import { HaulApiError, HaulConnectionError } from '../../../client/src/index.ts'
import { type Answer, data, drop, refused, scriptedService } from './scripted-service.ts'

const service = scriptedService()
const made = { keyId: 'key_1', name: 'ci', apiKey: 'haul_secret' }
const removed: Answer = (response) => void response.writeHead(204).end()
const cut: Answer = (response) => {
  response.writeHead(201, { 'content-length': 100 })
  response.write('{"success":true,', () => response.socket?.end())
}

test('a key is made of the fields that are given, and is resolved with itself', async () => {
  service.on('POST /keys', data(made, 201))
  const key = { name: 'ci', scopes: ['read'], dollarsPerMonth: 5, expiresAt: null } as const
  expect(await service.client().keys.create({ ...key, scopes: [...key.scopes] })).toEqual(made)
  const [request] = service.received()
  expect(JSON.parse(`${request?.body}`)).toEqual(key)
  expect(request?.headers['idempotency-key']).toBeUndefined()
})

test.each([
  ['a lost connection', drop, HaulConnectionError],
  ['a response that is cut off', cut, HaulConnectionError],
  ['an internal error', refused(500, 'INTERNAL_ERROR'), HaulApiError],
  ['an interruption', refused(503, 'SERVICE_UNAVAILABLE', {}, { 'retry-after': '0' }), HaulApiError],
])('after %s no second key is made, because the first may be there', async (_, answer, error) => {
  service.on('POST /keys', answer, data(made, 201))
  await expect(service.client().keys.create({ name: 'ci' })).rejects.toBeInstanceOf(error)
  expect(service.received()).toHaveLength(1)
})

test.each([
  ['a rate limit', refused(429, 'RATE_LIMITED', { retryAfter: 0 })],
  ['a busy service', refused(503, 'SERVICE_BUSY', {}, { 'retry-after': '0' })],
])('after %s, where nothing has happened, the key is made', async (_, answer) => {
  service.on('POST /keys', answer, data(made, 201))
  expect(await service.client().keys.create({ name: 'ci' })).toEqual(made)
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

test('the last full key is refused with its code', async () => {
  service.on('DELETE /keys/key_1', refused(409, 'LAST_KEY'))
  await expect(service.client().keys.remove('key_1')).rejects.toMatchObject({ status: 409, code: 'LAST_KEY' })
})

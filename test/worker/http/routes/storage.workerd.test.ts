import { expect, test } from 'vitest'
import { asOperator, callApi, newCaller } from '../../support/caller.ts'

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
])('a bucket with %s %s is refused without a request to it', async (path, value, message) => {
  const { apiKey } = await newCaller()
  const { status, body } = await callApi('PUT', '/storage', { key: apiKey, body: { ...settings, [path]: value } })
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
  const { status, body } = await callApi('PUT', '/storage', { key: apiKey, body: { ...settings, ...changes } })
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'INVALID_REQUEST' })
})

test.each(['PUT', 'GET', 'DELETE'])('%s /storage requires a live key', async (method) => {
  const caller = await newCaller()
  const body = method === 'PUT' ? settings : undefined
  expect((await callApi(method, '/storage', { body })).status).toBe(401)
  await asOperator('DELETE', `/admin/accounts/${caller.accountId}/keys/${caller.keyId}`)
  expect((await callApi(method, '/storage', { key: caller.apiKey, body })).status).toBe(401)
})

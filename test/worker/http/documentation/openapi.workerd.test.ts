import { expect, test } from 'vitest'
import { failures } from '../../../../domain/codes/failures.ts'
import { refusals } from '../../../../domain/codes/refusals.ts'
import { callApi, completed, newCaller, ORIGIN } from '../../support/caller.ts'
import { document, headers, isOperators, operations } from '../../support/documented-operations.ts'

const caller = await newCaller()
const jobId = await completed(caller)
const { body: startedBatch } = await caller.post('/batches', { urls: ['https://media.example/film.mp4'], import: {} })
const { batchId } = startedBatch.data
const fill = (path: string): string =>
  path
    .replace('{jobId}', jobId)
    .replace('{filename}', 'film.mp4')
    .replace('{keyId}', 'key_none')
    .replace('{id}', path.startsWith('/admin') ? caller.accountId : jobId)

test('the document is public, follows OpenAPI 3.1 and has a version', () => {
  expect(headers.get('content-type')).toBe('application/json')
  expect(document.openapi).toBe('3.1.0')
  expect(document.info.version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(document.servers).toEqual([{ url: ORIGIN }])
})

test('the document is valid', async () => {
  const response = await fetch('https://validator.example/', { method: 'POST', body: JSON.stringify(document) })
  expect(await response.json()).toEqual({ valid: true })
  const { info: _, ...broken } = document
  const refused = await fetch('https://validator.example/', { method: 'POST', body: JSON.stringify(broken) })
  expect(await refused.json()).toMatchObject({ valid: false })
})

test('each operation has an id of its own, which names the method of a generated client', () => {
  const ids = operations.map(([, , { operationId }]) => operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+$/)
})

test('every operation needs a key, but these', () => {
  const open = operations.filter(([, , { security }]) => security.length === 0)
  expect(open.map(([method, path]) => `${method} ${path}`)).toEqual([
    'GET /media/{jobId}/{filename}',
    'GET /files/{jobId}/{filename}',
    'GET /health',
  ])
})

test.each(operations)('%s %s is there, and requires the documented key', async (method, path, operation) => {
  const token = isOperators(operation) ? 'admin-token' : caller.apiKey
  const body = operation.requestBody ? {} : undefined
  const response = await callApi(method, fill(path), { key: token, body })
  expect(response.body.error).not.toBe(refusals.NOT_FOUND.message)

  const withoutKey = await callApi(method, fill(path), { body })
  expect(withoutKey.status === 401).toBe(operation.security.length > 0)
  expect('401' in operation.responses).toBe(operation.security.length > 0)
  const ofBody = isOperators(operation) ? ['400', '413', '415'] : ['400', '413', '415', '429']
  if (body) expect(Object.keys(operation.responses)).toEqual(expect.arrayContaining(ofBody))
})

interface Schema {
  $ref?: string
  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  additionalProperties?: unknown
}

/** A schema with its references, parts and variants. */
const parts = (schema: Schema): Schema[] => {
  const named = schema.$ref && document.components.schemas[schema.$ref.split('/').at(-1) ?? '']
  const inner = [...(named ? [named] : []), ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  return [schema, ...inner.flatMap(parts)]
}

/** Names of the fields of a response that the document does not have. */
const undocumented = (schemas: Schema[], value: unknown, place = ''): string[] => {
  const known = schemas.flatMap(parts)
  if (Array.isArray(value)) {
    const items = known.flatMap(({ items }) => items ?? [])
    return value.flatMap((item) => undocumented(items, item, `${place}[]`))
  }
  if (typeof value !== 'object' || value === null || known.some((schema) => schema.additionalProperties)) return []
  return Object.entries(value).flatMap(([name, inner]) => {
    const found = known.flatMap(({ properties }) => properties?.[name] ?? [])
    return found.length > 0 ? undocumented(found, inner, `${place}.${name}`) : [`${place}.${name}`]
  })
}

const answers: [string, string, string][] = [
  ['/account', '/account', 'GET'],
  ['/account/ledger', '/account/ledger', 'GET'],
  ['/import/status', `/import/status?id=${jobId}`, 'GET'],
  ['/jobs', '/jobs', 'GET'],
  ['/jobs/{id}', `/jobs/${jobId}`, 'GET'],
  ['/metadata', '/metadata?url=https://media.example/film.mp4', 'GET'],
  ['/webhooks/secret', '/webhooks/secret', 'GET'],
  ['/webhooks/deliveries', '/webhooks/deliveries', 'GET'],
  ['/batches', '/batches', 'GET'],
  ['/batches/{id}', `/batches/${batchId}`, 'GET'],
  ['/batches/{id}/items', `/batches/${batchId}/items`, 'GET'],
  ['/health', '/health', 'GET'],
  ['/jobs/{id}', `/jobs/${jobId}`, 'DELETE'],
]

test.each(answers)('all fields that %s returns are documented (%s)', async (route, path, method) => {
  const response = await callApi(method, path, { key: caller.apiKey })
  const { schema } = document.paths[route][method.toLowerCase()].responses[200].content['application/json']
  expect(response.status).toBe(200)
  expect(undocumented([schema], response.body)).toEqual([])
})

test('an undocumented field is found', () => {
  const { schema } = document.paths['/jobs/{id}'].get.responses[200].content['application/json']
  expect(undocumented([schema], { success: true, data: { jobId, result: { secret: 1 } }, more: 1 })).toEqual([
    '.data.result.secret',
    '.more',
  ])
})

test('/health requires no key and returns nothing but the status and versions of yt-dlp', async () => {
  const { status: healthy, body } = await callApi('GET', '/health')
  const extractorVersions = expect.any(Array)
  expect([healthy, body]).toEqual([200, { success: true, data: { status: 'ok', extractorVersions } }])
})

test('/llms.txt lists the endpoints', async () => {
  const { status: found, headers: sentHeaders, body } = await callApi('GET', '/llms.txt')
  expect([found, sentHeaders.get('content-type')?.replace(' ', '')]).toEqual([200, 'text/plain;charset=UTF-8'])
  for (const part of [
    '/import',
    '/import/status',
    '/metadata',
    '/batches',
    '/uploads',
    'importId',
    '/openapi.json',
    'Authorization: Bearer',
  ]) {
    expect(body).toContain(part)
  }
})

test('the document explains every code and describes webhook events', () => {
  for (const code of [...Object.keys(refusals), ...Object.keys(failures)])
    expect(document.info.description).toContain(`- \`${code}\``)
  expect(Object.keys(document.webhooks)).toEqual([
    'import.completed',
    'import.failed',
    'transcription.completed',
    'transcription.failed',
    'batch.completed',
    'batch.failed',
    'batch.canceled',
    'watch.item',
    'watch.failing',
    'watch.paused',
    'watch.resumed',
    'webhook.test',
  ])
  expect(document.webhooks['import.completed']).toMatchObject({
    post: { requestBody: { content: { 'application/json': { schema: { properties: { type: {}, data: {} } } } } } },
  })
})

import { expect, test } from 'vitest'
import { failures } from '../../../worker/domain/codes/failures.ts'
import { refusals } from '../../../worker/domain/codes/refusals.ts'
import { ask, completed, newCaller, ORIGIN } from './caller.ts'

interface Operation {
  security?: Record<string, string[]>[]
  responses: Record<string, unknown>
  requestBody?: object
}

const { status, headers, body: document } = await ask('GET', '/openapi.json')
const operations = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
)
const named = operations.map(({ method, path, operation }) => [method, path, operation] as const)

const caller = await newCaller()
const jobId = await completed(caller)
const fill = (path: string): string =>
  path
    .replace('{jobId}', jobId)
    .replace('{filename}', 'film.mp4')
    .replace('{keyId}', 'key_none')
    .replace('{id}', path.startsWith('/admin') ? caller.accountId : jobId)

test('the document is there for everybody, of OpenAPI 3.1 and with a version of its own', () => {
  expect([status, headers.get('content-type')]).toEqual([200, 'application/json'])
  expect(document.openapi).toBe('3.1.0')
  expect(document.info.version).toMatch(/^\d+\.\d+\.\d+$/)
  expect(document.servers).toEqual([{ url: ORIGIN }])
})

test('the document is valid', async () => {
  const answered = await fetch('https://validator.example/', { method: 'POST', body: JSON.stringify(document) })
  expect(await answered.json()).toEqual({ valid: true })
  const { info: _, ...broken } = document
  const refused = await fetch('https://validator.example/', { method: 'POST', body: JSON.stringify(broken) })
  expect(await refused.json()).toMatchObject({ valid: false })
})

test.each([...Object.keys(refusals), ...Object.keys(failures)])('the document explains the code %s', (code) => {
  expect(document.info.description).toContain(`- \`${code}\``)
})

test.each(named)('%s %s answers as documented, and is guarded as documented', async (method, path, operation) => {
  const token = operation.security?.[0] && 'adminToken' in operation.security[0] ? 'admin-token' : caller.apiKey
  const body = operation.requestBody ? {} : undefined
  const answered = await ask(method, fill(path), { key: token, body })
  expect(Object.keys(operation.responses)).toContain(`${answered.status}`)
  expect(answered.body.error).not.toBe('There is nothing at this address.')

  const stranger = await ask(method, fill(path), { body })
  if (operation.security) expect(stranger.status).toBe(401)
  else expect(stranger.status).not.toBe(401)
  if (operation.security) expect(Object.keys(operation.responses)).toContain('401')
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

/** A schema with all that it is made of, whichever of several it may be. */
const parts = (schema: Schema): Schema[] => {
  const named = schema.$ref && document.components.schemas[schema.$ref.split('/').at(-1) ?? '']
  const inner = [...(named ? [named] : []), ...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]
  return [schema, ...inner.flatMap(parts)]
}

/** Names of fields in an answer of which the document says nothing. */
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
  ['/health', '/health', 'GET'],
  ['/jobs/{id}', `/jobs/${jobId}`, 'DELETE'],
]

test.each(answers)('all that %s answers is in the document (%s)', async (route, path, method) => {
  const answered = await ask(method, path, { key: caller.apiKey })
  const { schema } = document.paths[route][method.toLowerCase()].responses[200].content['application/json']
  expect(answered.status).toBe(200)
  expect(undocumented([schema], answered.body)).toEqual([])
})

test('a field that the document lacks is found', () => {
  const { schema } = document.paths['/jobs/{id}'].get.responses[200].content['application/json']
  expect(undocumented([schema], { success: true, data: { jobId, result: { secret: 1 } }, more: 1 })).toEqual([
    '.data.result.secret',
    '.more',
  ])
})

test.each(named.filter(([, , { requestBody }]) => requestBody))(
  '%s %s documents all that may be wrong with a body',
  (_, __, { responses, security }) => {
    const isOperators = security?.[0] && 'adminToken' in security[0]
    const expected = isOperators ? ['400', '413', '415'] : ['400', '413', '415', '429']
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(expected))
  },
)

test('the health of the API is told without a key, and nothing else with it', async () => {
  const { status: healthy, body } = await ask('GET', '/health')
  expect([healthy, body]).toEqual([200, { success: true, data: { status: 'ok' } }])
})

test('the reference says whose headers ride on what, and that files of the console are no answers', async () => {
  const { body } = await ask('GET', '/docs')
  expect(body).toContain('are no answers of the API: they count in no window and carry none of its headers')
})

test('language models find the way in a few lines', async () => {
  const { status: found, headers: told, body } = await ask('GET', '/llms.txt')
  expect([found, told.get('content-type')?.replace(' ', '')]).toEqual([200, 'text/plain;charset=UTF-8'])
  for (const part of ['/import', '/import/status', '/metadata', '/openapi.json', 'Authorization: Bearer']) {
    expect(body).toContain(part)
  }
})

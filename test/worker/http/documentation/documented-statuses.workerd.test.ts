import { expect, test } from 'vitest'
import { callApi, completed, FILM, newCaller } from '../../support/caller.ts'
import { isOperators, type Operation, operations, type Parameter } from '../../support/documented-operations.ts'

const caller = await newCaller()
const jobId = await completed(caller)

/** Values that are never a valid id, cursor or number. */
const malformed = ['x', 'x'.repeat(300), "x' OR 1=1 --", '\0', '-1']

const validValue = (path: string, { name, schema }: Parameter): string => {
  if (name === 'url') return FILM
  if (name === 'filename') return 'film.mp4'
  if (name === 'id' && path.startsWith('/admin')) return caller.accountId
  return schema.enum?.[0] ?? jobId
}

type Values = Record<string, string>

const addressOf = (path: string, parameters: Parameter[], values: Values): string => {
  const query = new URLSearchParams()
  let filled = path
  for (const { name, in: place } of parameters) {
    const value = values[name]
    if (place === 'path') filled = filled.replace(`{${name}}`, encodeURIComponent(value ?? ''))
    if (place === 'query' && value !== undefined) query.set(name, value)
  }
  return `${filled}?${query}`
}

const requiredOf = (path: string, parameters: Parameter[]): Values =>
  Object.fromEntries(parameters.filter(({ required }) => required).map((each) => [each.name, validValue(path, each)]))

/** A valid request, then one without each parameter and one with each invalid value. */
const addressesOf = (path: string, { parameters = [] }: Operation): string[] => {
  const required = requiredOf(path, parameters)
  const without = (name: string) => Object.fromEntries(Object.entries(required).filter(([key]) => key !== name))
  const variants = parameters.flatMap(({ name, in: place }) => [
    ...(place === 'query' ? [without(name), { ...required, [name]: '' }] : []),
    ...malformed.map((value) => ({ ...required, [name]: value })),
  ])
  return [required, ...variants].map((values) => addressOf(path, parameters, values))
}

/** With no fields. */
const emptyBody = ({ requestBody }: Operation) => {
  if (!requestBody) return {}
  if (!('multipart/form-data' in requestBody.content)) return { body: {} }
  return { body: '--b--\r\n', headers: { 'content-type': 'multipart/form-data; boundary=b' } }
}

test.each(operations)(
  '%s %s responds only with documented statuses, and with 400 if it is documented',
  async (method, path, operation) => {
    const key = isOperators(operation) ? 'admin-token' : caller.apiKey
    const given = new Set<string>()
    const send = async (address: string, headers: Values = {}) => {
      const empty = emptyBody(operation)
      const { status } = await callApi(method, address, { key, ...empty, headers: { ...empty.headers, ...headers } })
      given.add(`${status}`)
    }
    const addresses = addressesOf(path, operation)
    for (const address of addresses) await send(address)
    for (const { name, in: place } of operation.parameters ?? []) {
      if (place === 'header') await send(addresses[0] ?? '', { [name]: 'x'.repeat(300) })
    }
    const documented = Object.keys(operation.responses)
    expect(documented).toEqual(expect.arrayContaining([...given]))
    expect(given.has('400')).toBe(documented.includes('400'))
  },
)

const withId = operations.flatMap(([method, path, operation]) =>
  (operation.parameters ?? [])
    .filter(({ name }) => name === 'id' || name === 'keyId')
    .map(({ name }) => [method, path, name, operation] as const),
)

/** Valid ones, where there is a body. */
const bodies: Record<string, object> = {
  'PATCH /admin/accounts/{id}': { suspended: false },
  'PATCH /keys/{id}': { name: 'x' },
  'PATCH /watches/{id}': { paused: true },
  'POST /uploads/{id}/complete': { parts: [] },
}

test.each(withId)('%s %s responds with 404 to a malformed %s', async (method, path, name, operation) => {
  const { parameters = [], requestBody } = operation
  const key = isOperators(operation) ? 'admin-token' : caller.apiKey
  const body = requestBody && (bodies[`${method} ${path}`] ?? { amountDollars: 1, reference: 'x' })
  for (const value of malformed) {
    const address = addressOf(path, parameters, { ...requiredOf(path, parameters), [name]: value })
    const { status, body: response } = await callApi(method, address, { key, body })
    expect([status, response.code]).toEqual([404, expect.stringMatching(/^(?:JOB_)?NOT_FOUND$/)])
  }
})

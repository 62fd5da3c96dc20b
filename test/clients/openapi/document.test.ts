import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { product } from '../../support/product/product.ts'

/** What generators of clients need of both documents. The clients themselves are made in generators.test.ts. */
const site = product()
const runFile = promisify(execFile)

type Node = Record<string, unknown>
interface Operation extends Node {
  operationId?: string
  tags?: string[]
  summary?: string
  description?: string
  security?: object[]
}
interface Document {
  openapi: string
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, Operation>>
  webhooks?: Record<string, Record<string, Operation>>
}

/** Every object in a document, with its place. Names of fields are skipped, so that a field may be called `not`. */
const schemasIn = (value: unknown, place = ''): [string, Node][] => {
  if (typeof value !== 'object' || value === null) return []
  const inner = Object.entries(value).flatMap(([name, each]) => schemasIn(each, `${place}/${name}`))
  return Array.isArray(value) || place.endsWith('/properties') ? inner : [[place, value as Node], ...inner]
}

const unreadable = ['discriminator', 'not', 'const', 'dependentRequired', 'dependentSchemas', 'if']
const bodies = ['ImportRequest', 'TranscribeRequest', 'BatchRequest', 'ImportOptions', 'TranscribeOptions']

describe.each(['/openapi.json', '/openapi-3.0.json'])('%s', (path) => {
  const read = async (): Promise<Document> => (await fetch(`${site.haul.baseUrl}${path}`)).json()
  const operationsOf = ({ paths, webhooks = {} }: Document) =>
    [...Object.values(paths), ...Object.values(webhooks)].flatMap((methods) => Object.values(methods))

  test('every operation has an id of its own, one declared tag, a summary, a description and its security', async () => {
    const document = await read()
    const operations = operationsOf(document)
    expect(operations.length).toBeGreaterThan(50)
    for (const { operationId, tags, summary, description, security } of operations) {
      expect.soft({ operationId, tags, summary, description, security }).toEqual({
        operationId: expect.stringMatching(/^[a-z][A-Za-z]+$/),
        tags: [expect.any(String)],
        summary: expect.any(String),
        description: expect.any(String),
        security: expect.any(Array),
      })
    }
    expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
    const used = new Set(operations.flatMap(({ tags }) => tags))
    const declared = document.tags.map(({ name }) => name)
    if (document.webhooks) expect(new Set(declared)).toEqual(used)
    else expect(declared).toEqual(expect.arrayContaining([...used]))
    for (const { description } of document.tags) expect(description).toMatch(/\.$/)
  })

  test('no schema has a discriminator, an enum of booleans, or rules about fields of a body', async () => {
    const document = await read()
    const wrong = schemasIn(document).filter(([place, schema]) => {
      const values = Array.isArray(schema.enum) ? schema.enum : []
      const isBody = bodies.some((name) => place === `/components/schemas/${name}`)
      const refused = [...unreadable, ...(isBody ? ['oneOf', 'anyOf', 'allOf'] : [])]
      return values.some((value) => typeof value === 'boolean') || refused.some((name) => name in schema)
    })
    expect(wrong).toEqual([])
  })

  test('the linter of Redocly finds no errors, and only warnings that are known', async () => {
    const document = join(site.folder, path.slice(1))
    await writeFile(document, JSON.stringify(await read()))
    const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true' }
    const options = ['lint', document, '--extends=recommended', '--format=json']
    const { stdout } = await runFile('node_modules/.bin/redocly', options, { env })
    const { totals, problems } = JSON.parse(stdout)
    expect(totals.errors).toBe(0)
    const known = [
      'no-server-example.com',
      // GET /health is never refused.
      'operation-4xx-response',
      // `exclusiveMinimum: 0` beside `minimum: 0`, of what an operator credits.
      'no-mixed-number-range-constraints',
      // null, which 3.0 has no schema for, of the prices of an account, and of what a watch makes.
      'no-illogical-composition-keywords',
    ]
    for (const { ruleId } of problems) expect(known).toContain(ruleId)
    expect(totals.warnings).toBeLessThanOrEqual(5)
  })
})

test('only the document of OpenAPI 3.1 has webhooks', async () => {
  const [current, earlier] = await Promise.all(
    ['/openapi.json', '/openapi-3.0.json'].map(async (path) => (await fetch(`${site.haul.baseUrl}${path}`)).json()),
  )
  expect([current.openapi, earlier.openapi]).toEqual(['3.1.0', '3.0.3'])
  expect([Object.keys(current.webhooks).length, 'webhooks' in earlier]).toEqual([12, false])
  expect(Object.keys(earlier.paths)).toEqual(Object.keys(current.paths))
})

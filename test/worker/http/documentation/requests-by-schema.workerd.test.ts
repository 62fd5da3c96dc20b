import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonSchema, valuesOf } from '../../../support/json-schema-values.ts'
import { asOperator, type Caller, callApi, FILM, newCaller } from '../../support/caller.ts'
import { runs } from '../../support/runs.ts'
import { schemaChecks } from '../../support/schema-checks.ts'
import { rulesInWords } from './rules-in-words.ts'

interface Parameter {
  name: string
  in: string
  required?: boolean
  schema: JsonSchema
}

interface Operation {
  security?: Record<string, string[]>[]
  parameters?: Parameter[]
  /** Of forms, test/worker/http/openai has the tests. */
  requestBody?: { content: { 'application/json'?: { schema: JsonSchema } } }
}

const { body: document } = await callApi('GET', '/openapi.json')
for (const [name, rules] of Object.entries(rulesInWords)) Object.assign(document.components.schemas[name], rules)

const resolve = (ref: string): JsonSchema => document.components.schemas[ref.split('/').at(-1) ?? '']

interface Route {
  method: string
  path: string
  query: Parameter[]
  body: JsonSchema | undefined
  isOperators: boolean
}

const routes: Route[] = Object.entries<Record<string, Operation>>(document.paths).flatMap(([path, operations]) =>
  Object.entries(operations).map(([method, { parameters = [], requestBody, security = [] }]) => ({
    method: method.toUpperCase(),
    path,
    query: parameters.filter((parameter) => parameter.in === 'query'),
    body: requestBody?.content['application/json']?.schema,
    isOperators: security.some((scheme) => 'adminToken' in scheme),
  })),
)

const withInput = routes
  .filter(({ query, body }) => query.length > 0 || body)
  .map((route) => [route.method, route.path, route] as const)

const recordOf = (parameters: Parameter[]) =>
  fc.record(Object.fromEntries(parameters.map(({ name, schema }) => [name, valuesOf(schema, resolve)])), {
    requiredKeys: parameters.filter(({ required }) => required).map(({ name }) => name) as never[],
  })

const send = async (caller: Caller, route: Route, query: object, body: unknown) => {
  const values = new URLSearchParams(
    Object.entries(query).flatMap(([name, value]) =>
      // The properties of an exploded object are parameters of their own.
      value !== null && typeof value === 'object' ? Object.entries<string>(value) : [[name, String(value)]],
    ),
  )
  const id = route.isOperators ? caller.accountId : 'evt_none'
  const path = route.path.replace(/\{\w+\}/g, id)
  return callApi(route.method, `${path}?${values}`, { key: route.isOperators ? 'admin-token' : caller.apiKey, body })
}

/** JSON Schema can compare a field neither with another one nor with the time. */
const comparisons = [
  'must be after the start',
  'must be at least a millisecond after the start',
  'must not be less than min',
  'must be in the future',
]

/** An account may send 240 requests an hour of some routes. */
const UNLIMITED = { limits: { requestsPerHour: { import: 100_000, transcribe: 100_000 } } }

test.each(withInput)(
  '%s %s accepts every request that its schema allows',
  async (_, __, route) => {
    const caller = await newCaller()
    await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, UNLIMITED)
    const inputs = fc.tuple(recordOf(route.query), route.body ? valuesOf(route.body, resolve) : fc.constant(undefined))
    await fc.assert(
      fc.asyncProperty(inputs, async ([query, body]) => {
        const response = await send(caller, route, query, body)
        // Other refusals, such as OPTION_UNSUPPORTED, depend on more than the schema.
        if (response.body.code !== 'INVALID_REQUEST') return
        const details = response.body.details as { message: string }[]
        expect(details.filter(({ message }) => !comparisons.includes(message))).toEqual([])
        expect(details).not.toEqual([])
      }),
      { numRuns: runs(10) },
    )
  },
  1_200_000,
)

const storage = {
  endpoint: 'https://s3.example.com',
  region: 'auto',
  bucket: 'media',
  accessKeyId: 'a',
  secretAccessKey: 's',
}
const key = { url: FILM, provider: 'provider_a', apiKey: 'k' }
const anId = '01hzzzzzzzzzzzzzzzzzzzzzzz'

/** With the changed field at the end. */
const storageWith = (name: keyof typeof storage | 'pathPrefix', value: string): [string, string, object] => {
  const { [name as 'bucket']: _, ...others } = storage
  return ['PUT', '/storage', { ...others, [name]: value }]
}

/** Each is refused because of its last field, or of the one that it does not have. */
const refusedBodies: [method: string, path: string, body: object, missing?: string][] = [
  ['POST', '/import', { url: 'media.example/film.mp4' }],
  ['POST', '/import', { url: 'ftp://media.example/film.mp4' }],
  ['POST', '/import', { url: 'file:///etc/passwd' }],
  ['POST', '/import', { url: 'data:video/mp4;base64,AAAA' }],
  ['POST', '/import', { url: 'javascript:alert(1)' }],
  ['POST', '/import', { url: 'https:media.example' }],
  ['POST', '/import', { url: 'https://' }],
  ['POST', '/import', { url: 'https://me@media.example/' }],
  ['POST', '/import', { url: 'https:///media.example' }],
  ['POST', '/import', { url: 'https:\\\\media.example' }],
  ['POST', '/import', { url: 'https://media.exa\nmple/' }],
  ['POST', '/import', { url: 'https://me:secret@media.example/' }],
  ['POST', '/import', { url: `${FILM}?${'x'.repeat(4_096)}` }],
  ['POST', '/import', { url: FILM, storeagePath: 'films' }],
  ['POST', '/import', { url: FILM, provider: 'builtin' }],
  ['POST', '/import', JSON.parse('{"url":"https://media.example/","__proto__":{"store":true}}')],
  ['POST', '/import', { url: FILM, includeVideo: 'false' }],
  ['POST', '/import', { url: FILM, videoQuality: '1081p' }],
  ['POST', '/import', { url: FILM, storageClass: 'COLD' }],
  ['POST', '/import', { url: FILM, includeVideo: false, includeAudio: false }],
  ['POST', '/import', { url: FILM, storagePath: '../other' }],
  ['POST', '/import', { url: FILM, storagePath: 'a/./b' }],
  ['POST', '/import', { url: FILM, storagePath: 'a//b' }],
  ['POST', '/import', { url: FILM, storagePath: 'a\\b' }],
  ['POST', '/import', { url: FILM, storagePath: 'a\u0085b' }],
  ['POST', '/import', { url: FILM, storagePath: 'x'.repeat(600) }],
  ['POST', '/import', { url: FILM, storageFilename: 'a/b' }],
  ['POST', '/import', { url: FILM, storageFilename: ' \u3000' }],
  ['POST', '/import', { url: FILM, storageFilename: 'x'.repeat(241) }],
  ['POST', '/import', { url: FILM, storageBucket: 'My Bucket' }],
  ['POST', '/import', { url: FILM, webhookUrl: 'receiver' }],
  ['POST', '/import', { url: FILM, clip: {} }],
  ...['1:75', '1:60:00', '-5', '5', '1:2', '1:02:03.1234', '', '1:02:03:04', '１:02'].map(
    (start): [string, string, object] => ['POST', '/import', { url: FILM, clip: { start } }],
  ),
  ['POST', '/import', { url: FILM, clip: { start: -1 } }],
  ['POST', '/import', { url: FILM, clip: { begin: 1 } }],
  ...[
    [],
    'episode=42',
    { 'an episode': '' },
    { '': '' },
    { ['k'.repeat(41)]: '' },
    { a: 42 },
    { a: 'v'.repeat(501) },
  ].map((metadata): [string, string, object] => ['POST', '/import', { url: FILM, metadata }]),
  ['POST', '/import', { url: FILM, metadata: Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, ''])) }],
  ['POST', '/import', { url: FILM, metadata: JSON.parse('{"__proto__": "lost"}') }],
  ['POST', '/import', { url: FILM, audioFormat: 'mp3' }],
  ['POST', '/import', { url: FILM, includeVideo: false, audioFormat: 'flac' }],
  ['POST', '/import', { url: FILM, reuseWithinSeconds: 604_801 }],
  ['POST', '/import', { url: FILM, reuseWithinSeconds: -1 }],
  ['POST', '/transcribe', {}, 'url'],
  ['POST', '/transcribe', { importId: `imp_${anId}`, url: FILM }],
  ['POST', '/transcribe', { importId: '' }],
  ['POST', '/transcribe', { url: FILM, metadata: null }],
  ['POST', '/transcribe', { url: FILM, speakers: 2 }],
  ['POST', '/transcribe', { url: FILM, speakers: { min: 0 } }],
  ['POST', '/transcribe', { url: FILM, words: 'true' }],
  ['POST', '/batches', {}, 'urls'],
  ['POST', '/batches', { urls: [FILM] }, 'import'],
  ['POST', '/batches', { import: {} }, 'urls'],
  ['POST', '/batches', { import: {}, urls: [] }],
  ['POST', '/batches', { urls: [FILM], transcribe: {}, import: {} }],
  ['POST', '/batches', { playlistUrl: FILM, import: {}, urls: [FILM] }],
  ['POST', '/batches', { urls: [FILM], import: {}, limit: 5 }],
  ['POST', '/batches', { playlistUrl: FILM, import: {}, limit: 0 }],
  ['POST', '/batches', { playlistUrl: FILM, import: {}, limit: 501 }],
  ['POST', '/batches', { import: {}, urls: Array.from({ length: 501 }, (_, index) => `${FILM}?${index}`) }],
  ['POST', '/batches', { import: {}, urls: [FILM, 'ftp://media.example/'] }],
  ['POST', '/batches', { urls: [FILM], import: { url: FILM } }],
  ['POST', '/batches', { urls: [FILM], import: { includeVideo: false, includeAudio: false } }],
  ['POST', '/batches', { urls: [FILM], transcribe: { importId: `imp_${anId}` } }],
  ['POST', '/batches', { urls: [FILM], transcribe: { apiKey: 'k' } }],
  ['POST', '/batches', { urls: [FILM], import: {}, maxCostDollars: 0 }],
  ['POST', '/batches', { urls: [FILM], import: {}, metadata: { 'a b': '' } }],
  ['POST', '/batches', { urls: [FILM], import: { metadata: {} } }],
  ['POST', '/batches', { urls: [FILM], transcribe: { metadata: {} } }],
  ['POST', '/batches', { urls: [FILM], import: {}, webhookUrl: 'receiver' }],
  ...['ab', 'x'.repeat(64), 'Media', 'a/b', '.evil', 'evil.', '-evil', 'a..b', '127.0.0.1', 'büro'].map((bucket) =>
    storageWith('bucket', bucket),
  ),
  ...['', 'a/b', 'a,b', 'a=b', 'a b', 'a\r\nb', 'ü', 'x'.repeat(257)].map((id) => storageWith('accessKeyId', id)),
  ...['', 'us/east', 'us-east-1\r\n', 'x'.repeat(65)].map((region) => storageWith('region', region)),
  storageWith('endpoint', 's3.example.com'),
  storageWith('endpoint', 'https://user:pass@s3.example.com'),
  storageWith('endpoint', 'https://s3.example.com?x=1'),
  storageWith('pathPrefix', 'a/../b'),
  storageWith('secretAccessKey', ''),
  ['POST', '/transcribe', { url: FILM, apiKey: 'k' }],
  ['POST', '/transcribe', { url: FILM, provider: 'builtin', apiKey: 'k' }],
  ['POST', '/transcribe', { url: FILM, providerOptions: {} }],
  ['POST', '/transcribe', { url: FILM, provider: 'builtin', providerOptions: { a: 1 } }],
  ['POST', '/transcribe', { ...key, apiKey: 'a b' }],
  ['POST', '/transcribe', { ...key, apiKey: '' }],
  ['POST', '/transcribe', { ...key, providerOptions: { ['x'.repeat(201)]: 1 } }],
  ['POST', '/transcribe', { url: FILM, language: 'English, please' }],
  ['POST', '/transcribe', { url: FILM, maxCostDollars: 0 }],
  ['POST', '/transcription-provider', { apiKey: 'k', provider: 'builtin' }],
  ...['', ' \u00a0', 'a\nb', 'a\u0085', 'x'.repeat(256)].map((filename): [string, string, object] => [
    'POST',
    '/uploads',
    { sizeBytes: 1, filename },
  ]),
  ['POST', '/keys', {}, 'name'],
  ['POST', '/keys', { name: 'x', scopes: ['admin'] }],
  ['POST', '/keys', { name: 'x', scopes: [] }],
  ['POST', '/keys', { name: 'x', dollarsPerMonth: -1 }],
  ...['*', 'http://app.example', 'https://app.example/', 'null'].map((origin): [string, string, object] => [
    'POST',
    '/keys',
    { name: 'x', allowedOrigins: [origin] },
  ]),
  ['POST', '/keys', { name: 'x', allowedOrigins: Array.from({ length: 11 }, (_, i) => `https://${i}.example`) }],
  ['POST', '/keys', { name: 'x', scope: ['read'] }],
  ['POST', '/admin/accounts', { name: '' }],
  ['POST', '/admin/accounts', { name: 'x'.repeat(201) }],
  ['POST', '/admin/accounts', { name: 'x', creditDollars: '10' }],
  ['POST', '/admin/accounts', { name: 'x', creditDollars: 1_000_001 }],
  ['POST', '/admin/accounts', { name: 'x', creditsDollars: 1 }],
  ['POST', '/admin/accounts', { name: ' \t\u00a0' }],
  ['POST', '/admin/accounts', { name: 'x', creditDollars: 0.000_000_1 }],
  ['POST', '/admin/accounts', { name: 'x', creditDollars: 1.234_567_8 }],
  ['POST', '/admin/accounts', { name: 'x', creditDollars: -1 }],
  ['PATCH', '/admin/accounts/{id}', {}],
  ['PATCH', '/admin/accounts/{id}', { suspend: true }],
  ['PATCH', '/admin/accounts/{id}', { suspended: 'true' }],
  ['PATCH', '/admin/accounts/{id}', { name: ' ' }],
  ['PATCH', '/admin/accounts/{id}', { limits: {} }],
  ['PATCH', '/admin/accounts/{id}', { limits: { concurrentJobs: {} } }],
  ['PATCH', '/admin/accounts/{id}', { limits: { maxMediaBytes: 1 } }],
  ['PATCH', '/admin/accounts/{id}', { limits: { requestsPerHour: { import: 0 } } }],
  ['PATCH', '/admin/accounts/{id}', { limits: { requestsPerHour: { import: 1.5 } } }],
  ['PATCH', '/admin/accounts/{id}', { limits: { requestsPerHour: { import: 1_000_001 } } }],
  ['PATCH', '/admin/accounts/{id}', { limits: { requestsPerHour: { imports: 1 } } }],
  ['PATCH', '/admin/accounts/{id}', { limits: { concurrentJobs: { import: 101 } } }],
  ['POST', '/admin/accounts/{id}/credits', { reference: 'x', amountDollars: 0 }],
  ['POST', '/admin/accounts/{id}/credits', { reference: 'x', amountDollars: 1e-7 }],
  ['POST', '/admin/accounts/{id}/credits', { reference: 'x', amountDollars: 0.12345678 }],
  ['POST', '/admin/accounts/{id}/credits', { reference: 'x', amountDollars: -5 }],
  ['POST', '/admin/accounts/{id}/credits', { amountDollars: 1 }, 'reference'],
  ['POST', '/admin/accounts/{id}/credits', { amountDollars: 1, reference: ' ' }],
]

const refusedQueries: [string, string, Record<string, string>][] = [
  ['GET', '/jobs', { cursor: `evt_${anId}` }],
  ['GET', '/jobs', { cursor: `imp_${anId}x` }],
  ['GET', '/jobs', { cursor: `imp_${anId.toUpperCase()}` }],
  ['GET', '/jobs', { cursor: 'x' }],
  ['GET', '/jobs', { q: '' }],
  ['GET', '/jobs', { q: 'x'.repeat(201) }],
  ['GET', '/jobs', { metadata: 'episode' }],
  ['GET', '/account/ledger', { cursor: `imp_${anId}` }],
  ['GET', '/webhooks/deliveries', { cursor: `imp_${anId}` }],
  ['GET', '/admin/accounts', { cursor: `imp_${anId}` }],
  ['GET', '/admin/accounts', { name: 'x'.repeat(201) }],
  ['POST', '/admin/reseal', { cursor: `acct_${anId}` }],
  ['POST', '/admin/reseal', { cursor: `acct_${anId}/` }],
  ['GET', '/batches', { cursor: `imp_${anId}` }],
  ['GET', '/batches/{id}/items', { cursor: '-1' }],
  ['GET', '/batches/{id}/items', { cursor: `bat_${anId}` }],
  ['GET', '/batches/{id}/items', { status: 'done' }],
  ['GET', '/import/status', { id: '' }],
  ['GET', '/transcribe/transcript', { id: 'x', format: 'ass' }],
  ['GET', '/metadata', { url: 'ftp://media.example/' }],
]

const allowedBodies: [string, string, string, object][] = [
  ['a bucket with four numbers and a letter', 'PUT', '/storage', { ...storage, bucket: '127.0.0.1a' }],
  ['a bucket of digits', 'PUT', '/storage', { ...storage, bucket: '123456789012' }],
  ['six decimals', 'POST', '/admin/accounts', { name: 'x', creditDollars: 1.000_001 }],
  ['a provider without a key', 'POST', '/transcribe', { url: FILM, provider: 'provider_a' }],
]

const { bodyCheck, queryChecks, judge } = schemaChecks(document)
const isAllowed = await judge([
  ...refusedBodies.map(([method, path, value]) => bodyCheck(method, path, value)),
  ...refusedQueries.flatMap(([method, path, values]) => queryChecks(method, path, values)),
  ...allowedBodies.map(([, method, path, value]) => bodyCheck(method, path, value)),
])

const caller = await newCaller()
const routeOf = (method: string, path: string): Route => {
  const route = routes.find((each) => each.method === method && each.path === path)
  if (!route) throw new Error(`no route ${method} ${path}`)
  return route
}

test.each(refusedBodies)('%s %s refuses %j, and so does its schema', async (method, path, value, missing) => {
  const { status, body } = await send(caller, routeOf(method, path), {}, value)
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  const wrong = body.details.map((detail: { path: string }) => detail.path.split('.')[0])
  expect(wrong).toContain(missing ?? Object.keys(value).at(-1) ?? '')
  expect(isAllowed(bodyCheck(method, path, value))).toBe(false)
})

test('nothing was made of what was refused', async () => {
  const made = [await caller.get('/jobs'), await caller.get('/batches'), await caller.get('/keys')]
  expect(made.map(({ body }) => Object.values(body.data))).toMatchObject([[[], null], [[], null], [[{}]]])
  expect((await caller.get('/account')).body.data.liveJobs ?? 0).toBe(0)
})

test.each(refusedQueries)('%s %s refuses the query %j, and so does its schema', async (method, path, values) => {
  const route = routeOf(method, path)
  const { status, body } = await send(caller, route, values, undefined)
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(queryChecks(method, path, values).map(isAllowed)).toContain(false)
})

test.each(allowedBodies)('the schema allows %s', (_, method, path, value) => {
  expect(isAllowed(bodyCheck(method, path, value))).toBe(true)
})

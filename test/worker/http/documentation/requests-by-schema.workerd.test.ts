import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type JsonSchema, valuesOf } from '../../../support/json-schema-values.ts'
import { asOperator, type Caller, callApi, FILM, newCaller } from '../../support/caller.ts'
import { isOperators, operations, type Parameter, document as published } from '../../support/documented-operations.ts'
import { runs } from '../../support/runs.ts'
import { schemaChecks } from '../../support/schema-checks.ts'
import { rulesInWords } from './rules-in-words.ts'

const document = structuredClone(published)
for (const [name, rules] of Object.entries(rulesInWords)) Object.assign(document.components.schemas[name], rules)

const resolve = (ref: string): JsonSchema => document.components.schemas[ref.split('/').at(-1) ?? '']

interface Route {
  method: string
  path: string
  query: Parameter[]
  body: JsonSchema | undefined
  isOperators: boolean
}

const routes: Route[] = operations.map(([method, path, operation]) => ({
  ...{ method, path, isOperators: isOperators(operation) },
  query: (operation.parameters ?? []).filter((parameter) => parameter.in === 'query'),
  // Of forms, test/worker/http/openai has the tests.
  body: operation.requestBody?.content['application/json']?.schema,
}))

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

/** JSON Schema can compare a field neither with another one nor with the time, and does not know what a word is. */
const notInSchemas = [
  'must be after the start',
  'must be at least a millisecond after the start',
  'must not be less than min',
  'must not be less than minSeconds',
  'must be in the future',
  'must have a word to find, not only punctuation and -word',
  'is not a nextCursor of this search',
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
        expect(details.filter(({ message }) => !notInSchemas.includes(message))).toEqual([])
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

type Refused = [method: string, path: string, body: object, missing?: string]

/** A request for each value of a field, which comes last. */
const each = (route: string, given: Record<string, unknown>, field: string, values: unknown[]): Refused[] => {
  const [method = '', path = ''] = route.split(' ')
  const { [field]: _, ...others } = given
  return values.map((value) => [method, path, { ...others, [field]: value }])
}

/** Without a field that is required. */
const without = (route: string, field: string, body: object): Refused => {
  const [method = '', path = ''] = route.split(' ')
  return [method, path, body, field]
}

const film = { url: FILM }
const films = { urls: [FILM], import: {} }
const list = { playlistUrl: FILM, import: {} }
const manyUrls = Array.from({ length: 501 }, (_, index) => `${FILM}?${index}`)
const metadata = [
  [],
  'episode=42',
  null,
  { 'an episode': '' },
  { '': '' },
  { ['k'.repeat(41)]: '' },
  { a: 42 },
  { a: 'v'.repeat(501) },
]
const tooMuchMetadata = Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`k${n}`, '']))
const clipStarts = ['1:75', '1:60:00', '-5', '5', '1:2', '1:02:03.1234', '', '1:02:03:04', '１:02', -1]
const urls = [
  ...['media.example/film.mp4', 'ftp://media.example/film.mp4', 'file:///etc/passwd', 'data:video/mp4;base64,AAAA'],
  ...['javascript:alert(1)', 'https:media.example', 'https://', 'https:///media.example', 'https:\\\\media.example'],
  ...['https://media.exa\nmple/', 'https://me@media.example/', 'https://me:secret@media.example/'],
  `${FILM}?${'x'.repeat(4_096)}`,
]
const paths = ['../other', 'a/./b', 'a//b', 'a\\b', 'a\u0085b', 'x'.repeat(600)]
const buckets = ['ab', 'x'.repeat(64), 'Media', 'a/b', '.evil', 'evil.', '-evil', 'a..b', '127.0.0.1', 'büro']
const accessKeyIds = ['', 'a/b', 'a,b', 'a=b', 'a b', 'a\r\nb', 'ü', 'x'.repeat(257)]
const endpoints = ['s3.example.com', 'https://user:pass@s3.example.com', 'https://s3.example.com?x=1']
const origins = ['*', 'http://app.example', 'https://app.example/', 'null'].map((origin) => [origin])
const limits = [
  ...[{}, { concurrentJobs: {} }, { maxMediaBytes: 1 }, { concurrentJobs: { import: 101 } }],
  ...[{ import: 0 }, { import: 1.5 }, { import: 1_000_001 }, { imports: 1 }].map((requestsPerHour) => ({
    requestsPerHour,
  })),
]

/** Each is refused because of its last field, or of the one that it does not have. */
const refusedBodies: Refused[] = [
  ...each('POST /import', {}, 'url', urls),
  ...each('POST /import', film, 'storeagePath', ['films']),
  ...each('POST /import', film, 'provider', ['builtin']),
  ['POST', '/import', JSON.parse('{"url":"https://media.example/","__proto__":{"store":true}}')],
  ...each('POST /import', film, 'includeVideo', ['false', null]),
  ...each('POST /import', { ...film, includeVideo: false }, 'includeAudio', [false]),
  ...each('POST /import', film, 'videoQuality', ['1081p']),
  ...each('POST /import', film, 'storageClass', ['COLD']),
  ...each('POST /import', film, 'storagePath', paths),
  ...each('POST /import', film, 'storageFilename', ['a/b', ' \u3000', 'x'.repeat(241)]),
  ...each('POST /import', film, 'storageBucket', ['My Bucket']),
  ...each('POST /import', film, 'webhookUrl', ['receiver']),
  ...each('POST /import', film, 'clip', [{}, { begin: 1 }, ...clipStarts.map((start) => ({ start }))]),
  ...each('POST /import', film, 'metadata', [...metadata, tooMuchMetadata, JSON.parse('{"__proto__": "lost"}')]),
  ...each('POST /import', film, 'audioFormat', ['mp3']),
  ...each('POST /import', { ...film, includeVideo: false }, 'audioFormat', ['flac']),
  ...each('POST /import', film, 'reuseWithinSeconds', [604_801, -1]),
  ...each('POST /import', film, 'index', ['no', null]),
  without('POST /transcribe', 'url', {}),
  ...each('POST /transcribe', { importId: `imp_${anId}` }, 'url', [FILM]),
  ...each('POST /transcribe', {}, 'importId', ['']),
  ...each('POST /transcribe', film, 'metadata', [null]),
  ...each('POST /transcribe', film, 'speakers', [2, { min: 0 }]),
  ...each('POST /transcribe', film, 'words', ['true']),
  ...each('POST /transcribe', film, 'apiKey', ['k']),
  ...each('POST /transcribe', { ...film, provider: 'builtin' }, 'apiKey', ['k']),
  ...each('POST /transcribe', film, 'providerOptions', [{}]),
  ...each('POST /transcribe', { ...film, provider: 'builtin' }, 'providerOptions', [{ a: 1 }]),
  ...each('POST /transcribe', key, 'apiKey', ['a b', '']),
  ...each('POST /transcribe', key, 'providerOptions', [{ ['x'.repeat(201)]: 1 }]),
  ...each('POST /transcribe', film, 'language', ['English, please']),
  ...each('POST /transcribe', film, 'maxCostDollars', [0]),
  without('POST /batches', 'urls', {}),
  without('POST /batches', 'import', { urls: [FILM] }),
  without('POST /batches', 'urls', { import: {} }),
  ...each('POST /batches', films, 'urls', [[], [FILM, 'ftp://media.example/'], manyUrls]),
  ...each('POST /batches', { urls: [FILM], transcribe: {} }, 'import', [{}]),
  ...each('POST /batches', list, 'urls', [[FILM]]),
  ...each('POST /batches', films, 'limit', [5]),
  ...each('POST /batches', list, 'limit', [0, 501]),
  ...each('POST /batches', films, 'import', [
    { url: FILM },
    { includeVideo: false, includeAudio: false },
    { metadata: {} },
  ]),
  ...each('POST /batches', { urls: [FILM] }, 'transcribe', [
    { importId: `imp_${anId}` },
    { apiKey: 'k' },
    { metadata: {} },
  ]),
  ...each('POST /batches', films, 'maxCostDollars', [0]),
  ...each('POST /batches', films, 'metadata', [{ 'a b': '' }]),
  ...each('POST /batches', films, 'webhookUrl', ['receiver']),
  ...each('PUT /storage', storage, 'bucket', buckets),
  ...each('PUT /storage', storage, 'accessKeyId', accessKeyIds),
  ...each('PUT /storage', storage, 'region', ['', 'us/east', 'us-east-1\r\n', 'x'.repeat(65)]),
  ...each('PUT /storage', storage, 'endpoint', endpoints),
  ...each('PUT /storage', storage, 'pathPrefix', ['a/../b']),
  ...each('PUT /storage', storage, 'secretAccessKey', ['']),
  ...each('POST /transcription-provider', { apiKey: 'k' }, 'provider', ['builtin']),
  ...each('POST /uploads', { sizeBytes: 1 }, 'filename', ['', ' \u00a0', 'a\nb', 'a\u0085', 'x'.repeat(256)]),
  without('POST /keys', 'name', {}),
  ...each('POST /keys', { name: 'x' }, 'scopes', [['admin'], []]),
  ...each('POST /keys', { name: 'x' }, 'scope', [['read']]),
  ...each('POST /keys', { name: 'x' }, 'dollarsPerMonth', [-1]),
  ...each('POST /keys', { name: 'x' }, 'allowedOrigins', [
    ...origins,
    Array.from({ length: 11 }, (_, i) => `https://${i}.example`),
  ]),
  ...each('POST /admin/accounts', {}, 'name', ['', ' \t\u00a0', 'x'.repeat(201)]),
  ...each('POST /admin/accounts', { name: 'x' }, 'creditDollars', [0.000_000_1, 1.234_567_8, -1, '10', 1_000_001]),
  ...each('POST /admin/accounts', { name: 'x' }, 'creditsDollars', [1]),
  without('POST /admin/accounts', 'name', {}),
  without('PATCH /account', 'index', {}),
  ...each('PATCH /account', {}, 'index', [null, 'false']),
  without('PATCH /admin/accounts/{id}', '', {}),
  ...each('PATCH /admin/accounts/{id}', {}, 'suspend', [true]),
  ...each('PATCH /admin/accounts/{id}', {}, 'suspended', ['true']),
  ...each('PATCH /admin/accounts/{id}', {}, 'name', [' ']),
  ...each('PATCH /admin/accounts/{id}', {}, 'limits', limits),
  ...each('POST /admin/accounts/{id}/credits', { reference: 'x' }, 'amountDollars', [0, 1e-7, 0.12345678, -5, '1']),
  ...each('POST /admin/accounts/{id}/credits', { amountDollars: 1 }, 'reference', [' ']),
  without('POST /admin/accounts/{id}/credits', 'reference', { amountDollars: 1 }),
]

const refusedQueries: [string, string, Record<string, string>][] = [
  ['GET', '/jobs', { cursor: `evt_${anId}` }],
  ['GET', '/jobs', { cursor: `imp_${anId}x` }],
  ['GET', '/jobs', { cursor: `imp_${anId.toUpperCase()}` }],
  ['GET', '/jobs', { cursor: 'x' }],
  ['GET', '/jobs', { q: '' }],
  ['GET', '/jobs', { q: 'x'.repeat(201) }],
  ['GET', '/jobs', { metadata: 'episode' }],
  ['GET', '/search', { q: '' }],
  ['GET', '/search', { q: 'x'.repeat(201) }],
  ['GET', '/search', { q: 'x', limit: '51' }],
  ['GET', '/search', { q: 'x', sort: 'oldest' }],
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
  expect(wrong).toContain(missing ?? Object.keys(value).at(-1))
  expect(isAllowed(bodyCheck(method, path, value))).toBe(false)
})

test('nothing was made of what was refused', async () => {
  const made = [await caller.get('/jobs'), await caller.get('/batches'), await caller.get('/keys')]
  expect(made.map(({ body }) => Object.values(body.data))).toMatchObject([[[], null], [[], null], [[{}]]])
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

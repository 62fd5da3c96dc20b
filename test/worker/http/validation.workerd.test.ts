import { expect, test } from 'vitest'
import { asOperator, FILM, newCaller } from '../support/caller.ts'

test.each([
  ['no body', ''],
  ['a truncated body', '{"url":'],
  ['a body that is not JSON', 'url=https://media.example/'],
])('%s is INVALID_JSON', async (_, body) => {
  const { status, body: response } = await (await newCaller()).post('/import', body)
  expect([status, response.code]).toEqual([400, 'INVALID_JSON'])
})

test('all invalid fields of a body are reported at once', async () => {
  const { body } = await (await newCaller()).post('/import', { url: 'x', store: 1, storeagePath: 'films' })
  expect(body.details.map(({ path }: { path: string }) => path).sort()).toEqual(['store', 'storeagePath', 'url'])
})

test('a body may have up to 64 KiB, with and without a Content-Length', async () => {
  const caller = await newCaller()
  const least = JSON.stringify({ url: FILM, x: '' }).length
  const sized = (bytes: number) => JSON.stringify({ url: FILM, x: 'x'.repeat(bytes - least) })
  expect((await caller.post('/import', sized(65_536))).body.code).toBe('INVALID_REQUEST')
  for (const tooLarge of [sized(65_537), new Response(sized(65_537)).body]) {
    const { status, body } = await caller.post('/import', tooLarge)
    expect([status, body.code, body.error]).toEqual([413, 'BODY_TOO_LARGE', 'The request body is larger than 64 KiB.'])
  }
  const chunked = await caller.post('/import', new Response(sized(65_536)).body)
  expect(chunked.body.code).toBe('INVALID_REQUEST')
})

test.each([
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'application/json ;',
  'application/vnd.x-1+json',
])('a body of type %s is accepted', async (contentType) => {
  const { status } = await (await newCaller()).post('/import', { url: FILM }, { 'content-type': contentType })
  expect(status).toBe(202)
})

test.each([
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  'text/json',
])('a body of type %s is refused', async (contentType) => {
  const { status, body } = await (await newCaller()).post('/import', { url: FILM }, { 'content-type': contentType })
  expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
})

const gzipped = new Response(
  new Response(JSON.stringify({ url: FILM })).body?.pipeThrough(new CompressionStream('gzip')),
).bytes()

test.each(['gzip', 'br', 'GZIP', 'identity, gzip', 'aes128gcm'])(
  'a body with Content-Encoding %s is refused with the reason',
  async (encoding) => {
    const caller = await newCaller()
    const headers = { 'content-encoding': encoding }
    for (const sent of [await gzipped, { url: FILM }]) {
      const { status, headers: sentHeaders, body } = await caller.post('/import', sent, headers)
      expect([status, body.code]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE'])
      expect([body.error, sentHeaders.get('accept-encoding')]).toEqual([
        'Send the body without a Content-Encoding.',
        'identity',
      ])
    }
    expect((await caller.post('/import', 'x', headers)).headers.get('x-ratelimit-remaining')).toBe('237')
  },
)

test.each(['identity', 'Identity', ''])('a body with Content-Encoding "%s" is accepted', async (encoding) => {
  const { status } = await (await newCaller()).post('/import', { url: FILM }, { 'content-encoding': encoding })
  expect(status).toBe(202)
})

const caller = await newCaller()
const importing = (body: unknown) => () => caller.post('/import', body)
const transcribing = (fields: object) => () => caller.post('/transcribe', { url: FILM, ...fields })
const reading = (path: string) => () => caller.get(path)
const keyUntil = (expiresAt: string) => () => caller.post('/keys', { name: 'x', expiresAt })

const key = { provider: 'provider_a', apiKey: 'k' }
/** An object with so many lists within each other. */
const nested = (levels: number): object => ({ a: JSON.parse('['.repeat(levels) + ']'.repeat(levels)) })

test.each([
  ['no url', importing({}), 'url', 'is required'],
  ['a url that is a number', importing({ url: 7 }), 'url', 'must be a string'],
  ['an empty url', importing({ url: ' ' }), 'url', 'must not be empty'],
  ['a long url', importing({ url: `${FILM}${'x'.repeat(4_096)}` }), 'url', 'must have at most 4096 characters'],
  ['a string for a boolean', importing({ url: FILM, store: 'no' }), 'store', 'must be a boolean'],
  [
    'an unknown enum value',
    importing({ url: FILM, audioQuality: 'loud' }),
    'audioQuality',
    'must be one of lowest, low, medium, high, best',
  ],
  ['a body that is an array', importing([]), '', 'the body must be an object'],
  ['a body that is null', importing('null'), '', 'the body must be an object'],
  [
    'a webhookUrl that is private',
    importing({ url: FILM, webhookUrl: 'http://10.0.0.1/hook' }),
    'webhookUrl',
    'must be a public address',
  ],
  [
    'a webhookUrl that resolves to a private address',
    importing({ url: FILM, webhookUrl: 'https://inside.example/' }),
    'webhookUrl',
    'must be a public address',
  ],
  ['a key that has expired', keyUntil('2020-01-01T00:00:00Z'), 'expiresAt', 'must be in the future'],
  [
    'a time without a zone',
    keyUntil('2099-01-01T00:00:00'),
    'expiresAt',
    'must be an ISO 8601 time such as 2026-11-21T09:00:00Z',
  ],
  ['a custom rule', importing({ url: 'ftp://x/' }), 'url', 'must be an http or https URL'],
  ['a typo', importing({ url: FILM, stoer: true }), 'stoer', 'is not a known field'],
  ['options that are an array', transcribing({ ...key, providerOptions: [] }), 'providerOptions', 'must be an object'],
  [
    'options with 21 levels',
    transcribing({ ...key, providerOptions: nested(20) }),
    'providerOptions',
    'must have at most 20 levels of objects and arrays',
  ],
  [
    'options of a batch with 21 levels',
    () => caller.post('/batches', { urls: [FILM], transcribe: { ...key, providerOptions: nested(20) } }),
    'transcribe.providerOptions',
    'must have at most 20 levels of objects and arrays',
  ],
  ['metadata with thousands of levels', transcribing({ metadata: nested(4_000) }), 'metadata.a', 'must be a string'],
  [
    'options with thousands of levels',
    transcribing({ ...key, providerOptions: nested(4_000) }),
    'providerOptions',
    'must have at most 20 levels of objects and arrays',
  ],
  [
    'an option with a long name',
    transcribing({ ...key, providerOptions: { ['x'.repeat(201)]: 1 } }),
    `providerOptions.${'x'.repeat(201)}`,
    'has an invalid name: must have at most 200 characters',
  ],
  [
    'a maximum cost of zero',
    transcribing({ provider: 'builtin', maxCostDollars: 0 }),
    'maxCostDollars',
    'must be greater than 0',
  ],
  [
    'a maximum cost that is too high',
    transcribing({ provider: 'builtin', maxCostDollars: 1e6 }),
    'maxCostDollars',
    'must be at most 10000',
  ],
  ['no id in a query', reading('/import/status'), 'id', 'is required'],
  [
    'a negative amount',
    () => asOperator('POST', '/admin/accounts', { name: 'x', creditDollars: -1 }),
    'creditDollars',
    'must be at least 0',
  ],
  ['an empty id in a query', reading('/import/status?id='), 'id', 'must not be empty'],
  ['a wait that is not a number', reading('/import/status?id=x&wait=soon'), 'wait', 'must be a number'],
  ['a limit of zero', reading('/jobs?limit=0'), 'limit', 'must be at least 1'],
  ['a fractional limit', reading('/jobs?limit=1.5'), 'limit', 'must be an integer'],
  ['a limit that is too high', reading('/jobs?limit=101'), 'limit', 'must be at most 100'],
  ['an unknown type', reading('/jobs?type=video'), 'type', 'must be one of import, transcription'],
  ['a repeated cursor', reading('/jobs?cursor=x&cursor=y'), 'cursor', 'must be a string'],
  ['no provider to delete', () => caller.delete('/transcription-provider'), 'provider', 'is required'],
  [
    'a date without a time',
    () => caller.post('/webhooks/deliveries/replay', { since: '2026-11-21' }),
    'since',
    'must be an ISO 8601 time such as 2026-11-21T09:00:00Z',
  ],
])('%s: the detail has a readable message', async (_, request, path, message) => {
  const { status, body } = await request()
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(body.details).toContainEqual({ path, message })
  const [first] = body.details
  expect(body.error).toBe(`The request is not valid: ${first.path && `${first.path}: `}${first.message}`)
  expect((await caller.get('/jobs')).body.data.jobs).toEqual([])
})

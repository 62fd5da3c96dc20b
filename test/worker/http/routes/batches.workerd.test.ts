import { expect, test } from 'vitest'
import { films, readBatch, readItems, startedBatch, takeTurn } from '../../support/batches.ts'
import { type ApiResponse, asOperator, callApi, claimed, FILM, newCaller, send } from '../../support/caller.ts'
import { nextMillisecond } from '../../support/clock.ts'
import { messagesOf } from '../../support/event-stream.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })

const rate = ({ headers }: ApiResponse) => [headers.get('x-ratelimit-limit'), headers.get('x-ratelimit-remaining')]

test('a batch of URLs is accepted with 202, its id, its number of items and a message', async () => {
  const caller = await newCaller()
  const { status, body } = await caller.post('/batches', { urls: films(3), import: {} })
  const { batchId } = body.data
  expect([status, body]).toEqual([
    202,
    {
      success: true,
      data: {
        batchId: expect.stringMatching(/^bat_[0-9a-z]{26}$/),
        status: 'queued',
        total: 3,
        message: `The batch is queued. Poll GET /batches/${batchId}, or send webhookUrl to get a webhook when it ends.`,
      },
    },
  ])
  expect(await readBatch(caller, batchId)).toEqual({
    batchId,
    watchId: null,
    kind: 'import',
    status: 'queued',
    title: null,
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/),
    completedAt: null,
    metadata: {},
    counts: { total: 3, waiting: 3, running: 0, completed: 0, failed: 0, skipped: 0 },
    costInDollars: 0,
    maxCostDollars: null,
  })
  expect((await caller.get('/account')).body.data).toMatchObject({ heldDollars: 0, balanceDollars: 10 })
})

test('a batch of a playlist has no number of items until it is read', async () => {
  const caller = await newCaller()
  const playlistUrl = 'https://page.example/feed'
  const webhookUrl = 'https://receiver.example/hook'
  const { status, body } = await caller.post('/batches', { playlistUrl, limit: 5, transcribe: {}, webhookUrl })
  expect([status, body.data]).toEqual([
    202,
    {
      batchId: expect.any(String),
      status: 'queued',
      total: null,
      message: 'The batch is queued. A webhook is sent to webhookUrl when it ends.',
    },
  ])
  expect(await readBatch(caller, body.data.batchId)).toMatchObject({
    kind: 'transcription',
    counts: { total: null, waiting: 0 },
  })
})

test('a URL that is given twice is one item, whatever white space surrounds it', async () => {
  const caller = await newCaller()
  const [first = '', second = ''] = films(2)
  const { body } = await caller.post('/batches', { urls: [first, second, ` ${first}\n`, second], import: {} })
  expect(body.data.total).toBe(2)
  expect((await readItems(caller, body.data.batchId)).map(({ url }: { url: string }) => url)).toEqual([first, second])
})

test('a body may have 1 MiB, so that 500 long URLs fit into it, and a larger one is a 413 that names this limit', async () => {
  const caller = await newCaller()
  const urls = films(500).map((url) => `${url}&x=${'x'.repeat(1_900)}`)
  const accepted = await caller.post('/batches', { urls, import: {} })
  expect([accepted.status, accepted.body.data?.total]).toEqual([202, 500])
  const least = JSON.stringify({ urls: [FILM], x: '' }).length
  const sized = (bytes: number) => JSON.stringify({ urls: [FILM], x: 'x'.repeat(bytes - least) })
  expect((await caller.post('/batches', sized(1_048_576))).status).toBe(400)
  const { status, body } = await caller.post('/batches', sized(1_048_577))
  expect([status, body.code, body.error]).toEqual([413, 'BODY_TOO_LARGE', 'The request body is larger than 1 MiB.'])
  const { body: document } = await callApi('GET', '/openapi.json')
  const description = (path: string) => document.paths[path].post.responses[413].description
  expect([description('/batches'), description('/import')]).toEqual([
    'The body is larger than 1 MiB.',
    'The body is larger than 64 KiB.',
  ])
})

const invalid: [string, object, string][] = [
  ['no source', { import: {} }, 'urls'],
  ['two sources', { urls: [FILM], playlistUrl: FILM, import: {} }, 'urls'],
  ['nothing to do', { urls: [FILM] }, 'import'],
  ['two things to do', { urls: [FILM], import: {}, transcribe: {} }, 'import'],
  ['a limit without a playlist', { urls: [FILM], import: {}, limit: 3 }, 'limit'],
  ['a bad URL', { urls: [FILM, FILM, FILM, 'media.example/film.mp4'], import: {} }, 'urls.3'],
  ['a URL within the options', { urls: [FILM], import: { url: FILM } }, 'import.url'],
  ['a typo within the options', { urls: [FILM], import: { storeagePath: 'films' } }, 'import.storeagePath'],
  [
    'one filename for all files',
    { urls: [FILM], import: { store: true, storageFilename: 'talk' } },
    'import.storageFilename',
  ],
  ['a private webhookUrl', { urls: [FILM], import: {}, webhookUrl: 'http://127.0.0.1/' }, 'webhookUrl'],
  [
    'a private webhookUrl of its items',
    { urls: [FILM], import: { webhookUrl: 'http://127.0.0.1/' } },
    'import.webhookUrl',
  ],
  [
    'an option that Haul sets itself',
    { urls: [FILM], transcribe: { provider: 'provider_a', apiKey: 'k', providerOptions: { file: 'x' } } },
    'transcribe.providerOptions.file',
  ],
]

test.each(invalid)('a batch with %s is refused, and the response names the field', async (_, request, path) => {
  const caller = await newCaller()
  const { status, body } = await caller.post('/batches', request)
  expect([status, body.code]).toEqual([400, 'INVALID_REQUEST'])
  expect(body.details.map((detail: { path: string }) => detail.path)).toContain(path)
  expect((await caller.get('/batches')).body.data).toEqual({ batches: [], nextCursor: null })
})

test.each([
  [{ urls: [FILM], import: {} }, 202, 'import'],
  [{ urls: [FILM], transcribe: {} }, 202, 'transcribe'],
  [{ urls: ['x'], transcribe: {} }, 400, 'transcribe'],
  [{ urls: [FILM], transcribe: {}, import: {} }, 400, 'import'],
  [{}, 400, 'import'],
  ['null', 400, 'import'],
  ['{', 400, 'import'],
])('POST /batches with %j is a %i that counts as an %s', async (request, status, rateClass) => {
  const caller = await newCaller()
  // Two limits that differ show which of them the headers speak of.
  const requestsPerHour = { import: 11, transcribe: 22 }
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { limits: { requestsPerHour } })
  const response = await caller.post('/batches', request)
  expect([response.status, rate(response)]).toEqual([status, rateClass === 'import' ? ['11', '10'] : ['22', '21']])
})

test('reads count as status, cancellations as general', async () => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller)
  const reads = ['/batches', `/batches/${batchId}`, `/batches/${batchId}/items`, '/batches/bat_none']
  const seen = []
  for (const path of reads) seen.push(rate(await caller.get(path))[1])
  expect(seen).toEqual(['3599', '3598', '3597', '3596'])
  expect(rate(await caller.delete(`/batches/${batchId}`))).toEqual(['3600', '3599'])
})

test('a retry counts as what the batch does', async () => {
  const caller = await newCaller()
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { limits: { requestsPerHour: { transcribe: 22 } } })
  const batchId = await startedBatch(caller, { import: undefined, transcribe: {} })
  await caller.delete(`/batches/${batchId}`)
  expect(rate(await caller.post(`/batches/${batchId}/retry`, undefined))).toEqual(['22', '20'])
  expect(rate(await caller.post('/batches/bat_none/retry', undefined))).toEqual(['240', '239'])
})

test('the same Idempotency-Key and body return the same batch and response, also after it has ended', async () => {
  const caller = await newCaller()
  const request = { urls: films(2), import: {} }
  const first = await caller.post('/batches', request, keyed('order-7'))
  const again = await caller.post('/batches', request, keyed('order-7'))
  await caller.delete(`/batches/${first.body.data.batchId}`)
  const last = await caller.post('/batches', request, keyed('order-7'))
  expect([again.status, again.body, last.status, last.body]).toEqual([202, first.body, 202, first.body])
  expect((await caller.get('/batches')).body.data.batches).toHaveLength(1)
  const other = await caller.post('/batches', { ...request, maxCostDollars: 1 }, keyed('order-7'))
  expect([other.status, other.body.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
})

test.each([
  ['no URLs', { urls: [] }, 'INVALID_REQUEST'],
  ['store without a bucket', { import: { store: true } }, 'STORAGE_NOT_CONFIGURED'],
  ['a provider without a key', { import: undefined, transcribe: { provider: 'provider_b' } }, 'PROVIDER_KEY_REQUIRED'],
])('a batch with %s is refused as a whole, and its Idempotency-Key is free', async (_, changes, code) => {
  const caller = await newCaller()
  const request = { urls: films(2), import: {} }
  const { status, body } = await caller.post('/batches', { ...request, ...changes }, keyed('order-7'))
  expect([status, body.code]).toEqual([400, code])
  expect((await caller.post('/batches', request, keyed('order-7'))).status).toBe(202)
})

test('items are listed in pages and by status', async () => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller, { urls: films(5) })
  await takeTurn(caller, batchId, 0)
  const pages = []
  for (let cursor = ''; pages.length < 5; ) {
    const { items, nextCursor } = (await caller.get(`/batches/${batchId}/items?limit=2&cursor=${cursor}`)).body.data
    pages.push(items.map(({ index }: { index: number }) => index))
    if (nextCursor === null) break
    cursor = nextCursor
  }
  expect(pages).toEqual([[0, 1], [2, 3], [4]])
  const indexes = async (query: string) =>
    (await readItems(caller, batchId, query)).map(({ index }: { index: number }) => index)
  expect([await indexes('status=queued'), await indexes('status=failed')]).toEqual([[0], []])
  expect(await indexes('status=waiting')).toEqual([1, 2, 3, 4])
  const { nextCursor } = (await caller.get(`/batches/${batchId}/items?status=waiting&limit=2`)).body.data
  expect(await indexes(`status=waiting&limit=1&cursor=${nextCursor}`)).toEqual([3])
})

test('batches are listed newest first, in pages', async () => {
  const caller = await newCaller()
  const ids: string[] = []
  for (let count = 0; count < 3; count++) {
    nextMillisecond()
    ids.unshift(await startedBatch(caller))
  }
  const first = (await caller.get('/batches?limit=2')).body.data
  const second = (await caller.get(`/batches?limit=2&cursor=${first.nextCursor}`)).body.data
  const listed = [...first.batches, ...second.batches].map(({ batchId }: { batchId: string }) => batchId)
  expect([listed, second.nextCursor]).toEqual([ids, null])
})

test('a cancellation returns the batch as it is then, also when it is repeated', async () => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller)
  const { status, body } = await caller.delete(`/batches/${batchId}`)
  expect([status, body.data]).toMatchObject([200, { status: 'canceled', completedAt: expect.any(String) }])
  expect(body.data).toEqual(await readBatch(caller, batchId))
  expect((await caller.delete(`/batches/${batchId}`)).body).toEqual(body)
})

test('a batch is retried with 202, under its Idempotency-Key once, and its retry is the answer until it has ended', async () => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller, { urls: films(2) })
  const retry = (headers = {}) => caller.post(`/batches/${batchId}/retry`, undefined, headers)
  const early = await retry()
  expect([early.status, early.body.code]).toEqual([409, 'NOTHING_TO_RETRY'])
  await caller.delete(`/batches/${batchId}`)
  const answers = await Promise.all([retry(), retry(), retry(keyed('retry-1'))])
  const { data } = answers[0]?.body ?? {}
  expect(answers.map(({ status, body }) => [status, body.data])).toEqual(Array(3).fill([202, data]))
  expect(data).toMatchObject({ status: 'queued', total: 2, message: expect.stringContaining('Poll GET /batches/') })
  await caller.delete(`/batches/${data.batchId}`)
  expect((await retry(keyed('retry-1'))).body.data).toEqual(data)
  expect((await retry()).body.data.batchId).not.toBe(data.batchId)
})

test('a retry says that it tells the webhook of the batch that it repeats', async () => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller, { webhookUrl: 'https://receiver.example/hook' })
  await caller.delete(`/batches/${batchId}`)
  const { body } = await caller.post(`/batches/${batchId}/retry`, undefined)
  expect(body.data.message).toBe('The batch is queued. A webhook is sent to webhookUrl when it ends.')
})

test('the event stream tells of each start and end of an item, closes when the batch ends, and is then a 204', async () => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller)
  const open = (headers = {}) => send('GET', `/batches/${batchId}/events`, { key: caller.apiKey, headers })
  const messages = messagesOf(await open())
  const next = async () => {
    const { value } = await messages.next()
    return { ...value, batch: JSON.parse(value?.data ?? '') }
  }
  expect(await next()).toMatchObject({ event: 'batch', batch: await readBatch(caller, batchId) })
  await takeTurn(caller, batchId, 0)
  expect((await next()).batch).toMatchObject({ status: 'running', counts: { waiting: 2, running: 1 } })
  const [{ jobId }] = await readItems(caller, batchId, 'status=queued')
  await caller.account.failStep(await claimed(caller, jobId), { code: 'SOURCE_BLOCKED', message: '', retryable: true })
  expect((await next()).batch.counts).toMatchObject({ waiting: 2, running: 0, failed: 1 })
  await caller.delete(`/batches/${batchId}`)
  const { id, batch } = await next()
  expect(batch).toEqual(await readBatch(caller, batchId))
  expect([batch.status, (await messages.next()).done]).toEqual(['canceled', true])
  expect((await open({ 'Last-Event-ID': `${id}` })).status).toBe(204)
})

const byId: [string, string][] = [
  ['GET', ''],
  ['GET', '/items'],
  ['GET', '/events'],
  ['DELETE', ''],
  ['POST', '/retry'],
]

test.each(byId)(
  '%s /batches/{id}%s knows no batch of another account, and changes nothing of it',
  async (method, path) => {
    const [owner, other] = [await newCaller(), await newCaller()]
    const batchId = await startedBatch(owner)
    const unknown = await callApi(method, `/batches/bat_01hzzzzzzzzzzzzzzzzzzzzzzz${path}`, { key: other.apiKey })
    const foreign = await callApi(method, `/batches/${batchId}${path}`, { key: other.apiKey })
    const { requestId: _, ...refused } = unknown.body
    expect([unknown.status, refused]).toEqual([404, { success: false, code: 'NOT_FOUND', error: 'Batch not found.' }])
    expect([foreign.status, foreign.body]).toEqual([404, { ...refused, requestId: expect.any(String) }])
    expect(await readBatch(owner, batchId)).toMatchObject({ status: 'queued', counts: { waiting: 3 } })
  },
)

test.each([['POST', ''], ['GET', ''], ...byId])('%s /batches%s needs a live key', async (method, path) => {
  const caller = await newCaller()
  const address = path === '' && method === 'POST' ? '/batches' : `/batches/${await startedBatch(caller)}${path}`
  await asOperator('DELETE', `/admin/accounts/${caller.accountId}/keys/${caller.keyId}`)
  const body = address === '/batches' ? { urls: [FILM], import: {} } : undefined
  expect((await callApi(method, address, { key: caller.apiKey, body })).status).toBe(401)
  expect((await callApi(method, address, { body })).status).toBe(401)
})

test('a suspended account starts and retries no batch, but reads and cancels its batches', async () => {
  const caller = await newCaller()
  const batchId = await startedBatch(caller)
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { suspended: true })
  const refused = await caller.post('/batches', { urls: [FILM], import: {} }, keyed('order-7'))
  expect([refused.status, refused.body.code]).toEqual([403, 'ACCOUNT_SUSPENDED'])
  expect((await readBatch(caller, batchId)).status).toBe('queued')
  expect((await caller.delete(`/batches/${batchId}`)).body.data.status).toBe('canceled')
  expect((await caller.post(`/batches/${batchId}/retry`, undefined)).status).toBe(403)
})

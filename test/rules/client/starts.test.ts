import { expect, test } from 'vitest'
import { HaulApiError, HaulConnectionError, HaulError } from '../../../client/src/index.ts'
import {
  type Answer,
  completed,
  data,
  drop,
  jobId,
  refused,
  scriptedService,
  started,
  stream,
} from './scripted-service.ts'

const service = scriptedService()
const url = 'https://example.com/film'
const source = new URL(url)

const startsWith = (...answers: Answer[]) => {
  service.on('POST /import', ...answers)
  service.on(`GET /jobs/${jobId}/events`, stream([completed]))
}

const cut: Answer = (response) => {
  response.writeHead(200, { 'content-length': 100 })
  response.write('{"success":true,', () => response.socket?.end())
}
const page: Answer = (response) => void response.writeHead(502).end('<html>')
const keys = () => service.received('POST /import').map(({ headers }) => headers['idempotency-key'])

test.each([
  ['a lost connection', drop],
  ['an internal error', refused(500, 'INTERNAL_ERROR')],
  ['a page of a proxy', page],
  ['a rate limit', refused(429, 'RATE_LIMITED', { retryAfter: 0 })],
  ['a concurrency limit', refused(429, 'CONCURRENCY_LIMITED', { retryAfter: 0 })],
  ['a busy service', refused(503, 'SERVICE_BUSY', {}, { 'retry-after': '0' })],
  ['an interruption', refused(503, 'SERVICE_UNAVAILABLE', {}, { 'retry-after': '2' })],
  ['its own lost request, which still runs', refused(409, 'IDEMPOTENCY_IN_PROGRESS')],
])('after %s a start is sent again with the same Idempotency-Key', async (_, answer) => {
  startsWith(answer, answer, started)
  expect(await service.client().import(url)).toMatchObject({ jobId, title: 'A film' })
  expect(keys()).toHaveLength(3)
  expect(new Set(keys()).size).toBe(1)
  expect(keys()[0]).toMatch(/^\d+(-\d+){15}$/)
})

test('two starts have different Idempotency-Keys, and a given one is kept', async () => {
  startsWith(started)
  const haul = service.client()
  await haul.import(source)
  await haul.import(source)
  await haul.import(source, { idempotencyKey: 'mine' })
  expect(new Set(keys()).size).toBe(3)
  expect(keys()[2]).toBe('mine')
})

test('fields of the request are sent, and options of the client are not', async () => {
  startsWith(started)
  const options = { videoQuality: '720p', clip: { start: '1:00' }, timeoutMs: 5_000, onProgress: () => {} } as const
  await service.client().import(source, options)
  const [request] = service.received()
  expect(JSON.parse(`${request?.body}`)).toEqual({ url, videoQuality: '720p', clip: { start: '1:00' } })
  expect(request?.headers.authorization).toBe('Bearer key')
})

test('with wait: false a start resolves as soon as the job is queued', async () => {
  service.on('POST /transcribe', started)
  const job = await service.client().transcribe({ importId: 'imp_9' }, { wait: false, words: true })
  expect(job).toEqual({ jobId, status: 'queued', message: 'The import is queued.' })
  expect(service.received().map(({ route, body }) => [route, JSON.parse(`${body}`)])).toEqual([
    ['POST /transcribe', { importId: 'imp_9', words: true }],
  ])
})

test('a refusal is thrown at once, with what a program can act on', async () => {
  const facts = { requiredDollars: 0.3, availableDollars: 0.1 }
  startsWith(refused(402, 'INSUFFICIENT_BALANCE', facts))
  const error = await service
    .client()
    .import(url)
    .catch((thrown) => thrown)
  expect(error).toBeInstanceOf(HaulApiError)
  expect(error).toBeInstanceOf(HaulError)
  expect(error).toMatchObject({
    ...{ name: 'HaulApiError', status: 402, code: 'INSUFFICIENT_BALANCE', requestId: 'req_1', details: [] },
    ...{ message: 'The service says INSUFFICIENT_BALANCE.', requiredDollars: 0.3, availableDollars: 0.1 },
  })
  expect(keys()).toHaveLength(1)
})

test.each([
  ['a lost connection', drop, () => ({ name: 'HaulConnectionError', message: expect.stringContaining(service.url) })],
  ['an internal error', refused(500, 'INTERNAL_ERROR'), () => ({ status: 500, requestId: 'req_1' })],
])('after five retries of %s the call rejects with it', async (_, answer, error) => {
  startsWith(answer)
  await expect(service.client().import(url)).rejects.toMatchObject(error())
  expect(keys()).toHaveLength(6)
})

test('a service where nobody listens is reported with the reason of the system', async () => {
  const haul = service.client({ baseUrl: 'http://127.0.0.1:1', maxRetries: 1 })
  await expect(haul.account()).rejects.toThrow(/http:\/\/127\.0\.0\.1:1 failed: .*(ECONNREFUSED|bad port)/)
})

test('Retry-After is waited for, and no longer than maxBusyMs', async () => {
  startsWith(refused(429, 'RATE_LIMITED', { retryAfter: 1 }), started)
  const since = performance.now()
  await service.client().import(url)
  expect(performance.now() - since).toBeGreaterThan(990)

  startsWith(refused(429, 'RATE_LIMITED', { retryAfter: 3_000 }))
  const error = await service
    .client()
    .import(url)
    .catch((thrown) => thrown)
  expect(error).toMatchObject({ status: 429, code: 'RATE_LIMITED', retryAfter: 3_000 })
})

test.each([
  ['a lost connection', drop, HaulConnectionError],
  ['a response that is cut off', cut, HaulConnectionError],
  ['an internal error', refused(500, 'INTERNAL_ERROR'), HaulApiError],
  ['an interruption', refused(503, 'SERVICE_UNAVAILABLE', {}, { 'retry-after': '0' }), HaulApiError],
])(
  'a POST without an Idempotency-Key is not repeated after %s: it may have had its effect',
  async (_, answer, error) => {
    service.on('POST /webhooks/test', answer, data({}))
    await expect(service.client().request('POST', '/webhooks/test')).rejects.toBeInstanceOf(error)
    expect(service.received()).toHaveLength(1)
  },
)

test.each([
  ['a rate limit', refused(429, 'RATE_LIMITED', { retryAfter: 0 })],
  ['a busy service', refused(503, 'SERVICE_BUSY', {}, { 'retry-after': '0' })],
])('it is repeated after %s, where nothing has happened', async (_, answer) => {
  service.on('POST /webhooks/test', answer, data({}))
  await expect(service.client().request('POST', '/webhooks/test')).resolves.toEqual({})
})

test('without a key or an address the error says how to give one', async () => {
  await expect(service.client({ apiKey: '' }).account()).rejects.toThrow('apiKey is missing')
  await expect(service.client({ baseUrl: '' }).account()).rejects.toThrow('HAUL_URL')
})

test('a response that is cut off is read again', async () => {
  service.on('GET /account', cut, data({ accountId: 'acct_1' }))
  expect(await service.client().account()).toEqual({ accountId: 'acct_1' })
})

test('options that are off are left out of the query', async () => {
  service.on('GET /transcribe/transcript', (response) => response.end('Hello.'))
  const text = await service.client().transcript('trn_1', 'txt', { speakers: false, chapters: true })
  expect(text).toBe('Hello.')
  expect(service.received()[0]?.query).toEqual({ id: 'trn_1', format: 'txt', chapters: '1' })
})

test('an address of something else than Haul is reported', async () => {
  service.on('GET /account', (response) => response.end('<html>Welcome</html>'))
  await expect(service.client().account()).rejects.toThrow('Check baseUrl')
})

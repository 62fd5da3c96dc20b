import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { sha256Hex } from '../../../domain/secrets/api-keys.ts'
import { type ApiResponse, type Caller, callApi, claimed, FILM, newCaller, started } from '../support/caller.ts'
import { eventually, expectWithinSeconds, skip, timed } from '../support/clock.ts'
import { countUse } from '../support/counts.ts'

const rate = ({ headers }: ApiResponse) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
})

/** Makes requests until `left` remain in the window. */
const leave = (caller: Caller, rateClass: 'import' | 'status' | 'general', left: number) =>
  runInDurableObject(caller.account, async (account) => {
    const identity = { keyHash: await sha256Hex(caller.apiKey), rateClass, endpoint: '/', needs: [] }
    let remaining = Number.POSITIVE_INFINITY
    while (remaining > left) remaining = (await account.authenticate(identity)).rate.remaining
  })

const classes: [string, string, string][] = [
  ['POST', '/import', '240'],
  ['POST', '/transcribe', '240'],
  ['GET', '/import/status?id=imp_x', '3600'],
  ['GET', '/transcribe/status?id=trn_x', '3600'],
  ['GET', '/jobs/imp_x', '3600'],
  ['GET', '/jobs/imp_x/events', '3600'],
  ['GET', '/events', '3600'],
  ['GET', '/jobs', '3600'],
  ['DELETE', '/jobs/imp_x', '3600'],
  ['GET', '/account', '3600'],
  ['GET', '/account/ledger', '3600'],
  ['GET', '/metadata?url=x', '3600'],
  ['GET', '/storage', '3600'],
  ['GET', '/webhooks/secret', '3600'],
  ['GET', '/import', '3600'],
]

test.each(classes)('%s %s has the headers of its rate class, with and without a key', async (method, path, limit) => {
  const caller = await newCaller()
  const body = method === 'POST' ? {} : undefined
  const response = await callApi(method, path, { key: caller.apiKey, body })
  expect(rate(response)).toEqual({ limit, remaining: `${Number(limit) - 1}` })
  expect(rate(await callApi(method, path, { body }))).toEqual({ limit, remaining: limit })
})

test('each rate class has its own window', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const reads = ['/account', '/jobs', `/jobs/${jobId}`, `/import/status?id=${jobId}`]
  const seen = []
  for (const path of reads) seen.push(rate(await caller.get(path)).remaining)
  expect(seen).toEqual(['3599', '3598', '3599', '3598'])
  expect(rate(await caller.delete(`/jobs/${jobId}`)).remaining).toBe('3597')
})

test('refused bodies, unknown paths and a 402 count', async () => {
  const caller = await newCaller()
  const refused = [
    await caller.post('/import', '{'),
    await caller.post('/import', {}),
    await caller.post('/import', { url: FILM, typo: 1 }),
    await caller.post('/import', 'x', { 'content-type': 'text/plain' }),
    await caller.post('/import', { url: FILM, filler: 'x'.repeat(70_000) }),
    await caller.post('/import', { url: 'http://localhost/' }),
    await caller.post('/import', { url: FILM }, { 'idempotency-key': 'with space' }),
  ]
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 415, 413, 400, 400])
  expect(refused.map((response) => rate(response).remaining)).toEqual(['239', '238', '237', '236', '235', '234', '233'])
  expect(rate(await caller.get('/account/nothing')).remaining).toBe('3599')
  expect(rate(await caller.get('/import/status?id=imp_none')).remaining).toBe('3599')
  const unpaid = await (await newCaller(0)).post('/import', { url: FILM })
  expect([unpaid.status, rate(unpaid).remaining]).toEqual([402, '239'])
})

test('while two imports are running, a third is refused with Retry-After and does not count', async () => {
  const caller = await newCaller()
  await started(caller)
  const second = await started(caller)
  const { value: third, span } = await timed(() => caller.post('/import', { url: FILM }))
  expect(third.status).toBe(429)
  expect(rate(third)).toEqual({ limit: '240', remaining: '238' })
  expect(third.headers.get('retry-after')).toBe(`${third.body.retryAfter}`)
  expect(third.body).toEqual({
    success: false,
    error: 'The limit of 2 concurrent import jobs on /import is reached.',
    code: 'CONCURRENCY_LIMITED',
    requestId: third.headers.get('x-request-id'),
    limit: 2,
    remaining: 0,
    reset: expect.any(Number),
    retryAfter: 5,
    endpoint: '/import',
  })
  expectWithinSeconds(third.body.reset, span, 5)
  await caller.delete(`/jobs/${second}`)
  expect((await caller.post('/import', { url: FILM })).status).toBe(202)
})

test('five transcriptions can run, independent of imports', async () => {
  const caller = await newCaller()
  await started(caller)
  await started(caller)
  const answers = []
  for (let i = 0; i < 6; i++) answers.push(await caller.post('/transcribe', { url: FILM }))
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 429])
  expect(answers[5]?.body).toMatchObject({ code: 'CONCURRENCY_LIMITED', limit: 5, endpoint: '/transcribe' })
})

test('the 241st import in an hour is refused and does not count, and status requests still work', async () => {
  const caller = await newCaller()
  const { value: jobId, span: window } = await timed(() => started(caller))
  await leave(caller, 'import', 0)
  const { value: refused, span } = await timed(() => caller.post('/import', { url: FILM }))
  expect(refused.status).toBe(429)
  expect(refused.body).toEqual({
    success: false,
    error: 'The limit of 240 requests per 1 h on /import is reached.',
    code: 'RATE_LIMITED',
    requestId: refused.headers.get('x-request-id'),
    limit: 240,
    remaining: 0,
    reset: Number(refused.headers.get('x-ratelimit-reset')),
    retryAfter: Number(refused.headers.get('retry-after')),
    endpoint: '/import',
  })
  expectWithinSeconds(refused.body.reset - refused.body.retryAfter, span)
  expectWithinSeconds(refused.body.reset, window, 3_600)
  expect(rate(refused)).toEqual({ limit: '240', remaining: '0' })
  const invalid = await caller.post('/import', {})
  expect([invalid.status, invalid.body.code]).toEqual([429, 'RATE_LIMITED'])
  expect((await caller.get(`/import/status?id=${jobId}`)).status).toBe(200)
})

test('the 3,601st status request in an hour is refused with its path', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  await leave(caller, 'status', 1)
  expect((await caller.get(`/import/status?id=${jobId}`)).status).toBe(200)
  const refused = await caller.get(`/import/status?id=${jobId}`)
  expect([refused.status, refused.body.limit, refused.body.endpoint]).toEqual([429, 3600, '/import/status'])
  expect((await caller.get(`/jobs/${jobId}/events`)).status).toBe(429)
  expect((await caller.get('/account')).status).toBe(200)
})

test('after the window has ended, requests are accepted again', async () => {
  const caller = await newCaller()
  await leave(caller, 'import', 0)
  skip(3_600_000)
  expect(rate(await caller.post('/import', { url: FILM })).remaining).toBe('239')
})

test('queued and running jobs count against the concurrency limit until they end', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  await started(caller)
  const lease = await claimed(caller, jobId)
  expect((await caller.post('/import', { url: FILM })).status).toBe(429)
  await caller.account.failStep(lease, { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true })
  expect((await caller.post('/import', { url: FILM })).status).toBe(202)
})

test('a hundred status requests read nothing from D1, and the last writes the only row', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  await eventually(async () => expect((await caller.get('/jobs')).body.data.jobs).toHaveLength(1))
  await caller.get(`/import/status?id=${jobId}`)
  const counts = await countUse(caller)
  const prepare = vi.spyOn(env.DB, 'prepare')
  onTestFinished(() => prepare.mockRestore())
  const poll = async (times: number) => {
    const { status, headers } = await caller.get(`/import/status?id=${jobId}`)
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([200, `${3_600 - times}`])
  }
  for (let times = 2; times <= 99; times++) await poll(times)
  expect(counts.objectRows).toBe(0)
  await poll(100)
  expect(counts).toMatchObject({ objectRows: 1, objectRequests: { read: 99 } })
  expect(prepare).not.toHaveBeenCalled()
  await evictDurableObject(caller.account)
  await poll(101)
})

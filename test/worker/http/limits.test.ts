import { evictDurableObject, runInDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { expectWithinSeconds, timed } from '../clock.ts'
import { type Answered, ask, type Caller, claimed, completed, FILM, newCaller, started } from './caller.ts'

const rate = ({ headers }: Answered) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
})

/** All but so many requests of the window have been made. */
const leave = (caller: Caller, rateClass: 'import' | 'status' | 'general', left: number) =>
  runInDurableObject(caller.account, async (account) => {
    const pass = { keyHash: await hashOf(caller), rateClass, endpoint: '/' }
    let remaining = Number.POSITIVE_INFINITY
    while (remaining > left) remaining = (await account.enter(pass)).rate.remaining
  })

const hashOf = async ({ apiKey }: Caller): Promise<string> => {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(apiKey))
  return [...new Uint8Array(digest)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}

const classes: [string, string, string][] = [
  ['POST', '/import', '240'],
  ['POST', '/transcribe', '240'],
  ['GET', '/import/status?id=imp_x', '3600'],
  ['GET', '/transcribe/status?id=trn_x', '3600'],
  ['GET', '/jobs/imp_x', '3600'],
  ['GET', '/jobs/imp_x/events', '3600'],
  ['GET', '/jobs', '3600'],
  ['DELETE', '/jobs/imp_x', '3600'],
  ['GET', '/account', '3600'],
  ['GET', '/account/ledger', '3600'],
  ['GET', '/metadata?url=x', '3600'],
  ['GET', '/storage', '3600'],
  ['GET', '/webhooks/secret', '3600'],
  ['GET', '/import', '3600'],
]

test.each(classes)('%s %s speaks of a window of its class, with a key and without', async (method, path, limit) => {
  const caller = await newCaller()
  const body = method === 'POST' ? {} : undefined
  const answered = await ask(method, path, { key: caller.apiKey, body })
  expect(rate(answered)).toEqual({ limit, remaining: `${Number(limit) - 1}` })
  expect(rate(await ask(method, path, { body }))).toEqual({ limit, remaining: limit })
})

test('each class has a window of its own', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const reads = ['/account', '/jobs', `/jobs/${jobId}`, `/import/status?id=${jobId}`]
  const seen = []
  for (const path of reads) seen.push(rate(await caller.get(path)).remaining)
  expect(seen).toEqual(['3599', '3598', '3599', '3598'])
  expect(rate(await caller.delete(`/jobs/${jobId}`)).remaining).toBe('3597')
})

test('a request that is refused for its body counts, and so does one that is not found', async () => {
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
  expect(refused.map((answered) => rate(answered).remaining)).toEqual(['239', '238', '237', '236', '235', '234', '233'])
  expect(rate(await caller.get('/account/nothing')).remaining).toBe('3599')
  expect(rate(await caller.get('/import/status?id=imp_none')).remaining).toBe('3599')
})

test('a hold that does not fit counts', async () => {
  const caller = await newCaller(0)
  const refused = await caller.post('/import', { url: FILM })
  expect([refused.status, rate(refused).remaining]).toEqual([402, '239'])
})

test('when two imports run, a third is refused, does not count, and says when to come back', async () => {
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

test('a job that has ended makes room for the next', async () => {
  const caller = await newCaller()
  await started(caller)
  await completed(caller)
  expect((await caller.post('/import', { url: FILM })).status).toBe(202)
})

test('transcriptions have room of their own, for five', async () => {
  const caller = await newCaller()
  await started(caller)
  await started(caller)
  const answers = []
  for (let i = 0; i < 6; i++) answers.push(await caller.post('/transcribe', { url: FILM }))
  expect(answers.map(({ status }) => status)).toEqual([202, 202, 202, 202, 202, 429])
  expect(answers[5]?.body).toMatchObject({ code: 'CONCURRENCY_LIMITED', limit: 5, endpoint: '/transcribe' })
})

test('the 241st start of an hour is refused, does not count, and polls go on', async () => {
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

test('the 3,601st poll of an hour is refused with the path that was polled', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  await leave(caller, 'status', 1)
  expect((await caller.get(`/import/status?id=${jobId}`)).status).toBe(200)
  const refused = await caller.get(`/import/status?id=${jobId}`)
  expect([refused.status, refused.body.limit, refused.body.endpoint]).toEqual([429, 3600, '/import/status'])
  expect((await caller.get(`/jobs/${jobId}/events`)).status).toBe(429)
  expect((await caller.get('/account')).status).toBe(200)
})

test('a window that is over lets in again', async () => {
  const caller = await newCaller()
  await leave(caller, 'import', 0)
  await runInDurableObject(caller.account, (_, { storage }) => {
    storage.sql.exec("UPDATE windows SET started_at = started_at - 3600000 WHERE class = 'import'")
  })
  await evictDurableObject(caller.account)
  expect(rate(await caller.post('/import', { url: FILM })).remaining).toBe('239')
})

test('what waits for a lease or runs counts as running until it ends', async () => {
  const caller = await newCaller()
  const jobId = await started(caller)
  await started(caller)
  const lease = await claimed(caller, jobId)
  expect((await caller.post('/import', { url: FILM })).status).toBe(429)
  await caller.account.failStep(lease, { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true })
  expect((await caller.post('/import', { url: FILM })).status).toBe(202)
})

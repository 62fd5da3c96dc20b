import { evictDurableObject } from 'cloudflare:test'
import { expect, test } from 'vitest'
import { type ApiResponse, asOperator, type Caller, FILM, newCaller, started } from '../support/caller.ts'

const setLimits = async ({ accountId }: Caller, limits: object) => {
  const { status, body } = await asOperator('PATCH', `/admin/accounts/${accountId}`, { limits })
  expect(status).toBe(200)
  return body.data.limits
}

const rate = ({ status, headers }: ApiResponse) => [
  status,
  headers.get('x-ratelimit-limit'),
  headers.get('x-ratelimit-remaining'),
]

test('a changed rate limit is in the headers, the account and the 429 of the next requests', async () => {
  const caller = await newCaller()
  await caller.get('/import/status?id=imp_x')
  await setLimits(caller, { requestsPerHour: { status: 3, general: 5_000 } })
  expect(rate(await caller.get('/import/status?id=imp_x'))).toEqual([404, '3', '1'])
  expect(rate(await caller.get('/import/status?id='))).toEqual([400, '3', '0'])
  const refused = await caller.get('/import/status?id=imp_x')
  expect(rate(refused)).toEqual([429, '3', '0'])
  expect(refused.body).toMatchObject({
    code: 'RATE_LIMITED',
    limit: 3,
    error: 'The limit of 3 requests per 1 h on /import/status is reached.',
  })
  const account = await caller.get('/account')
  expect(rate(account)).toEqual([200, '5000', '4999'])
  expect(account.body.data.limits).toMatchObject({
    requestsPerHour: { import: 240, transcribe: 240, status: 3, general: 5_000 },
  })
})

test('a higher limit ends a 429, and null brings the default back', async () => {
  const caller = await newCaller()
  await setLimits(caller, { requestsPerHour: { status: 1 } })
  const poll = () => caller.get('/import/status?id=imp_x')
  expect([(await poll()).status, (await poll()).status]).toEqual([404, 429])
  await setLimits(caller, { requestsPerHour: { status: 2 } })
  expect([(await poll()).status, (await poll()).status]).toEqual([404, 429])
  await setLimits(caller, { requestsPerHour: { status: null } })
  expect(rate(await poll())).toEqual([404, '3600', '3597'])
})

test('an eviction of the object gives back no more than a thirtieth of a small limit', async () => {
  const caller = await newCaller()
  await setLimits(caller, { requestsPerHour: { status: 60 } })
  const poll = () => caller.get('/import/status?id=imp_x')
  for (let times = 0; times < 20; times++) await poll()
  await evictDurableObject(caller.account)
  expect(Number((await poll()).headers.get('x-ratelimit-remaining'))).toBeLessThanOrEqual(60 - 20 - 1 + 2)
})

test('a changed concurrency limit is that of the next start and of its 429', async () => {
  const caller = await newCaller()
  await setLimits(caller, { concurrentJobs: { import: 3 } })
  for (let times = 0; times < 3; times++) await started(caller)
  const refused = await caller.post('/import', { url: FILM })
  expect(refused.body).toMatchObject({ code: 'CONCURRENCY_LIMITED', limit: 3 })
  expect(refused.body.error).toBe('The limit of 3 concurrent import jobs on /import is reached.')
  expect(await setLimits(caller, { concurrentJobs: { import: 1, transcription: 6 } })).toMatchObject({
    concurrentJobs: { import: 1, transcription: 6 },
  })
  expect((await caller.post('/import', { url: FILM })).body.limit).toBe(1)
  expect((await caller.get('/account')).body.data.limits.concurrentJobs).toEqual({ import: 1, transcription: 6 })
})

import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import { failure } from '../../../../domain/codes/failures.ts'
import { reuseKeyOf } from '../../../../domain/jobs/reuse-key.ts'
import { micros } from '../../../../domain/money/money.ts'
import { sha256Hex } from '../../../../domain/secrets/api-keys.ts'
import { admission, finishImport, importRequest } from '../../support/account.ts'
import { asOperator, type Caller, callApi, claimed, FILM, newCaller, started } from '../../support/caller.ts'
import { eventually, runAlarm, skip } from '../../support/clock.ts'
import { expectLogged } from '../../support/expected-log.ts'

const keyed = (key: string) => ({ 'idempotency-key': key })

test.each(['/import', '/transcribe'])(
  'POST %s with the same key and body returns the same job and response, starts no second job, and counts',
  async (path) => {
    const caller = await newCaller()
    const first = await caller.post(path, { url: FILM }, keyed('order-7'))
    const again = await caller.post(path, { url: FILM }, keyed('order-7'))
    expect([first, again].map(({ status }) => status)).toEqual([202, 202])
    expect(again.body).toEqual(first.body)
    expect((await caller.get('/account')).body.data.heldDollars).toBe(path === '/import' ? 0.153421 : 0.01)
    expect([first, again].map(({ headers }) => headers.get('x-ratelimit-remaining'))).toEqual(['239', '238'])
  },
)

test.each<[string, (caller: Caller, jobId: string) => Promise<unknown>]>([
  ['after the job has ended', (caller, jobId) => caller.delete(`/jobs/${jobId}`)],
  ['even if the concurrency limit is reached', (caller) => caller.post('/import', { url: FILM })],
])('the response stays the same %s', async (_, change) => {
  const caller = await newCaller()
  const first = await caller.post('/import', { url: FILM }, keyed('order-7'))
  await change(caller, first.body.data.jobId)
  const again = await caller.post('/import', { url: FILM }, keyed('order-7'))
  expect([again.status, again.body]).toEqual([202, first.body])
})

test('the same key with a different body is a mismatch', async () => {
  const caller = await newCaller()
  await caller.post('/import', { url: FILM }, keyed('order-7'))
  const { status, body } = await caller.post('/import', { url: FILM, includeVideo: false }, keyed('order-7'))
  expect([status, body.code]).toEqual([422, 'IDEMPOTENCY_MISMATCH'])
  expect((await caller.post('/transcribe', { url: FILM }, keyed('order-7'))).status).toBe(422)
})

test('keys of different accounts are independent', async () => {
  const [one, other] = [await newCaller(), await newCaller()]
  const first = await one.post('/import', { url: FILM }, keyed('order-7'))
  const second = await other.post('/import', { url: FILM, includeVideo: false }, keyed('order-7'))
  expect([first.status, second.status]).toEqual([202, 202])
})

test('of ten simultaneous requests with one key, one starts the job and the others return it or 409', async () => {
  const caller = await newCaller()
  const all = await Promise.all(
    Array.from({ length: 10 }, () => caller.post('/import', { url: FILM }, keyed('order-7'))),
  )
  const accepted = all.filter(({ status }) => status === 202)
  expect(new Set(accepted.map(({ body }) => body.data.jobId)).size).toBe(1)
  const others = all.filter(({ status }) => status !== 202)
  for (const { status, body } of others) expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect((await caller.get('/account')).body.data.heldDollars).toBe(0.153421)
})

test('while the first request is running, a retry is a 409 and a different body is a mismatch', async () => {
  const caller = await newCaller()
  const url = `https://held.example/wait/${caller.accountId}`
  const first = caller.post('/import', { url }, keyed('order-7'))
  await eventually(async () => expect((await fetch(url.replace('wait', 'has'))).status).toBe(200))
  const { status, body } = await caller.post('/import', { url }, keyed('order-7'))
  expect([status, body.code]).toEqual([409, 'IDEMPOTENCY_IN_PROGRESS'])
  expect((await caller.post('/import', { url: FILM }, keyed('order-7'))).status).toBe(422)
  await fetch(url.replace('wait', 'go'))
  expect((await first).status).toBe(202)
})

test.each([
  ['its URL is unreachable', { url: 'http://localhost/' }, 400],
  ['no bucket is set', { url: FILM, store: true }, 400],
  ['its body is not valid', { url: FILM, typo: 1 }, 400],
])('after a request that was refused because %s, the key is free for another request', async (_, body, status) => {
  const caller = await newCaller()
  expect((await caller.post('/import', body, keyed('order-7'))).status).toBe(status)
  expect((await caller.post('/import', { url: FILM }, keyed('order-7'))).status).toBe(202)
})

test('after a request that was refused for the concurrency limit or the balance, the key is free', async () => {
  const caller = await newCaller(0.32)
  const order = async () => (await caller.post('/import', { url: FILM }, keyed('order-7'))).status
  const [job, other] = [await started(caller), await started(caller)]
  expect([await order(), await order()]).toEqual([429, 429])
  await caller.delete(`/jobs/${other}`)
  await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, { prices: { downloadPerMegabyte: 0.02 } })
  expect(await order()).toBe(402)
  await caller.delete(`/jobs/${job}`)
  expect(await order()).toBe(202)
})

test('after an internal error the key is free', async () => {
  expectLogged('error', /POST \/import .*D1 is gone/)
  const caller = await newCaller()
  vi.spyOn(env.DB, 'prepare').mockImplementationOnce(() => {
    throw new Error('D1 is gone')
  })
  expect((await caller.post('/import', { url: FILM, store: true }, keyed('order-7'))).status).toBe(500)
  expect((await caller.post('/import', { url: FILM }, keyed('order-7'))).status).toBe(202)
})

test.each(['', 'with space', 'tab\tinside', 'x'.repeat(256)])('the key "%s" is refused', async (key) => {
  const { status, body } = await (await newCaller()).post('/import', { url: FILM }, keyed(key))
  expect([status, body.code, body.details?.[0]?.path]).toEqual([400, 'INVALID_REQUEST', 'Idempotency-Key'])
})

test('a key expires after 24 hours', async () => {
  const caller = await newCaller()
  const first = await caller.post('/import', { url: FILM }, keyed('order-7'))
  // Far less than the hour that other limits of requests take.
  skip(24 * 3_600_000 - 60_000)
  expect((await caller.post('/import', { url: FILM }, keyed('order-7'))).body).toEqual(first.body)
  skip(60_000)
  expect((await caller.post('/import', { url: FILM, includeVideo: false }, keyed('order-7'))).status).toBe(202)
  await runAlarm(caller.account)
})

/** A source that delays its response, and reports whether it was requested. */
const source = (name: string) => ({
  url: `https://held.example/wait/${name}`,
  wasRequested: async () => (await fetch(`https://held.example/has/${name}`)).ok,
})

describe('the account is asked before the source', () => {
  const changed = async (changes: object) => {
    const caller = await newCaller()
    await asOperator('PATCH', `/admin/accounts/${caller.accountId}`, changes)
    return caller
  }
  const revoked = async () => {
    const caller = await newCaller()
    await asOperator('DELETE', `/admin/accounts/${caller.accountId}/keys/${caller.keyId}`)
    return caller
  }
  const withoutBudget = async (): Promise<Caller> => {
    const caller = await newCaller()
    const { apiKey } = (await caller.post('/keys', { name: 'x', dollarsPerMonth: 0 })).body.data
    return { ...caller, post: (path, body) => callApi('POST', path, { key: apiKey, body }) }
  }
  /** One job of each kind runs. */
  const begun = async (given: Promise<Caller>) => {
    const caller = await given
    await started(caller)
    await caller.post('/transcribe', { url: FILM })
    return caller
  }
  const withoutFreeWork = async () => {
    const caller = await changed({ limits: { freeWork: { bytesPerHour: 1 } } })
    const lease = await claimed(caller, await started(caller))
    await caller.account.failStep(lease, failure('SOURCE_TRUNCATED'), 7)
    return caller
  }

  /** Each leads to an account whose first request with the source is refused. */
  const refusals: [code: string, status: number, lead: () => Promise<Caller>][] = [
    ['UNAUTHORIZED', 401, revoked],
    ['ACCOUNT_SUSPENDED', 403, () => changed({ suspended: true })],
    ['INSUFFICIENT_BALANCE', 402, () => newCaller(0)],
    ['KEY_BUDGET_EXCEEDED', 402, withoutBudget],
    ['CONCURRENCY_LIMITED', 429, () => begun(changed({ limits: { concurrentJobs: { import: 1, transcription: 1 } } }))],
    ['RATE_LIMITED', 429, () => begun(changed({ limits: { requestsPerHour: { import: 1, transcribe: 1 } } }))],
    ['FREE_WORK_LIMITED', 429, withoutFreeWork],
  ]

  test.each(refusals.flatMap((row) => ['/import', '/transcribe'].map((path) => [path, ...row] as const)))(
    'for POST %s that is refused with %s',
    async (path, code, status, lead) => {
      const caller = await lead()
      const { url, wasRequested } = source(`${code}${path.slice(1)}`)
      const answer = await caller.post(path, { url })
      expect([answer.status, answer.body.code, await wasRequested()]).toEqual([status, code, false])
    },
  )

  test('for a start whose answer is an earlier job', async () => {
    const caller = await newCaller()
    const { url, wasRequested } = source('answered')
    // The account itself does not ask for the URL.
    const request = importRequest({ url })
    const identity = { keyHash: await sha256Hex(caller.apiKey), rateClass: 'import', endpoint: '/', needs: [] } as const
    const admitted = admission(micros(10_000), {
      request,
      reuseKey: await reuseKeyOf(request),
      idempotency: { key: 'order-9', fingerprint: await sha256Hex(`POST /import\n${JSON.stringify({ url })}`) },
    })
    const { result } = await caller.account.admit(identity, admitted)
    const jobId = result.ok ? result.value.jobId : ''
    expect((await caller.post('/import', { url }, keyed('order-9'))).body.data.jobId).toBe(jobId)
    await finishImport(caller.account, jobId, 1_000)
    const reused = await caller.post('/import', { url, reuseWithinSeconds: 60 })
    expect(reused.body.data).toMatchObject({ jobId, reused: true })
    expect(await wasRequested()).toBe(false)
  })

  test('and a refusal by a limit does not count', async () => {
    const caller = await newCaller()
    const [job] = [await started(caller), await started(caller)]
    const { status, headers } = await caller.post('/import', { url: FILM })
    expect([status, headers.get('x-ratelimit-remaining')]).toEqual([429, '238'])
    await caller.delete(`/jobs/${job}`)
    expect((await caller.post('/import', { url: FILM })).status).toBe(202)
  })
})

import { expect, test } from 'vitest'
import { fetchedFile, fetchedImport } from '../support/account.ts'
import {
  asOperator,
  type Caller,
  callApi,
  claimed,
  completed,
  FILM,
  newCaller,
  path,
  started,
} from '../support/caller.ts'

const suspend = async ({ accountId }: Caller, suspended = true): Promise<void> => {
  const { status, body } = await asOperator('PATCH', `/admin/accounts/${accountId}`, { suspended })
  expect([status, body.data.suspended]).toEqual([200, suspended])
}

const keyed = (key: string) => ({ 'idempotency-key': key })

test.each(['/import', '/transcribe'])('POST %s of a suspended account is a 403 that counts', async (endpoint) => {
  const caller = await newCaller()
  await suspend(caller)
  for (const remaining of ['239', '238', '237']) {
    const { status, headers, body } = await caller.post(endpoint, { url: FILM })
    expect(status).toBe(403)
    expect(headers.get('x-ratelimit-remaining')).toBe(remaining)
    expect(body).toEqual({
      success: false,
      error: 'The account is suspended and cannot start jobs. Contact the operator of the service.',
      code: 'ACCOUNT_SUSPENDED',
      requestId: headers.get('x-request-id'),
    })
  }
  expect((await caller.get('/account')).body.data).toMatchObject({ heldDollars: 0, balanceDollars: 10 })
})

test('a suspended account learns nothing about a URL, and its starts request none after the first', async () => {
  const caller = await newCaller()
  await suspend(caller)
  const start = (url: string, headers = {}) => caller.post('/import', { url }, headers)
  expect((await start('https://status.example/404')).body.code).toBe('ACCOUNT_SUSPENDED')
  const wasRequested = async (name: string) => (await fetch(`https://held.example/has/${name}`)).ok
  expect((await start('https://held.example/wait/suspended')).status).toBe(403)
  expect(await wasRequested('suspended')).toBe(false)
  const other = await newCaller()
  await suspend(other)
  const url = 'https://held.example/wait/suspended-with-key'
  expect((await other.post('/import', { url }, keyed('order-7'))).status).toBe(403)
  expect(await wasRequested('suspended-with-key')).toBe(false)
})

test('while an account is suspended, its jobs run and are charged, and it reads, downloads and cancels', async () => {
  const caller = await newCaller()
  const done = await completed(caller)
  const [running, queued] = [await started(caller), await started(caller)]
  const lease = await claimed(caller, running)
  await suspend(caller)
  expect(await caller.account.finishFetch(lease, fetchedFile(fetchedImport(1_000)))).toBe('accepted')
  expect((await caller.get(`/import/status?id=${running}`)).body.data.status).toBe('completed')
  const { body } = await caller.get(`/import/status?id=${done}`)
  expect((await callApi('GET', path(body.data.result.mediaUrl))).status).toBe(200)
  expect((await caller.delete(`/jobs/${queued}`)).body.data.code).toBe('CANCELED')
  const reads = ['/account', '/account/ledger', '/jobs', '/webhooks/secret', '/webhooks/deliveries', '/storage']
  for (const read of reads) expect([read, (await caller.get(read)).status]).not.toEqual([read, 403])
  expect((await caller.post('/webhooks/secret/rotate', undefined)).status).toBe(200)
  expect((await caller.get('/account')).body.data).toMatchObject({ heldDollars: 0, balanceDollars: 9.99998 })
})

test('a job of before the suspension is returned to its Idempotency-Key, and after it starts work again, also with a key that was refused', async () => {
  const caller = await newCaller()
  const first = await caller.post('/import', { url: FILM }, keyed('order-7'))
  await suspend(caller)
  const again = await caller.post('/import', { url: FILM }, keyed('order-7'))
  expect([again.status, again.body]).toEqual([202, first.body])
  expect((await caller.post('/import', { url: FILM }, keyed('order-8'))).status).toBe(403)
  expect((await caller.post('/import', { url: FILM, includeVideo: false }, keyed('order-7'))).status).toBe(422)
  await suspend(caller, false)
  expect((await caller.post('/import', { url: FILM }, keyed('order-8'))).status).toBe(202)
  await caller.delete(`/jobs/${first.body.data.jobId}`)
  expect((await caller.post('/import', { url: FILM })).status).toBe(202)
})

test('a start that is admitted while the account is being suspended is a 403 and holds nothing', async () => {
  const caller = await newCaller()
  const url = `https://held.example/wait/${caller.accountId}`
  const start = caller.post('/import', { url })
  await expect.poll(async () => (await fetch(url.replace('wait', 'has'))).ok).toBe(true)
  await suspend(caller)
  await fetch(url.replace('wait', 'go'))
  expect((await start).status).toBe(403)
  expect((await caller.get('/account')).body.data.heldDollars).toBe(0)
})

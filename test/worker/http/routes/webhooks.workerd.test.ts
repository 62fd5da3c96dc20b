import { expect, test } from 'vitest'
import { attemptErrors } from '../../../../worker/account/webhooks/webhook-delivery.ts'
import { type Caller, claimed, FILM, newCaller } from '../../support/caller.ts'
import { expectWithin, shortenTimeouts, timed } from '../../support/clock.ts'
import { answered } from '../../support/webhook-deliveries.ts'

const ISO = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const hook = 'https://receiver.example/hook'

/** A failed job with a webhookUrl. */
const failedWithWebhook = async (caller: Caller): Promise<string> => {
  const { jobId } = (await caller.post('/import', { url: FILM, webhookUrl: hook })).body.data
  const lease = await claimed(caller, jobId)
  await caller.account.failStep(lease, { code: 'SOURCE_BLOCKED', message: 'Blocked.', retryable: true })
  return jobId
}

test('each account has its own signing secret, which stays the same and is not cached', async () => {
  const [one, other] = [await newCaller(), await newCaller()]
  const first = await one.get('/webhooks/secret')
  expect(first.body.data).toEqual({
    secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    createdAt: expect.stringMatching(ISO),
    previousExpiresAt: null,
  })
  expect(first.headers.get('cache-control')).toBe('no-store')
  expect((await one.get('/webhooks/secret')).body).toEqual(first.body)
  expect((await other.get('/webhooks/secret')).body.data.secret).not.toBe(first.body.data.secret)
})

test('a rotated secret is valid for 24 more hours', async () => {
  const caller = await newCaller()
  const before = (await caller.get('/webhooks/secret')).body.data
  const { value, span } = await timed(() => caller.post('/webhooks/secret/rotate', undefined))
  const { status, body } = value
  expect(status).toBe(200)
  expect(body.data.secret).not.toBe(before.secret)
  expectWithin(Date.parse(body.data.previousExpiresAt), span, 24 * 3_600_000)
  expect((await caller.get('/webhooks/secret')).body.data).toEqual(body.data)
})

test('deliveries are listed by job and by status, in pages', async () => {
  const caller = await newCaller()
  const jobs = [await failedWithWebhook(caller), await failedWithWebhook(caller), await failedWithWebhook(caller)]
  const { body } = await caller.get(`/webhooks/deliveries?jobId=${jobs[1]}`)
  expect(body.data).toEqual({
    deliveries: [
      {
        id: expect.stringMatching(/^evt_/),
        type: 'import.failed',
        jobId: jobs[1],
        batchId: null,
        watchId: null,
        url: hook,
        status: 'pending',
        attempts: 0,
        createdAt: expect.stringMatching(ISO),
        lastAttemptAt: null,
        nextAttemptAt: expect.stringMatching(ISO),
        responseStatus: null,
        responseBody: null,
        error: null,
      },
    ],
    nextCursor: null,
  })
  const first = (await caller.get('/webhooks/deliveries?limit=2')).body.data
  const second = (await caller.get(`/webhooks/deliveries?limit=2&cursor=${first.nextCursor}`)).body.data
  const seen = [...first.deliveries, ...second.deliveries].map(({ jobId }: { jobId: string }) => jobId)
  expect([seen, second.nextCursor]).toEqual([jobs.toReversed(), null])
  expect((await caller.get('/webhooks/deliveries?status=failed')).body.data.deliveries).toEqual([])
})

test('webhooks of another account cannot be listed or replayed', async () => {
  const [owner, other] = [await newCaller(), await newCaller()]
  const jobId = await failedWithWebhook(owner)
  const [delivery] = (await owner.get('/webhooks/deliveries')).body.data.deliveries
  expect((await other.get(`/webhooks/deliveries?jobId=${jobId}`)).body.data.deliveries).toEqual([])
  const { status, body } = await other.post(`/webhooks/deliveries/${delivery.id}/replay`, undefined)
  expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
})

test.each([
  ['https://status.example/204', 'delivered', 204, null],
  ['https://status.example/500', 'failed', 500, attemptErrors.REFUSED],
  ['https://moved.example/1/https://status.example/204', 'failed', 302, attemptErrors.REDIRECTED],
  ['https://refused.example/', 'failed', null, attemptErrors.CONNECTION_FAILED],
])('a test webhook to %s is %s at once, and is listed', async (url, state, responseStatus, error) => {
  const caller = await newCaller()
  const { status, body } = await caller.post('/webhooks/test', { url })
  const result = { type: 'webhook.test', jobId: null, status: state, attempts: 1, responseStatus, error }
  expect([status, body.data]).toMatchObject([200, result])
  expect((await caller.get('/webhooks/deliveries')).body.data.deliveries).toEqual([body.data])
  // Only those of jobs and batches.
  expect((await caller.get('/account')).body.data.failedDeliveries).toBe(0)
})

test('a receiver that does not respond within 15 seconds has failed', async () => {
  const asked = shortenTimeouts(10)
  const { body } = await (await newCaller()).post('/webhooks/test', { url: 'https://slow.example/' })
  expect(body.data).toMatchObject({ status: 'failed', responseStatus: null, error: attemptErrors.TIMED_OUT })
  expect(asked).toContain(15_000)
})

test.each([
  ['no url', {}],
  ['a typo', { url: hook, secret: 'x' }],
  ['a private address', { url: 'http://169.254.169.254/latest' }],
  ['a private IPv6 address', { url: 'http://[::1]/' }],
  ['a local name', { url: 'http://printer.local/' }],
  ['a name with a private address', { url: 'https://inside.example/' }],
  ['credentials', { url: 'https://me:secret@receiver.example/' }],
])('a test webhook with %s is refused, and nothing is sent', async (_, body) => {
  const caller = await newCaller()
  const response = await caller.post('/webhooks/test', body)
  expect([response.status, response.body.code]).toEqual([400, 'INVALID_REQUEST'])
  expect((await caller.get('/webhooks/deliveries')).body.data.deliveries).toEqual([])
})

test.each([{}, { since: 'yesterday' }, { since: '2026-11-21' }, { since: 0 }])(
  'a replay since %o is refused',
  async (body) => {
    expect((await (await newCaller()).post('/webhooks/deliveries/replay', body)).status).toBe(400)
  },
)

test('webhooks are replayed under their id, all failed ones or one by its id', async () => {
  const caller = await newCaller()
  for (let count = 0; count < 2; count++) await failedWithWebhook(caller)
  const list = async (query = '') => (await caller.get(`/webhooks/deliveries${query}`)).body.data.deliveries
  const [pending, failed] = await list()
  const claimed = await caller.account.claimDelivery(failed.id)
  await caller.account.reportDelivery({ id: failed.id, lease: claimed?.lease ?? '', outcome: answered(410) })
  expect(await list('?status=failed')).toMatchObject([{ id: failed.id, status: 'failed', responseStatus: 410 }])
  expect(await list('?status=pending')).toMatchObject([{ id: pending.id }])
  const all = await caller.post('/webhooks/deliveries/replay', { since: '2026-01-01T00:00:00Z' })
  expect([all.status, all.body.data]).toEqual([200, { replayed: 1, more: false }])
  const one = await caller.post(`/webhooks/deliveries/${pending.id}/replay`, undefined)
  expect([one.status, one.body.data]).toMatchObject([200, { id: pending.id, status: 'pending' }])
  expect(await list()).toMatchObject([pending.id, failed.id].map((id) => ({ id, status: 'pending', attempts: 0 })))
})

import { expect, test } from 'vitest'
import { type Caller, claimed, FILM, newCaller } from '../../support/caller.ts'
import { expectWithin, timed } from '../../support/clock.ts'

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

test('a replayed webhook keeps its id', async () => {
  const caller = await newCaller()
  await failedWithWebhook(caller)
  const [delivery] = (await caller.get('/webhooks/deliveries')).body.data.deliveries
  const { status, body } = await caller.post(`/webhooks/deliveries/${delivery.id}/replay`, undefined)
  expect([status, body.data.id, body.data.status]).toEqual([200, delivery.id, 'pending'])
})

test('webhooks of another account cannot be listed or replayed', async () => {
  const [owner, other] = [await newCaller(), await newCaller()]
  const jobId = await failedWithWebhook(owner)
  const [delivery] = (await owner.get('/webhooks/deliveries')).body.data.deliveries
  expect((await other.get(`/webhooks/deliveries?jobId=${jobId}`)).body.data.deliveries).toEqual([])
  const { status, body } = await other.post(`/webhooks/deliveries/${delivery.id}/replay`, undefined)
  expect([status, body.code]).toEqual([404, 'NOT_FOUND'])
})

test('a test webhook returns its result and is listed', async () => {
  const caller = await newCaller()
  const { status, body } = await caller.post('/webhooks/test', { url: 'https://status.example/204' })
  expect(status).toBe(200)
  expect(body.data).toMatchObject({
    type: 'webhook.test',
    jobId: null,
    status: 'delivered',
    attempts: 1,
    responseStatus: 204,
  })
  const refused = await caller.post('/webhooks/test', { url: 'https://status.example/500' })
  expect(refused.body.data).toMatchObject({ status: 'failed', attempts: 1, responseStatus: 500 })
  expect((await caller.get('/webhooks/deliveries')).body.data.deliveries).toHaveLength(2)
})

test.each([
  ['no url', {}],
  ['a typo', { url: hook, secret: 'x' }],
  ['a private address', { url: 'http://169.254.169.254/latest' }],
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

test('only failed webhooks are replayed', async () => {
  const caller = await newCaller()
  await failedWithWebhook(caller)
  const { status, body } = await caller.post('/webhooks/deliveries/replay', { since: '2026-01-01T00:00:00Z' })
  expect([status, body.data]).toEqual([200, { replayed: 0, more: false }])
})

import { expect, test } from 'vitest'
import { hang, inTurn, type Received, reset, respond } from '../../doubles/webhook-receiver.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { type Delivery, deliveriesOf, deliveryOf, reported } from '../../support/product/deliveries.ts'
import { product } from '../../support/product/product.ts'
import { verifyWebhook } from '../../support/product/verify-webhook.ts'
import { randomFrom } from '../../support/random-numbers.ts'

/** Webhooks as receivers get them, and what happens when a receiver fails. */
const site = product()

/** For tests with an attempt that times out after 15 s, or with dozens of attempts. */
const SLOW_RECEIVER_TIMEOUT_MS = 90_000

const secretOf = async (client: AccountClient) => (await client.get<{ secret: string }>('/webhooks/secret')).secret

test('a finished import sends one signed webhook with the response of the status endpoint', async () => {
  const [client, path] = await site.newPair()
  const jobId = await site.start(client, path)
  const [received] = (await site.receiver.wait(path, 1)) as [Received]
  const status = await client.get<{ completedAt: string }>(`/import/status?id=${jobId}`)
  const event = verifyWebhook(await secretOf(client), received)
  expect(event).toEqual({ type: 'import.completed', timestamp: status.completedAt, data: status })
  expect(received.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Haul-Webhooks/1.0' })
  const delivery = await reported(client, jobId)
  const success = { status: 'delivered', attempts: 1, responseStatus: 200 }
  expect(delivery).toMatchObject({ id: received.headers['webhook-id'], ...success })
})

test('a receiver that fails half the time gets every event, and can verify each one', {
  timeout: SLOW_RECEIVER_TIMEOUT_MS,
}, async () => {
  const [client, path] = await site.newPair()
  const random = randomFrom(20261121)
  site.receiver.behave(path, (response, before, received) => {
    const behaviour = [respond(204), respond(200, 'ok'), respond(500), reset][Math.floor(random() * 4)]
    behaviour?.(response, before, received)
  })
  const jobIds: string[] = []
  for (let i = 0; i < 30; i++) jobIds.push(await site.startAndCancel(client, path))

  // The client replays failed deliveries, because the retry schedule would take minutes.
  for (let round = 0; round < 20; round++) {
    for (const jobId of jobIds) await reported(client, jobId)
    const pending = await deliveriesOf(client, '&status=pending')
    if (pending.length === 0) break
    for (const { id } of pending) await client.post(`/webhooks/deliveries/${id}/replay`)
  }

  const deliveries = await deliveriesOf(client)
  expect(deliveries.map(({ status }) => status)).toEqual(jobIds.map(() => 'delivered'))
  const secret = await secretOf(client)
  const events = site.receiver
    .at(path)
    .map((received) => ({ id: received.headers['webhook-id'], ...verifyWebhook(secret, received) }))
  expect(new Set(events.map(({ id }) => id))).toEqual(new Set(deliveries.map(({ id }) => id)))
  expect(new Set(events.map(({ data }) => (data as { jobId: string }).jobId))).toEqual(new Set(jobIds))
})

test('a receiver that hangs times out after 15 seconds and does not delay other receivers', {
  timeout: SLOW_RECEIVER_TIMEOUT_MS,
}, async () => {
  const [client, other] = [await site.newClient(), await site.newClient()]
  const [stuck, free] = [site.newPath(), site.newPath()]
  site.receiver.behave(stuck, hang)
  const jobIds = await Promise.all([site.startAndCancel(client, stuck), site.startAndCancel(client, stuck)])
  await site.receiver.wait(stuck, 2)
  for (let i = 0; i < 10; i++) {
    const jobId = await site.startAndCancel(other, free)
    await site.receiver.wait(free, i + 1)
    expect(await reported(other, jobId)).toMatchObject({ status: 'delivered', attempts: 1 })
  }
  const [request] = site.receiver.at(free) as [Received]
  for (const jobId of jobIds) {
    const delivery = await reported(client, jobId)
    // Both of the first two attempts were still running.
    expect(request.at).toBeLessThan(Date.parse(delivery.lastAttemptAt) + 15_000)
    expect(delivery).toMatchObject({ status: 'pending', responseStatus: null })
    expect(delivery.error).toBe('The receiver did not respond within 15 seconds.')
    const waited = Date.parse(delivery.nextAttemptAt ?? '') - Date.parse(delivery.lastAttemptAt)
    expect(waited).toBeGreaterThan(15_000 + 4_000)
  }
})

test('after a connection reset the attempt is retried within seconds, with the same id and body', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(reset, respond(200)))
  const jobId = await site.startAndCancel(client, path)
  const [first, second] = (await site.receiver.wait(path, 2)) as [Received, Received]
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(second.body).toBe(first.body)
  expect(Number(second.headers['webhook-timestamp'])).toBeGreaterThan(Number(first.headers['webhook-timestamp']))
  expect(second.at - first.at).toBeGreaterThan(3_900)
  expect(await reported(client, jobId, 2)).toMatchObject({ status: 'delivered', attempts: 2 })
})

test('a redirect is not followed', async () => {
  const [client, path, elsewhere] = [await site.newClient(), site.newPath(), site.newPath()]
  site.receiver.behave(path, respond(307, '', { location: `${site.receiver.url}${elsewhere}` }))
  const delivery = await reported(client, await site.startAndCancel(client, path))
  expect(delivery).toMatchObject({ status: 'pending', responseStatus: 307 })
  expect(delivery.error).toBe('The receiver responded with a redirect. Redirects are not followed.')
  expect(site.receiver.at(elsewhere)).toEqual([])
})

test('a receiver that returns 410 gets no more attempts, and the account shows a failed delivery', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(respond(410, 'no longer'), respond(200)))
  const since = new Date().toISOString()
  const jobId = await site.startAndCancel(client, path)
  expect(await reported(client, jobId)).toMatchObject({ status: 'failed', attempts: 1, responseBody: 'no longer' })
  expect(await client.get('/account')).toMatchObject({ failedDeliveries: 1 })

  expect(await client.post('/webhooks/deliveries/replay', { since })).toEqual({ replayed: 1, more: false })
  const [first, second] = (await site.receiver.wait(path, 2)) as [Received, Received]
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  await expect.poll(async () => (await deliveryOf(client, jobId)).status).toBe('delivered')
  expect(await client.get('/account')).toMatchObject({ failedDeliveries: 0 })
})

test('the next attempt honors Retry-After, in seconds and as a date', async () => {
  const client = await site.newClient()
  const [seconds, date] = [site.newPath(), site.newPath()]
  const inTwoHours = new Date(Date.now() + 7_200_000)
  site.receiver.behave(seconds, respond(429, 'slow down', { 'retry-after': '3600' }))
  site.receiver.behave(date, respond(503, 'later', { 'retry-after': inTwoHours.toUTCString() }))
  const first = await reported(client, await site.startAndCancel(client, seconds))
  const second = await reported(client, await site.startAndCancel(client, date))
  expect(first).toMatchObject({ status: 'pending', responseStatus: 429, responseBody: 'slow down' })
  const next = ({ nextAttemptAt }: Delivery) => Date.parse(nextAttemptAt ?? '')
  expect(next(first)).toBeGreaterThanOrEqual(Date.parse(first.lastAttemptAt) + 3_600_000)
  expect(next(first)).toBeLessThanOrEqual(Date.now() + 3_600_000)
  // An HTTP date has whole seconds.
  expect(Math.abs(next(second) - inTwoHours.getTime())).toBeLessThanOrEqual(1_000)
})

test('of an endless response the first KiB is kept and the rest is not read', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, (response) => {
    response.writeHead(200)
    const write = () => {
      while (!response.destroyed && response.write('é'.repeat(8_192)));
    }
    response.on('drain', write)
    write()
  })
  const delivery = await reported(client, await site.startAndCancel(client, path))
  expect(delivery).toMatchObject({ status: 'delivered', responseBody: 'é'.repeat(512) })
})

test('when the secret is rotated between two attempts, the next attempt is signed with both secrets', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(respond(500), respond(200)))
  const old = await secretOf(client)
  await site.startAndCancel(client, path)
  await site.receiver.wait(path, 1)
  const before = Date.now()
  const rotated = await client.post<{ secret: string; previousExpiresAt: string }>('/webhooks/secret/rotate')
  expect(rotated.secret).not.toBe(old)
  expect(await secretOf(client)).toBe(rotated.secret)
  const left = Date.parse(rotated.previousExpiresAt) - before
  expect(left).toBeGreaterThanOrEqual(86_400_000)
  expect(left).toBeLessThanOrEqual(Date.now() - before + 86_400_000)

  const [first, second] = (await site.receiver.wait(path, 2)) as [Received, Received]
  expect(() => verifyWebhook(rotated.secret, first)).toThrow()
  expect(verifyWebhook(old, second)).toEqual(verifyWebhook(rotated.secret, second))
  expect(verifyWebhook(old, first)).toEqual(verifyWebhook(old, second))
})

test('a test webhook returns its result at once', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(respond(200, 'thanks'), respond(500, 'ouch')))
  const good = await client.post('/webhooks/test', { url: `${site.receiver.url}${path}` })
  expect(good).toMatchObject({ type: 'webhook.test', jobId: null, status: 'delivered', responseBody: 'thanks' })
  const bad = await client.post('/webhooks/test', { url: `${site.receiver.url}${path}` })
  expect(bad).toMatchObject({ status: 'failed', attempts: 1, responseStatus: 500, responseBody: 'ouch' })
  const [received] = (await site.receiver.wait(path, 1)) as [Received]
  expect(verifyWebhook(await secretOf(client), received).type).toBe('webhook.test')
  expect(await client.get('/account')).toMatchObject({ failedDeliveries: 0 })
})

test.each(['http://127.0.0.1:1/', 'http://169.254.169.254/latest/', 'http://[::1]/', 'http://printer.local/'])(
  'a webhook URL with a private address is refused: %s',
  async (url) => {
    const client = await site.newClient()
    const media = site.media()
    const responses = await Promise.all([
      client.request('POST', '/webhooks/test', { url }),
      client.request('POST', '/import', { url: media, webhookUrl: url }),
    ])
    for (const response of responses) {
      expect(response.status).toBe(400)
      expect(response.body).toMatchObject({ code: 'INVALID_REQUEST' })
    }
    expect(await deliveriesOf(client)).toEqual([])
  },
)

test('the delivery log has pages, and other accounts cannot read it', async () => {
  const [client, other, path] = [await site.newClient(), await site.newClient(), site.newPath()]
  for (let i = 0; i < 5; i++) await site.startAndCancel(client, path)
  type Page = { deliveries: Delivery[]; nextCursor: string | null }
  const first = await client.get<Page>('/webhooks/deliveries?limit=3')
  const second = await client.get<Page>(`/webhooks/deliveries?limit=3&cursor=${first.nextCursor}`)
  expect([first.deliveries.length, second.deliveries.length, second.nextCursor]).toEqual([3, 2, null])
  expect(new Set([...first.deliveries, ...second.deliveries].map(({ id }) => id)).size).toBe(5)

  expect(await deliveriesOf(other)).toEqual([])
  const id = first.deliveries[0]?.id
  expect((await other.request('POST', `/webhooks/deliveries/${id}/replay`)).status).toBe(404)
  expect((await fetch(`${site.haul.baseUrl}/webhooks/secret`)).status).toBe(401)
  expect(await secretOf(other)).not.toBe(await secretOf(client))
})

import { expect, test } from 'vitest'
import type { Client } from './client.ts'
import { answer, hang, inTurn, type Received, reset } from './receiver.ts'
import { type Delivery, deliveriesOf, deliveryOf, reported, telling } from './telling.ts'
import { verified } from './verify.ts'

/** What receivers get, and what becomes of it when they do not take it. */
const site = telling()

const secretOf = async (client: Client) => (await client.get<{ secret: string }>('/webhooks/secret')).secret

test('a finished import is told by one attempt, signed, with what the status endpoint answers', async () => {
  const [client, path] = await site.newPair()
  const jobId = await site.start(client, path)
  const [received] = (await site.receiver.wait(path, 1)) as [Received]
  const status = await client.get<{ completedAt: string }>(`/import/status?id=${jobId}`)
  const event = verified(await secretOf(client), received)
  expect(event).toEqual({ type: 'import.completed', timestamp: status.completedAt, data: status })
  expect(received.headers).toMatchObject({ 'content-type': 'application/json', 'user-agent': 'Haul-Webhooks/1.0' })
  const delivery = await reported(client, jobId)
  const told = { status: 'delivered', attempts: 1, responseStatus: 200 }
  expect(delivery).toMatchObject({ id: received.headers['webhook-id'], ...told })
})

test('a receiver that fails half the time gets every event, and never one it could not verify', async () => {
  const [client, path] = await site.newPair()
  const chance = seeded(20261121)
  site.receiver.behave(path, (response, before, received) => {
    const behaviour = [answer(204), answer(200, 'ok'), answer(500), reset][Math.floor(chance() * 4)]
    behaviour?.(response, before, received)
  })
  const jobIds: string[] = []
  for (let i = 0; i < 30; i++) jobIds.push(await site.startAndCancel(client, path))

  // Rather than for minutes, what failed waits for the caller's own replay.
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
    .map((received) => ({ id: received.headers['webhook-id'], ...verified(secret, received) }))
  expect(new Set(events.map(({ id }) => id))).toEqual(new Set(deliveries.map(({ id }) => id)))
  expect(new Set(events.map(({ data }) => (data as { jobId: string }).jobId))).toEqual(new Set(jobIds))
})

test('a receiver that hangs is given up after 15 seconds, and keeps nobody else waiting', async () => {
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
  const [told] = site.receiver.at(free) as [Received]
  for (const jobId of jobIds) {
    const delivery = await reported(client, jobId)
    // While the two still hung.
    expect(told.at).toBeLessThan(Date.parse(delivery.lastAttemptAt) + 15_000)
    expect(delivery).toMatchObject({ status: 'pending', responseStatus: null })
    expect(delivery.error).toBe('The receiver did not answer within 15 seconds.')
    const waited = Date.parse(delivery.nextAttemptAt ?? '') - Date.parse(delivery.lastAttemptAt)
    expect(waited).toBeGreaterThan(15_000 + 4_000)
  }
})

test('a connection that is reset is tried again in seconds, with the same id and the same bytes', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(reset, answer(200)))
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
  site.receiver.behave(path, answer(307, '', { location: `${site.receiver.url}${elsewhere}` }))
  const delivery = await reported(client, await site.startAndCancel(client, path))
  expect(delivery).toMatchObject({ status: 'pending', responseStatus: 307 })
  expect(delivery.error).toBe('The receiver answered with a redirect. Redirects are not followed.')
  expect(site.receiver.at(elsewhere)).toEqual([])
})

test('a receiver that is gone is left alone, and the account says that a webhook was lost', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(answer(410, 'no longer'), answer(200)))
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

test('Retry-After is honoured, in seconds and as a date', async () => {
  const client = await site.newClient()
  const [seconds, date] = [site.newPath(), site.newPath()]
  const inTwoHours = new Date(Date.now() + 7_200_000)
  site.receiver.behave(seconds, answer(429, 'slow down', { 'retry-after': '3600' }))
  site.receiver.behave(date, answer(503, 'later', { 'retry-after': inTwoHours.toUTCString() }))
  const first = await reported(client, await site.startAndCancel(client, seconds))
  const second = await reported(client, await site.startAndCancel(client, date))
  expect(first).toMatchObject({ status: 'pending', responseStatus: 429, responseBody: 'slow down' })
  const next = ({ nextAttemptAt }: Delivery) => Date.parse(nextAttemptAt ?? '')
  expect(next(first)).toBeGreaterThanOrEqual(Date.parse(first.lastAttemptAt) + 3_600_000)
  expect(next(first)).toBeLessThanOrEqual(Date.now() + 3_600_000)
  // A date in a header has whole seconds.
  expect(Math.abs(next(second) - inTwoHours.getTime())).toBeLessThanOrEqual(1_000)
})

test('of an answer without an end the first KiB is kept, and the rest is not waited for', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, (response) => {
    response.writeHead(200)
    const pour = () => {
      while (!response.destroyed && response.write('é'.repeat(8_192)));
    }
    response.on('drain', pour)
    pour()
  })
  const delivery = await reported(client, await site.startAndCancel(client, path))
  expect(delivery).toMatchObject({ status: 'delivered', responseBody: 'é'.repeat(512) })
})

test('secrets rotated in mid-retry: the next attempt is signed with both', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(answer(500), answer(200)))
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
  expect(() => verified(rotated.secret, first)).toThrow()
  expect(verified(old, second)).toEqual(verified(rotated.secret, second))
  expect(verified(old, first)).toEqual(verified(old, second))
})

test('a test webhook says at once what came of it', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(answer(200, 'thanks'), answer(500, 'ouch')))
  const good = await client.post('/webhooks/test', { url: `${site.receiver.url}${path}` })
  expect(good).toMatchObject({ type: 'webhook.test', jobId: null, status: 'delivered', responseBody: 'thanks' })
  const bad = await client.post('/webhooks/test', { url: `${site.receiver.url}${path}` })
  expect(bad).toMatchObject({ status: 'failed', attempts: 1, responseStatus: 500, responseBody: 'ouch' })
  const [received] = (await site.receiver.wait(path, 1)) as [Received]
  expect(verified(await secretOf(client), received).type).toBe('webhook.test')
  expect(await client.get('/account')).toMatchObject({ failedDeliveries: 0 })
})

test.each(['http://127.0.0.1:1/', 'http://169.254.169.254/latest/', 'http://[::1]/', 'http://printer.local/'])(
  'an address that is not public is refused before anything starts: %s',
  async (url) => {
    const client = await site.newClient()
    const media = site.media()
    const answers = await Promise.all([
      client.ask('POST', '/webhooks/test', { url }),
      client.ask('POST', '/import', { url: media, webhookUrl: url }),
    ])
    for (const response of answers) {
      expect(response.status).toBe(400)
      expect(response.body).toMatchObject({ code: 'INVALID_REQUEST' })
    }
    expect(await deliveriesOf(client)).toEqual([])
  },
)

test('the log is paged, and a stranger sees none of it', async () => {
  const [client, stranger, path] = [await site.newClient(), await site.newClient(), site.newPath()]
  for (let i = 0; i < 5; i++) await site.startAndCancel(client, path)
  type Page = { deliveries: Delivery[]; nextCursor: string | null }
  const first = await client.get<Page>('/webhooks/deliveries?limit=3')
  const second = await client.get<Page>(`/webhooks/deliveries?limit=3&cursor=${first.nextCursor}`)
  expect([first.deliveries.length, second.deliveries.length, second.nextCursor]).toEqual([3, 2, null])
  expect(new Set([...first.deliveries, ...second.deliveries].map(({ id }) => id)).size).toBe(5)

  expect(await deliveriesOf(stranger)).toEqual([])
  const id = first.deliveries[0]?.id
  expect((await stranger.ask('POST', `/webhooks/deliveries/${id}/replay`)).status).toBe(404)
  expect((await fetch(`${site.haul.baseUrl}/webhooks/secret`)).status).toBe(401)
  expect(await secretOf(stranger)).not.toBe(await secretOf(client))
})

/** mulberry32: the same chances in every run. */
const seeded = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed)
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
  return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296
}

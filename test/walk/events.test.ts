import { expect, onTestFinished, test } from 'vitest'
import { inTurn, type Received, respond } from '../doubles/webhook-receiver.ts'
import { reported } from '../support/product/deliveries.ts'
import { readEvents } from '../support/product/event-reader.ts'
import { product } from '../support/product/product.ts'
import { verifyWebhook } from '../support/product/verify-webhook.ts'

/** What a server is told: signed webhooks, and one stream of all events. */
const site = product()

test('the end of a job comes by a signed webhook and by the stream of events, with the answer of its status', async () => {
  const [client, path] = await site.newPair()
  const reader = readEvents(site.haul.baseUrl, client)
  onTestFinished(() => reader.close())
  await reader.connected()
  const jobId = await site.start(client, path)
  const [webhook] = (await site.receiver.wait(path, 1)) as [Received]
  const status = await client.get<{ completedAt: string }>(`/import/status?id=${jobId}`)
  const { secret } = await client.get<{ secret: string }>('/webhooks/secret')
  const event = { type: 'import.completed', timestamp: status.completedAt, data: status }
  expect(verifyWebhook(secret, webhook)).toEqual(event)
  await expect.poll(() => reader.received.map(({ type }) => type)).toEqual(['job.started', 'import.completed'])
  expect(reader.received[1]).toMatchObject({ id: webhook.headers['webhook-id'], body: event })
})

test('a delivery that the receiver refused is shown, and replayed with the same id', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(respond(410), respond(200)))
  const delivery = await reported(client, await site.startAndCancel(client, path))
  expect(delivery).toMatchObject({ status: 'failed', responseStatus: 410 })
  await client.post(`/webhooks/deliveries/${delivery.id}/replay`)
  const [first, second] = (await site.receiver.wait(path, 2)) as [Received, Received]
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
})

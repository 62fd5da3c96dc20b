import { expect, test } from 'vitest'
import { inTurn, type Received, reset, respond } from '../../doubles/webhook-receiver.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { reported } from '../../support/product/deliveries.ts'
import { product } from '../../support/product/product.ts'
import { verifyWebhook } from '../../support/product/verify-webhook.ts'

/** Webhooks as receivers get them. What other answers do is tested at the route and at the account. */
const site = product()

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

test('after a reset connection and a rotation of the secret, the same id and body come again within seconds, signed with both secrets', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(reset, respond(200)))
  const old = await secretOf(client)
  const jobId = await site.startAndCancel(client, path)
  await site.receiver.wait(path, 1)
  const { secret } = await client.post<{ secret: string }>('/webhooks/secret/rotate')
  const [first, second] = (await site.receiver.wait(path, 2)) as [Received, Received]
  expect(() => verifyWebhook(secret, first)).toThrow()
  expect(verifyWebhook(old, second)).toEqual(verifyWebhook(secret, second))
  expect([second.body, second.headers['webhook-id']]).toEqual([first.body, first.headers['webhook-id']])
  expect(Number(second.headers['webhook-timestamp'])).toBeGreaterThan(Number(first.headers['webhook-timestamp']))
  expect(second.at - first.at).toBeGreaterThan(3_900)
  expect(await reported(client, jobId, 2)).toMatchObject({ status: 'delivered', attempts: 2 })
})

test('a test webhook is signed like any other', async () => {
  const [client, path] = await site.newPair()
  await client.post('/webhooks/test', { url: `${site.receiver.url}${path}` })
  const [received] = (await site.receiver.wait(path, 1)) as [Received]
  expect(verifyWebhook(await secretOf(client), received).type).toBe('webhook.test')
})

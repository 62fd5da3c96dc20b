import { expect, onTestFinished, test } from 'vitest'
import { hang, inTurn, type Received, respond } from '../../doubles/webhook-receiver.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { deliveriesOf, reported } from '../../support/product/deliveries.ts'
import { readEvents } from '../../support/product/event-reader.ts'
import { ownProduct } from '../../support/product/product.ts'

const site = ownProduct()

/** Each kill is followed by a restart of the Worker of some seconds, and a lost message is sent again after 30 s. */
const RESTART_TIMEOUT_MS = 240_000

const follow = (client: AccountClient) => {
  const reader = readEvents(site.haul.baseUrl, client)
  onTestFinished(() => reader.close())
  return reader
}

test('a Worker that is killed, before a client resumes and while it reads, loses no event and no webhook, and repeats no event', {
  timeout: RESTART_TIMEOUT_MS,
}, async () => {
  const [client, path] = await site.newPair()
  // A webhook whose first attempt is under way at the first kill.
  const [attempted, hung] = await site.newPair()
  site.receiver.behave(hung, inTurn(hang, respond(200)))
  const attemptedJob = await site.startAndCancel(attempted, hung)
  await site.receiver.wait(hung, 1)
  const limits = { limits: { concurrentJobs: { import: 6 } } }
  await site.operator().request('PATCH', `/admin/accounts/${client.accountId}`, limits)
  const reader = follow(client)
  await reader.connected()
  const webhookUrl = `${site.receiver.url}${path}`
  for (let kills = 0; kills < 3; kills++) {
    const [canceled, runs] = [await site.start(client, path), await site.start(client, path)]
    await client.post('/batches', { urls: [site.media()], import: { webhookUrl }, webhookUrl })
    // The ends right before the kill.
    await client.remove(`/jobs/${canceled}`)
    await site.haul.killWorker('SIGKILL')
    await site.haul.ready()
    await reader.connected(kills + 2)
    await client.ended(runs)
  }
  const isOver = async () =>
    (await client.get<{ batches: { status: string }[] }>('/batches')).batches.every(
      ({ status }) => status === 'completed',
    )
  await expect.poll(isOver, { timeout: 100_000, interval: 200 }).toBe(true)

  const { jobs } = await client.get<{ jobs: { jobId: string; status: string; startedAt: string | null }[] }>(
    '/jobs?limit=100',
  )
  expect(jobs).toHaveLength(9)
  const { batches } = await client.get<{ batches: { batchId: string }[] }>('/batches')
  const expected = [
    ...jobs.map(({ jobId, status }) => `${jobId} import.${status}`),
    ...jobs.filter(({ startedAt }) => startedAt !== null).map(({ jobId }) => `${jobId} job.started`),
    ...batches.map(({ batchId }) => `${batchId} batch.completed`),
  ]
  const told = () => reader.received.map(({ type, body: { data } }) => `${data.jobId ?? data.batchId} ${type}`)
  await expect.poll(() => told().length, { timeout: 20_000 }).toBe(expected.length)
  expect(told().sort()).toEqual(expected.sort())
  const ids = reader.received.map(({ id }) => id)
  expect(ids).toEqual([...ids].sort())

  // A webhook has the id of its event.
  const ends = reader.received.filter(({ type }) => type !== 'job.started').map(({ id }) => id)
  expect((await deliveriesOf(client)).map(({ id }) => id).reverse()).toEqual(ends)
  const arrived = () => new Set(site.receiver.at(path).map(({ headers }) => headers['webhook-id']))
  await expect.poll(arrived, { timeout: 100_000 }).toEqual(new Set(ends))

  const [first, second] = (await site.receiver.wait(hung, 2)) as [Received, Received]
  expect([second.headers['webhook-id'], second.body]).toEqual([first.headers['webhook-id'], first.body])
  expect(await reported(attempted, attemptedJob, 2)).toMatchObject({ status: 'delivered' })
})

/** workerd notices a closed connection when it sends the second heartbeat after it, which is after up to 30 s. */
const DISCONNECT_TIMEOUT_MS = 90_000

test('a client that disconnects frees the place of its stream', { timeout: DISCONNECT_TIMEOUT_MS }, async () => {
  const client = await site.newClient()
  const readers = Array.from({ length: 10 }, () => follow(client))
  for (const reader of readers) await reader.connected()
  const status = async () => {
    const closed = new AbortController()
    const response = await fetch(`${site.haul.baseUrl}/events`, {
      headers: { authorization: `Bearer ${client.apiKey}` },
      signal: closed.signal,
    })
    closed.abort()
    return response.status
  }
  expect(await status()).toBe(429)
  await readers[0]?.close()
  await expect.poll(status, { timeout: 60_000, interval: 500 }).toBe(200)
})

import { expect, test } from 'vitest'
import { reported } from './deliveries.ts'
import { ownProduct } from './product.ts'
import { hang, inTurn, type Received, respond } from './receiver.ts'

const site = ownProduct()

/** A killed attempt is repeated after its lease of 30 s, and a lost queue message is sent again after 30 s. */
const RESTART_TIMEOUT_MS = 120_000

test('a Worker that is killed right after a job ended sends the webhook after its restart', {
  timeout: RESTART_TIMEOUT_MS,
}, async () => {
  const [client, path] = await site.newPair()
  const jobIds = [await site.start(client, path), await site.start(client, path)]
  await Promise.all(jobIds.map((jobId) => client.remove(`/jobs/${jobId}`)))
  await site.haul.killWorker('SIGKILL')
  await site.haul.ready()
  const receivedJobIds = () => new Set(site.receiver.at(path).map(({ body }) => JSON.parse(body).data.jobId))
  await expect.poll(receivedJobIds, { timeout: 100_000 }).toEqual(new Set(jobIds))
})

test('a Worker that is killed during a delivery attempt makes another attempt after its restart', {
  timeout: RESTART_TIMEOUT_MS,
}, async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(hang, respond(200)))
  const jobId = await site.startAndCancel(client, path)
  await site.receiver.wait(path, 1)
  await site.haul.killWorker('SIGKILL')
  await site.haul.ready()
  const [first, second] = (await site.receiver.wait(path, 2)) as [Received, Received]
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(second.body).toBe(first.body)
  expect(await reported(client, jobId, 2)).toMatchObject({ status: 'delivered' })
})

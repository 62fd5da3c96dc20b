import { beforeAll, expect, test } from 'vitest'
import { hang, inTurn, type Received, respond } from '../../doubles/webhook-receiver.ts'
import type { AccountClient } from '../../support/product/api-client.ts'
import { reported } from '../../support/product/deliveries.ts'
import { ownProduct } from '../../support/product/product.ts'

const site = ownProduct()

/** A killed attempt is repeated after its lease of 30 s, and a lost queue message is sent again after 30 s. */
const RESTART_TIMEOUT_MS = 120_000

let ended: { path: string; jobIds: string[] }
let attempted: { path: string; jobId: string; client: AccountClient }

/** Both tests share one kill, because each waits half a minute after it. */
beforeAll(async () => {
  attempted = await startAttempt()
  ended = await endJobs()
  await site.haul.killWorker('SIGKILL')
  await site.haul.ready()
}, RESTART_TIMEOUT_MS)

/** A delivery attempt that is waiting for the receiver's answer. */
const startAttempt = async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(hang, respond(200)))
  const jobId = await site.startAndCancel(client, path)
  await site.receiver.wait(path, 1)
  return { path, jobId, client }
}

/** Jobs that have just ended. */
const endJobs = async () => {
  const [client, path] = await site.newPair()
  const jobIds = [await site.start(client, path), await site.start(client, path)]
  await Promise.all(jobIds.map((jobId) => client.remove(`/jobs/${jobId}`)))
  return { path, jobIds }
}

test('a Worker that is killed right after a job ended sends the webhook after its restart', {
  timeout: RESTART_TIMEOUT_MS,
}, async () => {
  const receivedJobIds = () => new Set(site.receiver.at(ended.path).map(({ body }) => JSON.parse(body).data.jobId))
  await expect.poll(receivedJobIds, { timeout: 100_000 }).toEqual(new Set(ended.jobIds))
})

test('a Worker that is killed during a delivery attempt makes another attempt after its restart', {
  timeout: RESTART_TIMEOUT_MS,
}, async () => {
  const { client, path, jobId } = attempted
  const [first, second] = (await site.receiver.wait(path, 2)) as [Received, Received]
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(second.body).toBe(first.body)
  expect(await reported(client, jobId, 2)).toMatchObject({ status: 'delivered' })
})

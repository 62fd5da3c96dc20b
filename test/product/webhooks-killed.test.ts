import { expect, test } from 'vitest'
import { answer, hang, inTurn, type Received } from './receiver.ts'
import { reported, telling } from './telling.ts'

const site = telling()

test('killed right after a job ended, Haul tells of it when it is back', async () => {
  const [client, path] = await site.newPair()
  const jobIds = [await site.start(client, path), await site.start(client, path)]
  await Promise.all(jobIds.map((jobId) => client.remove(`/jobs/${jobId}`)))
  await site.haul.killWorker('SIGKILL')
  await site.haul.ready()
  const told = () => new Set(site.receiver.at(path).map(({ body }) => JSON.parse(body).data.jobId))
  await expect.poll(told).toEqual(new Set(jobIds))
})

test('killed in the middle of an attempt, Haul makes another one', async () => {
  const [client, path] = await site.newPair()
  site.receiver.behave(path, inTurn(hang, answer(200)))
  const jobId = await site.startAndCancel(client, path)
  await site.receiver.wait(path, 1)
  await site.haul.killWorker('SIGKILL')
  await site.haul.ready()
  const [first, second] = (await site.receiver.wait(path, 2)) as [Received, Received]
  expect(second.headers['webhook-id']).toBe(first.headers['webhook-id'])
  expect(second.body).toBe(first.body)
  expect(await reported(client, jobId, 2)).toMatchObject({ status: 'delivered' })
})

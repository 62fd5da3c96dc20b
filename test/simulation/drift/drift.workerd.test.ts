import { createExecutionContext, createMessageBatch, getQueueResult, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { alarmScenario, expectedAlarm } from './alarm.scenario.ts'
import { bucketScenario, expectedBucket } from './bucket.scenario.ts'
import { databaseScenario, expectedDatabase } from './database.scenario.ts'
import { bodies, consumeScenario, expectedAgain } from './queue.scenario.ts'
import { expectedRpc, rpcScenario } from './rpc.scenario.ts'
import { expectedRuntime, runtimeScenario } from './runtime.scenario.ts'
import { expectedStorage, storageScenario } from './storage.scenario.ts'

/** The scenarios of the simulation's doubles in workerd itself. Containers do not run here. */

test("an object's storage does in workerd what its double does", async () => {
  const found = await runInDurableObject(env.METRICS.getByName('storage of drift'), (_, { storage }) =>
    storageScenario(storage as never),
  )
  expect(found).toEqual(expectedStorage)
})

test('an alarm that is set while it runs in workerd follows that run, as in the double', async () => {
  const found = await runInDurableObject(env.METRICS.getByName('alarm of drift'), (object, { storage }) =>
    alarmScenario(object, storage),
  )
  expect(found).toEqual(expectedAlarm)
})

test('calls of objects end in workerd as those of the double', async () => {
  expect(await rpcScenario(env.METRICS as never)).toEqual(expectedRpc)
})

test('D1 answers as its double', async () => {
  expect(await databaseScenario(env.DB as never)).toEqual(expectedDatabase)
})

test('R2 answers as its double', async () => {
  expect(await bucketScenario(env.MEDIA as never)).toEqual(expectedBucket)
})

test('streams and crypto of workerd give the results of the doubles', async () => {
  expect(await runtimeScenario()).toEqual(expectedRuntime)
})

const again = async (sent: string[]): Promise<string[]> => {
  const messages = sent.map((body) => ({ id: body, timestamp: new Date(0), attempts: 1, body }))
  const batch = createMessageBatch('haul-steps', messages)
  const isSuccess = await consumeScenario(batch as never).then(
    () => true,
    () => false,
  )
  const { explicitAcks, retryMessages } = await getQueueResult(batch, createExecutionContext())
  const retried = retryMessages.map(({ msgId }) => msgId)
  return sent.filter((body) => retried.includes(body) || (!isSuccess && !explicitAcks.includes(body)))
}

test('the same messages come again in workerd as in the double', async () => {
  expect(await again(bodies)).toEqual(expectedAgain.returned)
  expect(await again([...bodies, 'throw'])).toEqual(expectedAgain.thrown)
})

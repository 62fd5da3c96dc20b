import { afterEach, expect, test } from 'vitest'
import { openWorld } from '../imports.ts'
import { ObjectNamespace } from '../platform/object.ts'
import { ObjectStorage, storageOf } from '../platform/object-storage.ts'
import { Queues } from '../platform/queue.ts'
import { Wire } from '../platform/wire.ts'
import type { World, WorldHooks } from '../world.ts'
import { alarmScenario, expectedAlarm } from './alarm.scenario.ts'
import { bucketScenario, expectedBucket } from './bucket.scenario.ts'
import { databaseScenario, expectedDatabase } from './database.scenario.ts'
import { bodies, consumeScenario, expectedAgain } from './queue.scenario.ts'
import { expectedRpc, rpcScenario } from './rpc.scenario.ts'
import { expectedRuntime, runtimeScenario } from './runtime.scenario.ts'
import { expectedStorage, storageScenario } from './storage.scenario.ts'

/** What drift.workerd.test.ts expects of workerd, of the doubles. */

let opened: World | null = null
afterEach(() => {
  opened?.close()
  opened = null
})

const inWorld = <T>(act: (world: World) => Promise<T>, hooks: WorldHooks = {}): Promise<T> => {
  const { world } = openWorld({ seed: 'drift', hooks })
  opened = world
  return world.perform(world.caller('test'), () => act(world))
}

test("an object's storage does what it does in workerd", async () => {
  const storage = new ObjectStorage(
    () => {},
    () => {},
  )
  expect(await storageScenario(storageOf(storage) as never)).toEqual(expectedStorage)
})

class Alarmed {
  run: () => Promise<string[]>

  constructor({ storage }: { storage: ReturnType<typeof storageOf> }) {
    this.run = () => alarmScenario(this, storage)
  }
}

test('an alarm that is set while it runs follows that run, as in workerd', async () => {
  const found = await inWorld(({ clock }) => {
    const settings = { name: 'ALARMED', env: {}, wire: new Wire(clock, () => 1), hooks: {} }
    const { binding } = new ObjectNamespace({ ...settings, objectClass: Alarmed as never })
    return (binding.getByName('a') as Alarmed).run()
  })
  expect(found).toEqual(expectedAlarm)
})

test('calls of objects end as in workerd', async () => {
  expect(await inWorld(({ env }) => rpcScenario(env.METRICS as never))).toEqual(expectedRpc)
})

test('D1 answers as the real one', async () => {
  expect(await inWorld(({ env }) => databaseScenario(env.DB as never))).toEqual(expectedDatabase)
})

test('R2 answers as the real one', async () => {
  expect(await inWorld(({ env }) => bucketScenario(env.MEDIA as never))).toEqual(expectedBucket)
})

test('streams and crypto give the results of workerd', async () => {
  expect(await inWorld(() => runtimeScenario())).toEqual(expectedRuntime)
})

const again = async (sent: string[]): Promise<string[]> => {
  const { world } = openWorld({ seed: 'drift' })
  opened = world
  const delivered: { body: unknown; attempts: number }[] = []
  const consume = async (batch: { messages: object[] }) => {
    delivered.push(...(batch.messages as typeof delivered))
    if (batch.messages.some((message) => (message as { attempts: number }).attempts === 1))
      await consumeScenario(batch as never)
  }
  const settings = [{ queue: 'queue', max_batch_size: 10, max_batch_timeout: 1 }]
  const queues = new Queues(new Wire(world.clock, () => 1), settings, consume, {})
  const producer = queues.producer('queue') as { sendBatch(messages: object[]): Promise<void> }
  await world.perform(world.caller('test'), () => producer.sendBatch(sent.map((body) => ({ body }))))
  await world.clock.run({ until: world.clock.now + 60_000 })
  const repeated = delivered.filter(({ attempts }) => attempts === 2).map(({ body }) => body)
  return sent.filter((body) => repeated.includes(body))
}

test('the same messages come again as in workerd', async () => {
  expect(await again(bodies)).toEqual(expectedAgain.returned)
  opened?.close()
  expect(await again([...bodies, 'throw'])).toEqual(expectedAgain.thrown)
})

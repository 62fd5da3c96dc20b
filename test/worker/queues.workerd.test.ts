import { createExecutionContext, createMessageBatch, getQueueResult, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import worker from '../../worker/index.ts'
import type { WorkObject } from '../../worker/steps/work-object.ts'
import { newCaller, started } from './support/caller.ts'
import { eventually } from './support/clock.ts'

/** Consumes a message of a new job's step. */
const consume = async (queue: string) => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const body = { v: 1, accountId: caller.accountId, jobId, step: 'fetch', attempt: 1, runsIn: 'container', rank: 'job' }
  const batch = createMessageBatch(queue, [{ id: 'message', timestamp: new Date(0), attempts: 1, body }])
  const context = createExecutionContext()
  await worker.queue(batch as MessageBatch<never>, env, context)
  const { explicitAcks } = await getQueueResult(batch, context)
  const readStatus = async () => (await caller.get(`/import/status?id=${jobId}`)).body.data.status
  return { explicitAcks, readStatus }
}

test.each([
  ['staging-steps', 'running'],
  ['steps', 'running'],
  ['staging-steps-dead', 'queued'],
])('the end of the name of the queue %s says what a message means: its job is then %s', async (queue, status) => {
  const { explicitAcks, readStatus } = await consume(queue)
  expect(explicitAcks).toEqual(['message'])
  // Files share the fleets, and the engines of one may be paused for some seconds.
  await eventually(async () => expect(await readStatus()).toBe(status))
})

test.each(['a-queue', 'mysteps', 'steps-live'])(
  'the queue %s has no role, and a batch of it is an error',
  async (queue) => {
    await expect(consume(queue)).rejects.toThrow(
      `The queue ${queue} must be called after its role: steps, steps-dead, webhooks, webhooks-dead.`,
    )
  },
)

/** What a message of each queue says. */
const bodies: Record<string, object> = {
  steps: { jobId: 'imp_1', step: 'fetch' },
  'steps-dead': { jobId: 'imp_1', step: 'fetch' },
  webhooks: { deliveryId: 'evt_1' },
  'webhooks-dead': { deliveryId: 'evt_1' },
}

/** Bindings that list whose objects are used. */
const used = () => {
  const names: string[] = []
  const noted = (name: 'ACCOUNTS' | 'FLEET_OBJECTS' | 'WORK_OBJECTS' | 'METRICS') => ({
    get: () => {
      names.push(name)
      return env[name]
    },
  })
  const bindings = Object.defineProperties(
    { ...env },
    {
      ACCOUNTS: noted('ACCOUNTS'),
      FLEET_OBJECTS: noted('FLEET_OBJECTS'),
      WORK_OBJECTS: noted('WORK_OBJECTS'),
      METRICS: noted('METRICS'),
    },
  )
  return { names, bindings }
}

/** Delivers a message of this version so often. */
const deliver = async (role: string, v: unknown, deliveries: number) => {
  const log = vi.spyOn(console, 'warn').mockReturnValue()
  onTestFinished(() => log.mockRestore())
  const { names, bindings } = used()
  const [ack, retry] = [vi.fn<() => void>(), vi.fn<(options?: QueueRetryOptions) => void>()]
  const body = { v, accountId: 'acct_1', ...bodies[role] }
  for (let attempts = 1; attempts <= deliveries; attempts++) {
    const batch = { queue: `haul-${role}`, messages: [{ id: 'message', body, attempts, ack, retry }] }
    await worker.queue(batch as never, bindings, createExecutionContext())
  }
  return { names, ack, retry, lines: log.mock.calls.flat().map((line) => JSON.parse(`${line}`)) }
}

test.each(Object.keys(bodies))(
  'a message of a later release stays in the queue %s, and is logged once',
  async (role) => {
    const { names, ack, retry, lines } = await deliver(role, 2, 3)
    const isDead = role.endsWith('-dead')
    expect(ack).not.toHaveBeenCalled()
    const delays = isDead ? [60, 60, 60] : [2, 4, 8]
    expect(retry.mock.calls).toEqual(delays.map((delaySeconds) => [{ delaySeconds }]))
    // A dead letter is counted, once. Nothing else happens.
    expect(names).toEqual(isDead ? ['METRICS'] : [])
    const line = { queue: `haul-${role}`, messageId: 'message', accountId: 'acct_1', v: 2, known: [1] }
    expect(lines).toEqual([{ event: 'message.unknown_version', ...line }])
  },
)

test.each([undefined, null, '1', 0])('a message whose version is %j is left to the queue too', async (v) => {
  const { names, ack, retry } = await deliver('steps', v, 1)
  expect([names, ack.mock.calls.length, retry.mock.calls.length]).toEqual([[], 0, 1])
})

test('long work that was stored by a later release is not run, and stays', async () => {
  const object = env.WORK_OBJECTS.getByName('of a later release')
  await runInDurableObject(object, async (work: WorkObject, { storage }) => {
    storage.kv.put('work', { id: '1', work: { v: 2, accountId: 'acct_1', batchId: 'bat_1', index: null }, lease: '1' })
    await expect(work.alarm()).rejects.toThrow('This version does not know work of version 2.')
    expect(storage.kv.get('work')).toBeDefined()
    await storage.deleteAll()
  })
})

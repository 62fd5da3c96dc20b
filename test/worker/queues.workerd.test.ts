import { createExecutionContext, createMessageBatch, getQueueResult, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, onTestFinished, test, vi } from 'vitest'
import worker from '../../worker/index.ts'
import type { WorkObject } from '../../worker/steps/work-object.ts'
import { newCaller, started } from './support/caller.ts'

/** Consumes a message of a new job's step. */
const consume = async (queue: string, QUEUES: string) => {
  const caller = await newCaller()
  const jobId = await started(caller)
  const body = { v: 1, accountId: caller.accountId, jobId, step: 'fetch' }
  const batch = createMessageBatch(queue, [{ id: 'message', timestamp: new Date(0), attempts: 1, body }])
  const context = createExecutionContext()
  await worker.queue(batch as MessageBatch<never>, { ...env, QUEUES }, context)
  const { explicitAcks } = await getQueueResult(batch, context)
  const { body: job } = await caller.get(`/import/status?id=${jobId}`)
  return { explicitAcks, status: job.data.status }
}

test.each([
  ['staging', 'running'],
  ['staging-lost', 'queued'],
])('QUEUES says what a message in the queue %s means: its job is then %s', async (queue, status) => {
  const QUEUES = 'staging=steps staging-lost=steps-dead'
  expect(await consume(queue, QUEUES)).toEqual({ explicitAcks: ['message'], status })
})

test.each(['', 'haul-steps=steps'])('with %j as QUEUES, a batch of another queue is an error', async (QUEUES) => {
  await expect(consume('a-queue', QUEUES)).rejects.toThrow(
    'QUEUES has no role for the queue a-queue. Deploy with `npm run deploy`, which sets it.',
  )
})

/** What a message of each queue says. */
const bodies: Record<string, object> = {
  steps: { jobId: 'imp_1', step: 'fetch' },
  'steps-dead': { jobId: 'imp_1', step: 'fetch' },
  work: { jobId: 'imp_1', step: 'deliver' },
  batches: { batchId: 'bat_1', index: 0 },
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

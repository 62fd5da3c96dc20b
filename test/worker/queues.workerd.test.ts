import { createExecutionContext, createMessageBatch, getQueueResult, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import worker from '../../worker/index.ts'
import { eventMetrics } from '../../worker/metrics/metrics-of.ts'
import { type Caller, newCaller, started } from './support/caller.ts'
import { scrape } from './support/metrics.ts'

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

/** What a message says that no attempt could handle. */
const deadMessages: Record<string, (caller: Caller) => Promise<object>> = {
  'steps-dead': async (caller) => ({ jobId: await started(caller), step: 'fetch' }),
  'webhooks-dead': async (caller) => {
    await caller.delete(`/jobs/${await started(caller, { webhookUrl: 'https://receiver.example/hook' })}`)
    const { deliveries } = (await caller.get('/webhooks/deliveries')).body.data
    return { deliveryId: deliveries[0].deliveryId }
  },
}

test.each(Object.entries(deadMessages))(
  'a message in %s is one more dead letter in the metrics',
  async (queue, bodyOf) => {
    const caller = await newCaller()
    const body = { v: 1, accountId: caller.accountId, ...(await bodyOf(caller)) }
    const counted = async () => {
      // It writes what was counted, and only that is read.
      await runDurableObjectAlarm(eventMetrics(env))
      return (await scrape()).read(`haul_dead_letters_total{queue="${queue}"}`)
    }
    const before = await counted()
    for (const attempts of [1, 2]) {
      const batch = createMessageBatch(`haul-${queue}`, [{ id: 'message', timestamp: new Date(0), attempts, body }])
      const context = createExecutionContext()
      await worker.queue(batch as MessageBatch<never>, env, context)
      expect((await getQueueResult(batch, context)).explicitAcks).toEqual(['message'])
    }
    expect((await counted()) - before).toBe(1)
  },
)

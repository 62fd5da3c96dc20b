import { createExecutionContext, createMessageBatch, getQueueResult } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import worker from '../../worker/index.ts'
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
  ['staging-lost', 'failed'],
])('QUEUES says what a message in the queue %s means: its job is then %s', async (queue, status) => {
  const QUEUES = 'staging=steps staging-lost=steps-dead'
  expect(await consume(queue, QUEUES)).toEqual({ explicitAcks: ['message'], status })
})

test.each(['', 'haul-steps=steps'])('with %j as QUEUES, a batch of another queue is an error', async (QUEUES) => {
  await expect(consume('a-queue', QUEUES)).rejects.toThrow(
    'QUEUES has no role for the queue a-queue. Deploy with `npm run deploy`, which sets it.',
  )
})

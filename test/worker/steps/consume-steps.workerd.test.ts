import { createExecutionContext } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { micros } from '../../../domain/money/money.ts'
import type { ContainerMessage, StepMessage } from '../../../worker/account/queue-messages.ts'
import { consumeSteps } from '../../../worker/steps/consume-steps.ts'
import { admission, answerOf, newAccount } from '../support/account.ts'
import { eventually } from '../support/clock.ts'

/** A queued import, and messages of its step. */
const queued = async () => {
  const { accountId, account, identity } = await newAccount()
  const { jobId } = answerOf(await account.admit(identity, admission(micros(10_000))))
  return {
    accountId,
    jobId,
    arrives: async (bindings: Partial<Env> = {}, changes: Partial<ContainerMessage> = {}) => {
      const fate = { ack: vi.fn<() => void>(), retry: vi.fn<(options?: QueueRetryOptions) => void>() }
      const message = { v: 1, accountId, jobId, step: 'fetch', attempt: 1, runsIn: 'container', rank: 'job' } as const
      const body: StepMessage = { ...message, ...changes }
      const batch = { messages: [{ body, attempts: 1, ...fate }] } as unknown as MessageBatch<StepMessage>
      await consumeSteps(batch, { ...env, ...bindings }, createExecutionContext())
      return fate
    },
    job: async () => answerOf(await account.read({ ...identity, rateClass: 'status' }, jobId, 'import')).job,
  }
}

/** A fleet that remembers which steps it was brought. */
const fleetThatKeeps = () => {
  const steps: object[] = []
  const fleet = { add: async (step: object) => void steps.push(step) }
  return { steps, FLEET_OBJECTS: { getByName: () => fleet } as unknown as Env['FLEET_OBJECTS'] }
}

test('a message starts its step and is acknowledged, and one that comes again starts nothing', async () => {
  const { arrives, job } = await queued()
  for (const { ack, retry } of [...(await Promise.all([arrives(), arrives()])), await arrives()]) {
    expect([ack.mock.calls.length, retry.mock.calls.length]).toEqual([1, 0])
  }
  await eventually(async () => expect(await job()).toMatchObject({ state: 'running', usedAttempts: 1, attempt: 1 }))
})

test('the fleet gets what a step needs and the number of its attempt', async () => {
  const { arrives, accountId, jobId } = await queued()
  const { steps, FLEET_OBJECTS } = fleetThatKeeps()
  await arrives({ FLEET_OBJECTS })
  await arrives({ FLEET_OBJECTS }, { diskBytes: 7_000_000, rank: 'batch', attempt: 5 })
  const step = { accountId, jobId, step: 'fetch', work: 'network' }
  expect(steps).toEqual([
    { ...step, rank: 'job', diskBytes: 300_000_000, attempt: 1 },
    { ...step, rank: 'batch', diskBytes: 7_000_000, attempt: 5 },
  ])
})

test('when the fleet cannot be reached, the message stays with the queue', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const unreachable = { getByName: () => ({ add: () => Promise.reject(new Error('overloaded')) }) }
  const { ack, retry } = await arrives({ FLEET_OBJECTS: unreachable as unknown as Env['FLEET_OBJECTS'] })
  expect([ack.mock.calls, retry.mock.calls]).toEqual([[], [[{ delaySeconds: 2 }]]])
  expect(await job()).toMatchObject({ state: 'queued', usedAttempts: 0 })
})

import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import type { Step } from '../../../domain/jobs/job.ts'
import { micros } from '../../../domain/money/money.ts'
import { consumeDeadSteps, consumeSteps } from '../../../worker/steps/consume-steps.ts'
import { admission, importRequest, newAccount } from '../support/account.ts'

/** A queued job, and messages for its step as often as a test delivers them. `fate` records ack and retry. */
const queued = async (url = 'https://media.example/film.mp4') => {
  const { accountId, account, identity } = await newAccount()
  const { result } = await account.admit(identity, admission(micros(10_000), { request: importRequest({ url }) }))
  if (!result.ok) throw new Error(result.refusal.code)
  const { jobId } = result.value
  const message = (step: Step) => {
    const fate = { ack: vi.fn<() => void>(), retry: vi.fn<(options?: QueueRetryOptions) => void>() }
    const body = { v: 1, accountId, jobId, step } as const
    const batch = { messages: [{ body, attempts: 1, ...fate }] } as unknown as MessageBatch<typeof body>
    return { fate, batch }
  }
  return {
    account,
    jobId,
    arrives: async (bindings: Partial<Env> = {}) => {
      const { fate, batch } = message('fetch')
      await consumeSteps(batch, { ...env, ...bindings })
      return fate
    },
    dies: async (step: Step = 'fetch') => {
      const { fate, batch } = message(step)
      await consumeDeadSteps(batch, env)
      return fate
    },
    job: async () => {
      const { result } = await account.read({ ...identity, rateClass: 'status' }, jobId, 'import')
      if (!result.ok) throw new Error(result.refusal.code)
      return result.value.job
    },
    /** Milliseconds until the account sends the step again. */
    resentIn: () =>
      runInDurableObject(account, (_, { storage }) => {
        const query = "SELECT at FROM schedule WHERE kind = 'resend' AND ref = ?"
        return storage.sql.exec<{ at: number }>(query, jobId).one().at - Date.now()
      }),
  }
}

/** The engine object with other responses than the container's. */
const enginesThat = (fetch: (url: string, init: RequestInit) => Promise<Response>) =>
  ({ getByName: () => ({ fetch }) }) as unknown as Env['ENGINES']

test('a message is acknowledged once the container has started its step', async () => {
  const { arrives, account, jobId } = await queued()
  const { ack, retry } = await arrives()
  expect([ack.mock.calls.length, retry.mock.calls.length]).toEqual([1, 0])
  expect(await account.claim(jobId, 'fetch')).toBeNull()
})

test('while the container is failing, a job waits without using an attempt', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job, resentIn } = await queued('https://media.example/breaks')
  for (let i = 0; i < 10; i++) {
    const { ack, retry } = await arrives()
    expect([ack.mock.calls.length, retry.mock.calls.length]).toEqual([1, 0])
  }
  expect(await job()).toMatchObject({ state: 'queued', attempts: 0, step: 'fetch' })
  expect(await resentIn()).toBeGreaterThan(3_000)
})

test('when the container cannot be reached, the job waits without using an attempt', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const ENGINES = enginesThat(() => Promise.reject(new Error('the network is down')))
  const { ack } = await arrives({ ENGINES })
  expect(ack).toHaveBeenCalledOnce()
  expect(await job()).toMatchObject({ state: 'queued', attempts: 0 })
})

test('when the first 202 is lost, the same order is sent again at once and the job keeps its lease', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, account, job, jobId } = await queued()
  const attempts: number[] = []
  const ENGINES = enginesThat(async (_url, init) => {
    attempts.push(JSON.parse(`${init.body}`).attempt)
    if (attempts.length === 1) throw new Error('the response was lost')
    return new Response(null, { status: 202 })
  })
  const { ack } = await arrives({ ENGINES })
  expect(ack).toHaveBeenCalledOnce()
  expect(attempts).toEqual([1, 1])
  expect(await job()).toMatchObject({ attempts: 1, leaseNumber: 1 })
  expect(await account.claim(jobId, 'fetch')).toBeNull()
})

test('when every response is lost, the next order has a new attempt number, so that the container runs it', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const attempts: number[] = []
  const note = (init: RequestInit) => attempts.push(JSON.parse(`${init.body}`).attempt)
  const lossy = enginesThat(async (_url, init) => {
    note(init)
    throw new Error('the response was lost')
  })
  await arrives({ ENGINES: lossy })
  expect(await job()).toMatchObject({ attempts: 0, leaseNumber: 1 })
  const working = enginesThat(async (_url, init) => {
    note(init)
    return new Response(null, { status: 202 })
  })
  await arrives({ ENGINES: working })
  expect(attempts).toEqual([1, 1, 2])
  expect(await job()).toMatchObject({ attempts: 1, leaseNumber: 2 })
})

test('an order that the container rejects is tried three times, then the job fails', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const ENGINES = enginesThat(async () => new Response(null, { status: 400 }))
  for (let i = 1; i <= 3; i++) {
    expect(await job()).toMatchObject({ state: 'queued', attempts: i - 1 })
    expect((await arrives({ ENGINES })).ack).toHaveBeenCalledOnce()
  }
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'INTERNAL' } })
})

test('when the account cannot be reached, the message stays with the queue', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const unreachable = { getByName: () => ({ claim: () => Promise.reject(new Error('overloaded')) }) }
  const { ack, retry } = await arrives({ ACCOUNTS: unreachable as unknown as Env['ACCOUNTS'] })
  expect([ack.mock.calls, retry.mock.calls]).toEqual([[], [[{ delaySeconds: 2 }]]])
  expect(await job()).toMatchObject({ state: 'queued', attempts: 0 })
})

test('a dead message fails its job and releases the hold', async () => {
  const { dies, job } = await queued()
  expect((await dies()).ack).toHaveBeenCalledOnce()
  expect(await job()).toMatchObject({ state: 'failed', failure: failure('INTERNAL', 'The job could not be started.') })
})

test('a dead message does not fail a job that another message has moved on', async () => {
  const { arrives, dies, job } = await queued()
  await dies('deliver')
  await arrives()
  await dies()
  expect(await job()).toMatchObject({ state: 'queued', attempts: 1 })
})

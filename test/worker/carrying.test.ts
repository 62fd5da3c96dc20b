import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { failure } from '../../worker/domain/codes/failures.ts'
import type { Step } from '../../worker/domain/jobs/job.ts'
import { micros } from '../../worker/domain/money/money.ts'
import { consumeDeadSteps, consumeSteps, type Stages } from '../../worker/queue/consume.ts'
import { stagesOf } from '../../worker/wiring.ts'
import { admission, importRequest, newAccount } from './account.ts'

/** A job whose step's message comes as often as a test likes; `fate` is what becomes of the message. */
const queued = async (url = 'https://media.example/film.mp4') => {
  const { accountId, account, pass } = await newAccount()
  const { result } = await account.admit(pass, admission(micros(10_000), { request: importRequest({ url }) }))
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
    arrives: async (stages: Partial<Stages> = {}) => {
      const { fate, batch } = message('fetch')
      await consumeSteps(batch, { ...stagesOf(env), ...stages })
      return fate
    },
    dies: async (step: Step = 'fetch') => {
      const { fate, batch } = message(step)
      await consumeDeadSteps(batch, stagesOf(env))
      return fate
    },
    job: async () => {
      const { result } = await account.read({ ...pass, rateClass: 'status' }, jobId, 'import')
      if (!result.ok) throw new Error(result.refusal.code)
      return result.value.job
    },
    /** In how many milliseconds the account sends the step again. */
    resentIn: () =>
      runInDurableObject(account, (_, { storage }) => {
        const query = "SELECT at FROM schedule WHERE kind = 'resend' AND ref = ?"
        return storage.sql.exec<{ at: number }>(query, jobId).one().at - Date.now()
      }),
  }
}

test('a step that the container took is its own from then on', async () => {
  const { arrives, account, jobId } = await queued()
  const { ack, retry } = await arrives()
  expect([ack.mock.calls.length, retry.mock.calls.length]).toEqual([1, 0])
  expect(await account.claim(jobId, 'fetch')).toBeNull()
})

test('without a container a job waits, for as long as it takes, and uses no attempt', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job, resentIn } = await queued('https://media.example/breaks')
  for (let i = 0; i < 10; i++) {
    const { ack, retry } = await arrives()
    expect([ack.mock.calls.length, retry.mock.calls.length]).toEqual([1, 0])
  }
  expect(await job()).toMatchObject({ state: 'queued', attempts: 0, step: 'fetch' })
  expect(await resentIn()).toBeGreaterThan(3_000)
})

test('a container that cannot be reached is away', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const away = { ...env.ENGINES, getByName: () => ({ fetch: () => Promise.reject(new Error('the network is down')) }) }
  const cut = stagesOf({ ...env, ENGINES: away as unknown as Env['ENGINES'] })
  const { ack } = await arrives({ handOver: cut.handOver })
  expect(ack).toHaveBeenCalledOnce()
  expect(await job()).toMatchObject({ state: 'queued', attempts: 0 })
})

test('a step that cannot be handed over at all is tried three times, and its job fails', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const broken = { handOver: () => Promise.reject(new Error('a fault of ours')) }
  for (let i = 1; i <= 3; i++) {
    expect(await job()).toMatchObject({ state: 'queued', attempts: i - 1 })
    expect((await arrives(broken)).ack).toHaveBeenCalledOnce()
  }
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'INTERNAL' } })
})

test('a message whose account cannot be asked stays with the queue', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const { ack, retry } = await arrives({ claim: () => Promise.reject(new Error('overloaded')) })
  expect([ack.mock.calls, retry.mock.calls]).toEqual([[], [[{ delaySeconds: 2 }]]])
  expect(await job()).toMatchObject({ state: 'queued', attempts: 0 })
})

test('a dead message ends its job and the hold with it', async () => {
  const { dies, job } = await queued()
  expect((await dies()).ack).toHaveBeenCalledOnce()
  expect(await job()).toMatchObject({ state: 'failed', failure: failure('INTERNAL', 'The job could not be started.') })
})

test('a dead message ends nothing that another message brought further', async () => {
  const { arrives, dies, job } = await queued()
  await dies('deliver')
  await arrives()
  await dies()
  expect(await job()).toMatchObject({ state: 'queued', attempts: 1 })
})

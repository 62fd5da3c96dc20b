import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import { failure } from '../../../domain/codes/failures.ts'
import type { Step } from '../../../domain/jobs/job.ts'
import { micros } from '../../../domain/money/money.ts'
import { readJob } from '../../../worker/account/jobs/job-rows.ts'
import type { StepMessage } from '../../../worker/account/queue-messages.ts'
import { consumeDeadSteps, consumeSteps } from '../../../worker/steps/consume-steps.ts'
import { admission, importRequest, newAccount } from '../support/account.ts'
import { shortenTimeouts } from '../support/clock.ts'

/** A queued job, and messages for its step as often as a test delivers them. `fate` records ack and retry. */
const queued = async () => {
  const { accountId, account, identity } = await newAccount()
  const { result } = await account.admit(identity, admission(micros(10_000), { request: importRequest() }))
  if (!result.ok) throw new Error(result.refusal.code)
  const { jobId } = result.value
  const message = (step: Step, place: Partial<Pick<StepMessage, 'place' | 'diskBytes' | 'rank'>> = {}) => {
    const fate = { ack: vi.fn<() => void>(), retry: vi.fn<(options?: QueueRetryOptions) => void>() }
    const body: StepMessage = { v: 1, accountId, jobId, step, ...place }
    const batch = { messages: [{ body, attempts: 1, ...fate }] } as unknown as MessageBatch<StepMessage>
    return { fate, batch }
  }
  return {
    account,
    accountId,
    jobId,
    arrives: async (
      bindings: Partial<Env> = {},
      place: Partial<Pick<StepMessage, 'place' | 'diskBytes' | 'rank'>> = {},
    ) => {
      const { fate, batch } = message('fetch', place)
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
      runInDurableObject(
        account,
        (_, { storage }) => (readJob(storage.sql, jobId)?.stepDueAt ?? Number.NaN) - Date.now(),
      ),
  }
}

/** The engine object with other responses than the container's. */
const enginesThat = (fetch: (url: string, init: RequestInit) => Promise<Response>) =>
  ({ getByName: () => ({ fetch }) }) as unknown as Env['ENGINES']

const answering = (status: number) => enginesThat(async () => new Response(null, { status }))

/** A fleet with this answer to each request, and what it was told. */
const fleetThat = (answer: 'place' | 'wait' | 'never' = 'place') => {
  const told: unknown[][] = []
  let places = 0
  const fleet = {
    request: async (request: object) => {
      told.push(['request', request])
      return answer === 'place' ? { id: `place-${++places}`, engine: 'engine-0' } : answer
    },
    free: async (id: string) => void told.push(['free', id]),
    freeUnused: async (id: string) => void told.push(['freeUnused', id]),
    engineFailed: async ({ id }: { id: string }) => void told.push(['engineFailed', id]),
  }
  return { told, FLEET_OBJECTS: { getByName: () => fleet } as unknown as Env['FLEET_OBJECTS'] }
}

test('a message is acknowledged once the container has started its step', async () => {
  const { arrives, account, jobId } = await queued()
  const { ack, retry } = await arrives()
  expect([ack.mock.calls.length, retry.mock.calls.length]).toEqual([1, 0])
  expect(await account.claim(jobId, 'fetch')).toBeNull()
})

test('the order of a step has its place, its disk space and the interval of its heartbeats', async () => {
  const { arrives, account, accountId, jobId } = await queued()
  const { told, FLEET_OBJECTS } = fleetThat()
  const orders: object[] = []
  const ENGINES = enginesThat(async (_url, init) => {
    orders.push(JSON.parse(`${init.body}`))
    return new Response(null, { status: 202 })
  })
  await arrives({ FLEET_OBJECTS, ENGINES }, { diskBytes: 7_000_000 })
  const needs = { work: 'network', rank: 'job', diskBytes: 7_000_000 }
  expect(told).toEqual([['request', { accountId, jobId, step: 'fetch', ...needs }]])
  expect(orders).toMatchObject([{ accountId, placeId: 'place-1', diskBytes: 7_000_000, heartbeatMs: 10_000 }])
  expect(await account.holdsLease({ jobId, lease: 'place-1' })).toBe(true)
})

test('a step without a place waits in the line, and the account sends it again only after a quarter of an hour', async () => {
  const { arrives, job, resentIn } = await queued()
  const { ack } = await arrives({ FLEET_OBJECTS: fleetThat('wait').FLEET_OBJECTS })
  expect(ack).toHaveBeenCalledOnce()
  expect(await job()).toMatchObject({ state: 'queued', attempts: 0, leaseNumber: 0 })
  expect(await resentIn()).toBeGreaterThan(14 * 60_000)
})

test('a step of an item of a batch asks for a place behind those of single requests', async () => {
  const { arrives } = await queued()
  const { told, FLEET_OBJECTS } = fleetThat('wait')
  await arrives({ FLEET_OBJECTS }, { rank: 'batch' })
  expect(told).toMatchObject([['request', { rank: 'batch' }]])
})

test('a message with a place goes on without asking for another', async () => {
  const { arrives, account, jobId } = await queued()
  const { told, FLEET_OBJECTS } = fleetThat()
  await arrives({ FLEET_OBJECTS, ENGINES: answering(202) }, { place: { id: 'a-place', engine: 'engine-0' } })
  expect(told).toEqual([])
  expect(await account.holdsLease({ jobId, lease: 'a-place' })).toBe(true)
})

test('the place of a step that has already been claimed is given back', async () => {
  const { arrives, account, jobId } = await queued()
  await account.claim(jobId, 'fetch')
  const { told, FLEET_OBJECTS } = fleetThat()
  expect((await arrives({ FLEET_OBJECTS })).ack).toHaveBeenCalledOnce()
  expect(told.at(-1)).toEqual(['freeUnused', 'place-1'])
})

test('a job that needs more disk space than any engine has fails as too large', async () => {
  const { arrives, job } = await queued()
  await arrives({ FLEET_OBJECTS: fleetThat('never').FLEET_OBJECTS })
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'MEDIA_TOO_LARGE' } })
})

test.each([429, 500, 503])(
  'when the container answers %i, the fleet is told and the step uses no attempt',
  async (status) => {
    const { arrives, job } = await queued()
    const { told, FLEET_OBJECTS } = fleetThat()
    for (let i = 1; i <= 10; i++) {
      const { ack, retry } = await arrives({ FLEET_OBJECTS, ENGINES: answering(status) })
      expect([ack.mock.calls.length, retry.mock.calls.length]).toEqual([1, 0])
      expect(told.at(-1)).toEqual(['engineFailed', `place-${i}`])
    }
    expect(await job()).toMatchObject({ attempts: 0, step: 'fetch', completedAt: null })
  },
)

test('a step that the image of a container does not know yet waits without an attempt, and the engine stays in use', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const { arrives, job, resentIn } = await queued()
  const { told, FLEET_OBJECTS } = fleetThat()
  for (let i = 1; i <= 10; i++) {
    const { ack, retry } = await arrives({ FLEET_OBJECTS, ENGINES: answering(422) })
    expect([ack.mock.calls.length, retry.mock.calls.length]).toEqual([1, 0])
    expect(told.at(-1)).toEqual(['free', `place-${i}`])
    expect(await job()).toMatchObject({ attempts: 0, step: 'fetch', completedAt: null })
  }
  const delayMs = await resentIn()
  expect(delayMs).toBeGreaterThan(20_000)
  expect(delayMs).toBeLessThanOrEqual(30_000)
  await arrives({ FLEET_OBJECTS, ENGINES: answering(202) })
  expect(await job()).toMatchObject({ state: 'running', attempts: 1 })
})

test('when the container cannot be reached, the fleet is told and the step uses no attempt', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const { told, FLEET_OBJECTS } = fleetThat()
  const ENGINES = enginesThat(() => Promise.reject(new Error('the network is down')))
  const { ack } = await arrives({ ENGINES, FLEET_OBJECTS })
  expect(ack).toHaveBeenCalledOnce()
  expect(told.at(-1)).toEqual(['engineFailed', 'place-1'])
  expect(await job()).toMatchObject({ attempts: 0, completedAt: null })
})

/** Takes four seconds: the limits of two requests. */
test('a container that hangs does not hold up the queue', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  shortenTimeouts(10)
  const { told, FLEET_OBJECTS } = fleetThat()
  const ENGINES = enginesThat(
    (_url, { signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  )
  expect((await arrives({ ENGINES, FLEET_OBJECTS })).ack).toHaveBeenCalledOnce()
  expect(told.at(-1)).toEqual(['engineFailed', 'place-1'])
  expect(await job()).toMatchObject({ attempts: 0, completedAt: null })
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
  const { ack } = await arrives({ ENGINES, FLEET_OBJECTS: fleetThat().FLEET_OBJECTS })
  expect(ack).toHaveBeenCalledOnce()
  expect(attempts).toEqual([1, 1])
  expect(await job()).toMatchObject({ attempts: 1, leaseNumber: 1 })
  expect(await account.claim(jobId, 'fetch')).toBeNull()
})

test('when every response is lost, the next order has a new attempt number, so that the container runs it', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const { FLEET_OBJECTS } = fleetThat()
  const attempts: number[] = []
  const note = (init: RequestInit) => attempts.push(JSON.parse(`${init.body}`).attempt)
  const lossy = enginesThat(async (_url, init) => {
    note(init)
    throw new Error('the response was lost')
  })
  await arrives({ ENGINES: lossy, FLEET_OBJECTS })
  expect(await job()).toMatchObject({ attempts: 0, leaseNumber: 1 })
  const working = enginesThat(async (_url, init) => {
    note(init)
    return new Response(null, { status: 202 })
  })
  await arrives({ ENGINES: working, FLEET_OBJECTS })
  expect(attempts).toEqual([1, 1, 2])
  expect(await job()).toMatchObject({ attempts: 1, leaseNumber: 2 })
})

test('an order that the container rejects is tried three times, each in a place of its own, then the job fails', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const { told, FLEET_OBJECTS } = fleetThat()
  for (let i = 1; i <= 3; i++) {
    expect(await job()).toMatchObject({ attempts: i - 1, completedAt: null })
    expect((await arrives({ ENGINES: answering(400), FLEET_OBJECTS })).ack).toHaveBeenCalledOnce()
    expect(told.at(-1)).toEqual(['free', `place-${i}`])
  }
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'INTERNAL' } })
})

test('when the fleet cannot be reached, the message stays with the queue', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { arrives, job } = await queued()
  const unreachable = { getByName: () => ({ request: () => Promise.reject(new Error('overloaded')) }) }
  const { ack, retry } = await arrives({ FLEET_OBJECTS: unreachable as unknown as Env['FLEET_OBJECTS'] })
  expect([ack.mock.calls, retry.mock.calls]).toEqual([[], [[{ delaySeconds: 2 }]]])
  expect(await job()).toMatchObject({ state: 'queued', attempts: 0 })
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
  expect(await job()).toMatchObject({ state: 'running', attempts: 1 })
})

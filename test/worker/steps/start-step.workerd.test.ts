import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test, vi } from 'vitest'
import type { Place } from '../../../domain/fleet/place.ts'
import { mediaKey, thumbnailKey } from '../../../domain/media/media-keys.ts'
import { micros } from '../../../domain/money/money.ts'
import { StepOrder } from '../../../domain/protocol/protocol.ts'
import type { Admission } from '../../../worker/account/calls.ts'
import { readJob } from '../../../worker/account/jobs/job-rows.ts'
import { namesOf } from '../../../worker/media/object-secret.ts'
import { startStep } from '../../../worker/steps/start-step.ts'
import { admission, answerOf, newAccount } from '../support/account.ts'
import { eventually, shortenTimeouts } from '../support/clock.ts'

/** A queued import, whose step is started at places of its own. */
const queued = async (changes: Partial<Admission> = {}) => {
  const { accountId, account, identity } = await newAccount()
  const { jobId } = answerOf(await account.admit(identity, admission(micros(10_000), changes)))
  let places = 0
  const place = (attempt: number): Place & { step: 'fetch' } => ({
    ...{ accountId, jobId, step: 'fetch', work: 'network', rank: 'job', diskBytes: 7_000_000, attempt, since: 0 },
    ...{ id: `place-${++places}`, engine: 'engine-0', grantedAt: 0, startedAt: null },
  })
  return {
    ...{ accountId, account, jobId, place },
    start: (attempt: number, bindings: Partial<Env> = {}) => startStep({ ...env, ...bindings }, place(attempt)),
    job: async () => answerOf(await account.read({ ...identity, rateClass: 'status' }, jobId, 'import')).job,
  }
}

/** The engine object with other responses than the container's. */
const enginesThat = (fetch: (url: string, init: RequestInit) => Promise<Response>) => ({
  ENGINES: { getByName: () => ({ fetch }) } as unknown as Env['ENGINES'],
})

const answering = (status: number) => enginesThat(async () => new Response(null, { status }))

test('the order of a step has its place, its disk space, the interval of its heartbeats and what is agreed, and no metadata', async () => {
  const { start, account, accountId, jobId, job } = await queued({ metadata: { customer: 'only-ours' } })
  const orders: string[] = []
  const engines = enginesThat(async (_url, init) => {
    orders.push(`${init.body}`)
    return new Response(null, { status: 202 })
  })
  expect(await start(1, engines)).toBe('started')
  const order = { accountId, placeId: 'place-1', attempt: 1, diskBytes: 7_000_000, heartbeatMs: 10_000 }
  // A hold of one cent covers 1 MB.
  const agreed = { bytes: 1_000_000, seconds: null }
  expect(orders.map((text) => JSON.parse(text))).toMatchObject([{ ...order, agreed }])
  expect(await account.holdsLease({ jobId, lease: 'place-1', attempt: 1 })).toBe(true)
  expect((await job()).metadata).toEqual({ customer: 'only-ours' })
  expect(orders).toEqual([expect.not.stringMatching(/only-ours|metadata/)])
})

test('the order of a fetch has URLs for its files, which are noted, so that they go if the attempt fails', async () => {
  const { start, account, jobId } = await queued()
  const orders: StepOrder[] = []
  const engines = enginesThat(async (_url, init) => {
    orders.push(StepOrder.parse(JSON.parse(`${init.body}`)))
    return new Response(null, { status: 202 })
  })
  expect(await start(1, engines)).toBe('started')
  const names = await namesOf(env, { jobId, attempt: 1 })
  const [media, thumbnail] = [mediaKey(jobId, names), thumbnailKey(jobId, names)]
  expect(orders).toMatchObject([{ uploads: { media: { key: media }, thumbnail: { key: thumbnail } } }])
  const objects = () => runInDurableObject(account, (_, { storage }) => readJob(storage.sql, jobId)?.objects)
  expect(await objects()).toEqual([{ key: media, uploadId: null, isKept: false }])
  for (const key of [media, thumbnail]) await env.MEDIA.put(key, 'half of it')
  await account.giveBack({ jobId, lease: 'place-1', attempt: 1 })
  expect(await objects()).toEqual([])
  await eventually(async () => {
    for (const key of [media, thumbnail]) expect(await env.MEDIA.head(key)).toBeNull()
  })
})

test('a step that has had another lease since, or whose job has ended, is not needed', async () => {
  const { start, account, jobId, job } = await queued()
  expect(await start(1)).toBe('started')
  expect(await start(1)).toBe('not needed')
  expect(await job()).toMatchObject({ attempt: 1 })
  await account.refuseStep(jobId, 'fetch', 2, { code: 'SOURCE_PRIVATE', message: 'private', retryable: false })
  expect(await start(2)).toBe('not needed')
})

test.each([
  [429, 'busy'],
  [503, 'busy'],
  [500, 'unreachable'],
  [422, 'later'],
] as const)(
  'when the container answers %i, the step is %s and uses no attempt, however often',
  async (status, result) => {
    vi.spyOn(console, 'warn').mockReturnValue()
    const { start, job } = await queued()
    for (let attempt = 1; attempt <= 10; attempt++) expect(await start(attempt, answering(status))).toBe(result)
    expect(await start(11, answering(202))).toBe('started')
    expect(await job()).toMatchObject({ state: 'running', usedAttempts: 1, attempt: 11 })
  },
)

test('without a URL that the container could report to, the step waits and no container gets its order', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const { start } = await queued()
  const engines = enginesThat(() => Promise.reject(new Error('an order was sent')))
  expect(await start(1, { PUBLIC_URL: '', ENGINE_URLS: '', ...engines })).toBe('later')
})

test('when the container cannot be reached, or hangs, the step uses no attempt', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { start, job } = await queued()
  expect(
    await start(
      1,
      enginesThat(() => Promise.reject(new Error('the network is down'))),
    ),
  ).toBe('unreachable')
  shortenTimeouts(10)
  const hanging = enginesThat(
    (_url, { signal }) => new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  )
  expect(await start(2, hanging)).toBe('unreachable')
  await start(3)
  expect(await job()).toMatchObject({ usedAttempts: 1, attempt: 3 })
})

/** An engine that takes each order, and the numbers of the attempts that it was told. The first answers are lost. */
const forgetful = (lost: number) => {
  const attempts: number[] = []
  const engines = enginesThat(async (_url, init) => {
    attempts.push(JSON.parse(`${init.body}`).attempt)
    if (attempts.length <= lost) throw new Error('the response was lost')
    return new Response(null, { status: 202 })
  })
  return { attempts, engines }
}

test('when the first 202 is lost, the same order is sent again at once and the job keeps its lease', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { start, job } = await queued()
  const { attempts, engines } = forgetful(1)
  expect(await start(1, engines)).toBe('started')
  expect(attempts).toEqual([1, 1])
  expect(await job()).toMatchObject({ usedAttempts: 1, attempt: 1 })
})

test('when every response is lost, the next order has a new attempt number, so that the container runs it', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { start, account, job, jobId } = await queued()
  const { attempts, engines } = forgetful(2)
  expect(await start(1, engines)).toBe('unreachable')
  expect(await account.holdsLease({ jobId, lease: 'place-1' })).toBe(true)
  expect(await start(2, engines)).toBe('started')
  expect(attempts).toEqual([1, 1, 2])
  expect(await account.holdsLease({ jobId, lease: 'place-1' })).toBe(false)
  expect(await job()).toMatchObject({ usedAttempts: 1, attempt: 2 })
})

test('an order that the container rejects uses an attempt, and after three the job fails', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { start, job } = await queued()
  for (let attempt = 1; attempt <= 3; attempt++) {
    expect(await job()).toMatchObject({ usedAttempts: attempt - 1, completedAt: null })
    expect(await start(attempt, answering(400))).toBe('not needed')
  }
  expect(await job()).toMatchObject({ state: 'failed', failure: { code: 'INTERNAL' } })
})

test('when the answer to a claim is lost, the claim is repeated and not made twice', async () => {
  const { start, account, job } = await queued()
  let calls = 0
  const lossy = {
    claim: async (...claim: Parameters<typeof account.claim>) => {
      const claimed = await account.claim(...claim)
      if (++calls === 1) throw new Error('the response was lost')
      return claimed
    },
  }
  expect(await start(1, { ACCOUNTS: { getByName: () => lossy } as unknown as Env['ACCOUNTS'] })).toBe('started')
  expect([calls, await job()]).toMatchObject([2, { usedAttempts: 1, attempt: 1 }])
})

test('when the account cannot be reached, the start ends with a fault', async () => {
  vi.spyOn(console, 'error').mockReturnValue()
  const { start, job } = await queued()
  const unreachable = { getByName: () => ({ claim: () => Promise.reject(new Error('overloaded')) }) }
  expect(await start(1, { ACCOUNTS: unreachable as unknown as Env['ACCOUNTS'] })).toBe('fault')
  expect(await job()).toMatchObject({ state: 'queued', usedAttempts: 0, attempt: 0 })
})

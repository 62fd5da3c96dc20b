import { createExecutionContext, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, expect, test, vi } from 'vitest'
import { fleetIndexOf } from '../../../domain/fleet/fleet-index.ts'
import { newId } from '../../../domain/ids.ts'
import { micros } from '../../../domain/money/money.ts'
import { readJob } from '../../../worker/account/jobs/job-rows.ts'
import type { StepMessage } from '../../../worker/account/queue-messages.ts'
import { configOf } from '../../../worker/env.ts'
import { fleetOf, planOf } from '../../../worker/fleet/fleet-of.ts'
import { consumeSteps } from '../../../worker/steps/consume-steps.ts'
import { admission, newAccount } from '../support/account.ts'
import { type Caller, newCaller, started } from '../support/caller.ts'
import { eventually } from '../support/clock.ts'
import { controlEngine, type FakeEngine } from '../support/fake-engine.ts'

/** The tests' Worker has four fleets and eight containers: engine i answers at port i + 1. */
const control = (engine: number, changes: Partial<FakeEngine> = {}) => controlEngine(engine + 1, changes)

const fetchMessage = (accountId: string, jobId: string): StepMessage => ({
  ...{ v: 1, accountId, jobId, step: 'fetch', attempt: 1, runsIn: 'container', rank: 'job' },
})

/** A queued import of an account in this fleet. */
const queuedIn = async (fleet: number) => {
  for (;;) {
    const { accountId, account, identity } = await newAccount()
    if (fleetIndexOf(accountId, 4) !== fleet) continue
    const { result } = await account.admit(identity, admission(micros(10_000)))
    if (!result.ok) throw new Error(result.refusal.code)
    const body = fetchMessage(accountId, result.value.jobId)
    return { accountId, account, jobId: result.value.jobId, body }
  }
}

const callerIn = async (fleet: number): Promise<Caller> => {
  for (;;) {
    const caller = await newCaller()
    if (fleetIndexOf(caller.accountId, 4) === fleet) return caller
  }
}

const arrives = (body: StepMessage): Promise<void> =>
  consumeSteps(
    { messages: [{ body, attempts: 1, ack: () => {}, retry: () => {} }] } as never,
    env,
    createExecutionContext(),
  )

afterEach(() => vi.restoreAllMocks())

test('four fleets share engines and accounts: each engine has one fleet, and each account one', () => {
  const plans = [0, 1, 2, 3].map((index) => planOf(configOf(env), `fleet-${index}`))
  expect(plans.map(({ names }) => names)).toEqual([
    ['engine-0', 'engine-4'],
    ['engine-1', 'engine-5'],
    ['engine-2', 'engine-6'],
    ['engine-3', 'engine-7'],
  ])
  const accounts = Array.from({ length: 100 }, () => newId('account', Date.now()))
  const fleets = accounts.map((accountId) => fleetOf(env, accountId).name)
  expect(new Set(fleets)).toEqual(new Set(['fleet-0', 'fleet-1', 'fleet-2', 'fleet-3']))
  expect(accounts.map((accountId) => fleetOf(env, accountId).name)).toEqual(fleets)
})

test('there are no more fleets than engines, and containers are started only up to MAX_ENGINES', () => {
  const one = { ...env, ENGINE_URLS: 'http://127.0.0.1:1' }
  expect(fleetOf(one, 'an account').name).toBe('fleet-0')
  const containers = { ...configOf(env), engineUrls: [], MIN_ENGINES: 3, MAX_ENGINES: 6 }
  expect(planOf(containers, 'fleet-1')).toMatchObject({ names: ['engine-1', 'engine-5'], warm: 1, areElsewhere: false })
})

test('an engine that does not know one step yet goes on with others', async () => {
  vi.spyOn(console, 'warn').mockReturnValue()
  const both = (changes: Partial<FakeEngine>) => Promise.all([control(0, changes), control(4, changes)])
  await both({ orderStatus: 422, orders: [] })
  const ordered = async () => (await both({})).flatMap(({ orders }) => orders.map((order) => order.jobId))
  const unknown = await queuedIn(0)
  await arrives(unknown.body)
  await eventually(async () => expect(await ordered()).toEqual([unknown.jobId]))
  const job = await runInDurableObject(unknown.account, (_, { storage }) => readJob(storage.sql, unknown.jobId))
  expect(job).toMatchObject({ attempt: 1, failure: null })
  await both({ orderStatus: null, orders: [] })
  const known = await queuedIn(0)
  await arrives(known.body)
  await eventually(async () => expect(await ordered()).toEqual([known.jobId]))
})

test.each([0, 1, 2, 3])('steps of an account in fleet %i run on engines of that fleet', async (fleet) => {
  const { body, jobId, accountId } = await queuedIn(fleet)
  await arrives(body)
  const used = await eventually(async () => {
    const engines = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7].map((engine) => control(engine)))
    const orders = engines.flatMap((state, engine) => state.orders.map((order) => ({ ...order, engine })))
    const ofJob = orders.filter((order) => order.jobId === jobId)
    expect(ofJob).toHaveLength(1)
    return ofJob[0]
  })
  expect(Number(used?.engine) % 4).toBe(fleet)
  await fleetOf(env, accountId).ended(`${used?.placeId}`)
})

test('deleting a running job stops its step in the container at once, and frees its place', async () => {
  const fleet = 3
  const caller = await callerIn(fleet)
  const jobId = await started(caller)
  for (const engine of [fleet, fleet + 4]) await control(engine, { keepsSteps: true })
  await arrives(fetchMessage(caller.accountId, jobId))
  await caller.delete(`/jobs/${jobId}`)
  await eventually(async () => {
    const states = await Promise.all([fleet, fleet + 4].map((engine) => control(engine)))
    expect(states.flatMap(({ stopped }) => stopped)).toContainEqual({ jobId, attempt: 1 })
    expect(states.flatMap(({ running }) => running)).toEqual([])
  })
  await eventually(async () => {
    const { engines } = await fleetOf(env, caller.accountId).report()
    expect(engines.every(({ places }) => places.network.taken === 0)).toBe(true)
  })
  for (const engine of [fleet, fleet + 4]) await control(engine, { keepsSteps: false })
})

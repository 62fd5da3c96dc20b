import { beforeAll, describe, expect, test } from 'vitest'
import { IDLE_MS } from '../../../../domain/fleet/fleet-limits.ts'
import { randomFrom } from '../../../support/random-numbers.ts'
import { flood, job, loadOf } from './simulated-load.ts'
import { type SimulatedJob, type StepRecord, type Usage, World, type WorldOptions } from './simulated-world.ts'
import { capacity } from './small-fleet.ts'

const SECOND = 1_000
const PLACES = capacity.places.network + capacity.places.cpu

const worldAfter = (options: WorldOptions): World => {
  const world = new World(options)
  world.run()
  return world
}

const waitMs = ({ requestedAt, placedAt }: StepRecord): number => (placedAt ?? Number.POSITIVE_INFINITY) - requestedAt

const percentile = (values: number[], part: number): number =>
  values.sort((a, b) => a - b)[Math.floor(part * (values.length - 1))] ?? Number.NaN

const p99WaitOfOthers = ({ records }: World): number =>
  percentile([...records.values()].filter(({ accountId }) => accountId !== 'acc_flood').map(waitMs), 0.99)

const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0)

const between = (usage: readonly Usage[], from: number, to: number) => usage.filter(({ at }) => at >= from && at < to)

const shareUsed = (usage: readonly Usage[]): number =>
  sum(usage.map(({ running }) => running)) / sum(usage.map(({ places }) => places))

const mostEngines = ({ usage }: World): number => Math.max(...usage.map(({ places }) => places)) / PLACES

const expectAllEnded = ({ records }: World, jobs: readonly SimulatedJob[]) => {
  expect(records.size).toBe(sum(jobs.map(({ steps }) => steps.length)))
  expect([...records.values()].filter(({ endedAt }) => endedAt === null)).toEqual([])
}

test('1 account: one engine starts for its jobs, and stops when it is idle', () => {
  const jobs = [0, 0, 20 * SECOND].map((at, index) => job(randomFrom(index), at, 'acc_1', `job_${index}`))
  const world = worldAfter({ seed: 1, jobs, maxEngines: 20 })
  expectAllEnded(world, jobs)
  expect(mostEngines(world)).toBe(1)
  const lastEnd = Math.max(...[...world.records.values()].map(({ endedAt }) => endedAt ?? 0))
  expect(world.now - lastEnd).toBeGreaterThanOrEqual(IDLE_MS)
  expect(world.now - lastEnd).toBeLessThan(IDLE_MS + 5 * SECOND)
})

test('21 accounts share engines: two jobs of each run at once on 11, and no account waits for an engine of its own', () => {
  const random = randomFrom(21)
  const accounts = Array.from({ length: 21 }, (_, index) => `acc_${index}`)
  const jobs = accounts.flatMap((accountId) =>
    [1, 2].map((count): SimulatedJob => {
      const [first, ...others] = job(random, 0, accountId, `${accountId}_job_${count}`).steps
      // Longer than all starts, so that all jobs run at the same time.
      return { at: 0, steps: first ? [{ ...first, durationMs: 60_000 }, ...others] : [] }
    }),
  )
  const world = worldAfter({ seed: 21, jobs, maxEngines: 20 })
  expectAllEnded(world, jobs)
  expect(Math.max(...world.usage.map(({ running }) => running))).toBe(42)
  expect(mostEngines(world)).toBe(11)
  expect(Math.max(...[...world.records.values()].map(waitMs))).toBeLessThan(30 * SECOND)
})

describe('10,000 accounts on 200 engines, with 1.2 times the load that the engines can do', () => {
  const OVERLOAD = { from: 30 * SECOND, to: 150 * SECOND }
  const phases = [
    { load: 0.5, durationMs: OVERLOAD.from },
    { load: 1.2, durationMs: OVERLOAD.to - OVERLOAD.from },
    { load: 0.3, durationMs: 60 * SECOND },
  ]
  const jobs = loadOf(phases, { seed: 7, accounts: 10_000, engines: 200 })
  const withFlood = [...jobs, ...flood(OVERLOAD.from, 5_000)]
  const options = {
    seed: 11,
    maxEngines: 200,
    deaths: [45, 60, 75, 90, 105].map((at) => at * SECOND),
    drains: [50, 100].map((at) => at * SECOND),
  }
  /** The first seconds pass until all engines have started. */
  const underLoad = (world: World) => between(world.usage, OVERLOAD.from + 20 * SECOND, OVERLOAD.to)

  let plain: World
  let flooded: World
  let split: World
  beforeAll(() => {
    plain = worldAfter({ ...options, jobs })
    flooded = worldAfter({ ...options, jobs: withFlood })
    split = worldAfter({ ...options, jobs, fleets: 4 })
  }, 120_000)

  test('all steps end, also those whose engine died or drained', () => {
    expectAllEnded(plain, jobs)
    expectAllEnded(flooded, withFlood)
    expect(sum([...plain.records.values()].map(({ lost }) => lost))).toBeGreaterThan(10)
  })

  test('no engine gets more steps than it has places, or more bytes than it has disk space', () => {
    for (const world of [plain, flooded, split]) expect(world.overbooked).toBe(0)
  })

  test('at least 85 % of all places are used under load', () => {
    expect(shareUsed(underLoad(plain))).toBeGreaterThanOrEqual(0.85)
    expect(mostEngines(plain)).toBe(200)
  })

  test('an account with thousands of jobs changes the 99th percentile of the waits of others by at most 20 %', () => {
    expect(p99WaitOfOthers(plain)).toBeGreaterThan(5 * SECOND)
    expect(p99WaitOfOthers(flooded) / p99WaitOfOthers(plain)).toBeLessThanOrEqual(1.2)
  })

  test('a step needs one queue message, and one more for each engine that it lost', () => {
    for (const record of flooded.records.values()) expect(record.messages).toBeLessThanOrEqual(1 + record.lost)
    const messages = sum([...flooded.records.values()].map((record) => record.messages))
    expect(messages / flooded.records.size).toBeLessThan(1.01)
  })

  test('nobody starves: the longest wait is about as long as the overload', () => {
    const longest = Math.max(...[...plain.records.values()].map(waitMs))
    // 200 engines need 40 s to start.
    expect(longest).toBeLessThan(1.3 * (OVERLOAD.to - OVERLOAD.from))
  })

  test('four fleets complete at least 95 % of the steps that one completes under load', () => {
    expectAllEnded(split, jobs)
    const ended = ({ records }: World) =>
      [...records.values()].filter(({ endedAt }) => endedAt !== null && endedAt < OVERLOAD.to).length
    expect(ended(split) / ended(plain)).toBeGreaterThanOrEqual(0.95)
    expect(shareUsed(underLoad(split))).toBeGreaterThanOrEqual(0.85)
  })
})

test('a fleet that loses its memory three times under load goes on, and all steps end', () => {
  const jobs = loadOf([{ load: 1.2, durationMs: 90 * SECOND }], { seed: 5, accounts: 500, engines: 20 })
  const restarts = [31.05, 47.75, 80.5].map((at) => at * SECOND)
  const world = worldAfter({ seed: 6, jobs, maxEngines: 20, restarts, deaths: [50 * SECOND] })
  expectAllEnded(world, jobs)
  // Only places whose message was on its way are granted again.
  expect(world.overbooked).toBeLessThan(20)
  expect(shareUsed(between(world.usage, 30 * SECOND, 90 * SECOND))).toBeGreaterThanOrEqual(0.85)
})

test('below capacity, an account with thousands of jobs makes others wait less than three seconds', () => {
  const jobs = loadOf([{ load: 0.7, durationMs: 120 * SECOND }], { seed: 3, accounts: 500, engines: 40 })
  const world = worldAfter({ seed: 4, jobs: [...jobs, ...flood(40 * SECOND, 3_000)], maxEngines: 40 })
  const others = [...world.records.values()].filter(
    ({ accountId, requestedAt }) => accountId !== 'acc_flood' && requestedAt > 60 * SECOND,
  )
  expect(percentile(others.map(waitMs), 0.99)).toBeLessThan(3 * SECOND)
  expectAllEnded(world, [...jobs, ...flood(40 * SECOND, 3_000)])
})

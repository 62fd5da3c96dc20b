import { expect, test } from 'vitest'
import { enginesOfFleet, fleetIndexOf } from '../../../../domain/fleet/fleet-index.ts'
import type { PlaceRequest } from '../../../../domain/fleet/place.ts'
import { EventHeap } from '../../../simulation/event-heap.ts'
import { randomFrom } from '../../../support/random-numbers.ts'
import { capacity, GB, newFleet, stateWith, step } from './small-fleet.ts'

/** How the line divides places under load, of which docs/fleet.md has the figures. What engines do when they start or fail is no part of it. */

const SECOND = 1_000
const MB = 1_000_000
const BYTES_PER_MS = 5_000
/** One job in so many is a transcription: its audio, then its recognition. */
const TRANSCRIPTIONS = 5
const PLACES = capacity.places.network + capacity.places.cpu

type Random = ReturnType<typeof randomFrom>

interface TimedStep extends PlaceRequest {
  durationMs: number
}

/** Its steps run one after the other. */
interface Job {
  at: number
  steps: TimedStep[]
}

interface Run {
  accountId: string
  requestedAt: number
  placedAt: number
  endedAt: number
}

/** Sizes of files on the internet: most are small, and the few large ones have most of the bytes. */
const pareto = (random: Random, least: number, most: number, shape: number): number =>
  Math.min(most, least / (1 - random()) ** (1 / shape))

/** A file that is downloaded at 5 MB/s. One in three is merged from two streams and needs its space twice. */
const download = (random: Random, accountId: string, jobId: string): TimedStep => {
  const bytes = pareto(random, 5 * MB, GB, 1.1)
  const diskBytes = Math.round(random() < 1 / 3 ? 2 * bytes : bytes)
  return { ...step(accountId, jobId, { diskBytes }), durationMs: 1_000 + bytes / BYTES_PER_MS }
}

const jobOf = (random: Random, at: number, accountId: string, jobId: string): Job => {
  const first = download(random, accountId, jobId)
  if (random() >= 1 / TRANSCRIPTIONS) return { at, steps: [first] }
  const recognize = step(accountId, jobId, { step: 'recognize', work: 'cpu' })
  return { at, steps: [first, { ...recognize, durationMs: pareto(random, 6_000, 300_000, 1.5) }] }
}

/** How long a download takes on average. Counted over many. */
const meanMs = (() => {
  const random = randomFrom(1)
  const count = 50_000
  let sum = 0
  for (let index = 0; index < count; index++) sum += download(random, 'a', 'j').durationMs
  return sum / count
})()

/** Jobs of accounts at random, until a time. `load`: 1 is as much as all engines can do. */
const jobsUntil = (
  endMs: number,
  load: number,
  { accounts, engines }: { accounts: number; engines: number },
): Job[] => {
  const random = randomFrom(7)
  const betweenMs = meanMs / (load * engines * capacity.places.network)
  const jobs: Job[] = []
  const pause = () => -Math.log(1 - random()) * betweenMs
  for (let at = pause(); at < endMs; at += pause()) {
    jobs.push(jobOf(random, at, `acc_${Math.floor(random() * accounts)}`, `job_${jobs.length}`))
  }
  return jobs
}

/** One account sends many jobs at once. */
const flood = (at: number, count: number): Job[] => {
  const random = randomFrom(99)
  return Array.from({ length: count }, (_, index) => jobOf(random, at, 'acc_flood', `flood_${index}`))
}

/** Runs all jobs on engines that are up and stay up. */
const run = (jobs: readonly Job[], engines: number, fleets = 1): Run[] => {
  const runs: Run[] = []
  const events = new EventHeap()
  let sequence = 0
  const schedule = (at: number, act: (now: number) => void) =>
    events.push({ at, sequence: ++sequence, owner: null, label: '', act: () => act(at) })
  const steps = new Map(jobs.flatMap((job) => job.steps.map((each) => [`${each.jobId} ${each.step}`, { job, each }])))
  const requestedAt = new Map<string, number>()
  const objects = Array.from({ length: fleets }, (_, index) => {
    const plan = enginesOfFleet(index, { fleets, minEngines: 0, maxEngines: engines })
    const fleet = newFleet(plan)
    for (const name of plan.names) fleet.engineState(name, stateWith(), 0)
    return fleet
  })
  const dispatch = (fleet: (typeof objects)[number], now: number) => {
    for (const { id, jobId, step: name, accountId } of fleet.dispatch(now)) {
      const key = `${jobId} ${name}`
      const { job, each } = steps.get(key) as { job: Job; each: TimedStep }
      fleet.started(id, now)
      const end = (at: number) => {
        runs.push({ accountId, requestedAt: requestedAt.get(key) ?? 0, placedAt: now, endedAt: at })
        fleet.free(id, at)
        begin(job, job.steps.indexOf(each) + 1, at)
        dispatch(fleet, at)
      }
      schedule(now + each.durationMs, end)
    }
  }
  const begin = (job: Job, index: number, now: number) => {
    const each = job.steps[index]
    const fleet = each && objects[fleetIndexOf(each.accountId, fleets)]
    if (!fleet) return
    requestedAt.set(`${each.jobId} ${each.step}`, now)
    fleet.request(each, now)
    dispatch(fleet, now)
  }
  for (const job of jobs) schedule(job.at, (now) => begin(job, 0, now))
  for (let next = events.peek(); next; next = events.peek()) {
    events.pop()
    next.act?.()
  }
  expect(runs.length, 'steps that have ended').toBe(steps.size)
  return runs
}

const waitsOfOthers = (runs: readonly Run[]): number[] =>
  runs.filter(({ accountId }) => accountId !== 'acc_flood').map(({ requestedAt, placedAt }) => placedAt - requestedAt)

const p99 = (values: number[]): number => values.sort((a, b) => a - b)[Math.floor(0.99 * (values.length - 1))] ?? 0

/** Of all places, between two times. */
const shareUsed = (runs: readonly Run[], engines: number, from: number, until: number): number => {
  const within = ({ placedAt, endedAt }: Run) => Math.max(0, Math.min(until, endedAt) - Math.max(from, placedAt))
  return runs.reduce((sum, each) => sum + within(each), 0) / (engines * PLACES * (until - from))
}

test('10,000 accounts with 1.2 times the load that 200 engines can do: they are full, nobody starves, an account with thousands of jobs delays no other, and four fleets do as much as one', () => {
  const [from, until] = [20 * SECOND, 120 * SECOND]
  const jobs = jobsUntil(until, 1.2, { accounts: 10_000, engines: 200 })
  const plain = run(jobs, 200)
  const flooded = run([...jobs, ...flood(from, 5_000)], 200)
  const split = run(jobs, 200, 4)
  const ended = (runs: Run[]) => runs.filter(({ endedAt }) => endedAt < until).length
  expect(shareUsed(plain, 200, from, until)).toBeGreaterThanOrEqual(0.85)
  expect(Math.max(...waitsOfOthers(plain))).toBeLessThan(until)
  expect(p99(waitsOfOthers(plain))).toBeGreaterThan(5 * SECOND)
  expect(p99(waitsOfOthers(flooded)) / p99(waitsOfOthers(plain))).toBeLessThanOrEqual(1.2)
  expect(ended(split) / ended(plain)).toBeGreaterThanOrEqual(0.95)
})

test('below capacity, an account with thousands of jobs makes others wait less than three seconds', () => {
  const jobs = jobsUntil(120 * SECOND, 0.7, { accounts: 500, engines: 40 })
  const runs = run([...jobs, ...flood(40 * SECOND, 3_000)], 40)
  const later = runs.filter(({ requestedAt }) => requestedAt > 60 * SECOND)
  expect(p99(waitsOfOthers(later))).toBeLessThan(3 * SECOND)
})

import { randomFrom } from '../../../support/random-numbers.ts'
import { exponential, pareto, type Random } from './random.ts'
import type { SimulatedJob, SimulatedStep } from './simulated-world.ts'
import { capacity, GB, step } from './small-fleet.ts'

const MB = 1_000_000
const BYTES_PER_MS = 5_000

/** One job in so many is a transcription: its audio, then its recognition. */
const TRANSCRIPTIONS = 5

/** A file that is downloaded at 5 MB/s. One in three is merged from two streams and needs its space twice. */
const download = (random: Random, accountId: string, jobId: string, name: string): SimulatedStep => {
  const bytes = pareto(random, { least: 5 * MB, most: GB, shape: 1.1 })
  const diskBytes = Math.round(random() < 1 / 3 ? 2 * bytes : bytes)
  return { ...step(accountId, jobId, { step: name, diskBytes }), durationMs: 1_000 + bytes / BYTES_PER_MS }
}

export const job = (random: Random, at: number, accountId: string, jobId: string): SimulatedJob => {
  if (random() >= 1 / TRANSCRIPTIONS) return { at, steps: [download(random, accountId, jobId, 'fetch')] }
  const durationMs = pareto(random, { least: 6_000, most: 300_000, shape: 1.5 })
  const recognize = { ...step(accountId, jobId, { step: 'recognize', work: 'cpu' }), durationMs }
  return { at, steps: [download(random, accountId, jobId, 'audio'), recognize] }
}

/** How long the network places of an engine are taken by one job, on average. Counted over many jobs. */
const meanNetworkMs = (): number => {
  const random = randomFrom(1)
  const count = 50_000
  let sum = 0
  for (let index = 0; index < count; index++) sum += job(random, 0, 'a', 'j').steps[0]?.durationMs ?? 0
  return sum / count
}

export interface Phase {
  /** 1: as much as all engines can do. */
  load: number
  durationMs: number
}

/** Jobs of accounts at random. Independent of everything else, so that runs can be compared. */
export const loadOf = (
  phases: readonly Phase[],
  { seed, accounts, engines }: { seed: number; accounts: number; engines: number },
): SimulatedJob[] => {
  const random = randomFrom(seed)
  const betweenMs = meanNetworkMs() / (engines * capacity.places.network)
  const jobs: SimulatedJob[] = []
  let at = 0
  let end = 0
  for (const { load, durationMs } of phases) {
    end += durationMs
    for (at += exponential(random, betweenMs / load); at < end; at += exponential(random, betweenMs / load)) {
      jobs.push(job(random, at, `acc_${Math.floor(random() * accounts)}`, `job_${jobs.length}`))
    }
    at = end
  }
  return jobs
}

/** One account sends many jobs at once. */
export const flood = (at: number, count: number, seed = 99): SimulatedJob[] => {
  const random = randomFrom(seed)
  return Array.from({ length: count }, (_, index) => job(random, at, 'acc_flood', `flood_${index}`))
}

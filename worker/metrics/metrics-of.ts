import { partOf } from '../../domain/account/part-of.ts'
import type { DeadWebhook, EventCounter } from '../../domain/metrics/counted-events.ts'
import type { CountedOutcome } from '../../domain/metrics/job-totals.ts'
import { type Sums, sumOfSums } from '../../domain/metrics/sums.ts'
import { regionsOf } from '../env.ts'

/** Never changes: an account that moved to another would be counted in both. Each serves 1,000 requests a second. */
const METRICS_OBJECTS = 4

const named = (env: Env, part: number | 'events') => {
  const [locationHint] = regionsOf(env)
  return env.METRICS.getByName(`metrics-${part}`, locationHint && { locationHint })
}

export const metricsOf = (env: Env, accountId: string) => named(env, partOf(accountId, METRICS_OBJECTS))

/** What no account counts has an object of its own: a file that many request must not delay the reports of accounts. */
export const eventMetrics = (env: Env) => named(env, 'events')

export const accountMetrics = (env: Env) => Array.from({ length: METRICS_OBJECTS }, (_, index) => named(env, index))

export const allMetrics = (env: Env) => [...accountMetrics(env), eventMetrics(env)]

/** All of them or none: a counter without one part would seem to start again from zero. */
export const sumsOf = async (env: Env): Promise<Sums> =>
  sumOfSums(await Promise.all(allMetrics(env).map((metrics) => metrics.sums())))

export const outcomesSince = async (env: Env, fromHour: number, maxAgeMs = 0): Promise<CountedOutcome[]> =>
  (await Promise.all(accountMetrics(env).map((metrics) => metrics.outcomes(fromHour, maxAgeMs)))).flat()

/** Never throws: what is counted goes on when counting fails. */
export const countEvent = async (
  env: Env,
  counter: EventCounter,
  { amount = 1, deadWebhook = null }: { amount?: number; deadWebhook?: DeadWebhook | null } = {},
): Promise<void> => {
  try {
    await eventMetrics(env).count(counter, amount, deadWebhook)
  } catch (cause) {
    console.warn('an event was not counted', counter, `${cause}`)
  }
}

/** One request of the object for all that a process of the Worker serves in this time. */
const SERVED_MS = 5_000
/** A process may be stopped before it has sent what it counted. */
const LOST_MS = 30_000

const served = { bytes: 0, since: Number.NEGATIVE_INFINITY }

export const countServed = (env: Env, ctx: Pick<ExecutionContext, 'waitUntil'>, sizeBytes: number): void => {
  served.bytes += sizeBytes
  const now = Date.now()
  if (now - served.since < LOST_MS) return
  served.since = now
  ctx.waitUntil(sendServed(env))
}

const sendServed = async (env: Env): Promise<void> => {
  await scheduler.wait(SERVED_MS)
  const sizeBytes = served.bytes
  Object.assign(served, { bytes: 0, since: Number.NEGATIVE_INFINITY })
  await countEvent(env, 'bytes served', { amount: sizeBytes })
}

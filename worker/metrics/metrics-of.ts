import type { CountedEvent, DeadWebhook } from '../../domain/metrics/counted-events.ts'
import { type Sums, sumOfSums } from '../../domain/metrics/sums.ts'
import { partOf } from '../../domain/part-of.ts'

/**
 * The number of metrics objects. It never changes: an account that moved to another object would be counted in both, or
 * for a while in none. Each serves about 1,000 requests a second, and a job is two.
 */
const METRICS_OBJECTS = 4

const named = (env: Env, index: number) => env.METRICS.getByName(`metrics-${index}`)

/** The metrics object of an account, or of something else that has an id. */
export const metricsOf = (env: Env, owner: string) => named(env, partOf(owner, METRICS_OBJECTS))

export const allMetrics = (env: Env) => Array.from({ length: METRICS_OBJECTS }, (_, index) => named(env, index))

export const sumsOf = async (env: Env): Promise<Sums> =>
  sumOfSums(await Promise.all(allMetrics(env).map((metrics) => metrics.sums())))

/**
 * Counts what no account counts, with `deadWebhook` if the event is the end of a delivery. `owner` is the id of an account
 * or a job, and divides the events among the objects. Never throws: what is counted goes on when counting fails.
 */
export const countEvent = async (
  env: Env,
  owner: string,
  event: CountedEvent,
  deadWebhook: DeadWebhook | null = null,
): Promise<void> => {
  try {
    await metricsOf(env, owner).count(event, deadWebhook)
  } catch (cause) {
    console.warn('an event was not counted', event.kind, `${cause}`)
  }
}

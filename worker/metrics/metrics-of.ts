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

import { lanes } from '../domain/lanes.ts'
import { MINUTE_MS } from '../domain/time.ts'
import { allFleets } from './fleet/fleet-of.ts'
import { accountMetrics } from './metrics/metrics-of.ts'

/** An alarm may be late. After this time it counts as dropped: the platform drops an alarm that has failed six times. */
const LATE_MS = 5 * MINUTE_MS
/** Of one metrics object, because an invocation may make 10,000 calls. */
const MOST_ACCOUNTS = 1_500
const AT_ONCE = 20

/** Runs every five minutes, so that nothing depends on an alarm that the platform has dropped. */
export const wakeAll = async (env: Env): Promise<void> => {
  const before = Date.now() - LATE_MS
  const overdue = await Promise.all(
    accountMetrics(env).map((metrics) => metrics.overdueAccounts(before, MOST_ACCOUNTS)),
  )
  const attempt = (what: string, wake: () => Promise<unknown>) => async () => {
    await wake().catch((cause) => console.error('not woken', what, cause))
  }
  await lanes(
    AT_ONCE,
    [
      ...allFleets(env).map((fleet) => attempt('a fleet', () => fleet.wake())),
      ...overdue.flat().map((id) => attempt(id, () => env.ACCOUNTS.getByName(id).wake())),
    ],
    (wake) => wake(),
  )
}

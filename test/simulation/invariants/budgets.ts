import { defaultLimits, limitsOf, WINDOW_MS } from '../../../domain/account-limits.ts'
import { MOST_SKEW_MS } from '../faults/fault-classes.ts'
import { eachAccount, type Invariants, type Row, type Sql } from './seen.ts'

interface Budgets extends Row {
  limits: string
  free_work: string | null
}

interface FreeWork {
  countedAt: number
  engineMs: number
  bytes: number
}

const readBudgets = (sql: Sql) => {
  const { limits, free_work } = sql.exec<Budgets>('SELECT limits, free_work FROM account').one()
  return {
    limits,
    ...limitsOf(JSON.parse(limits), defaultLimits),
    work: JSON.parse(free_work ?? 'null') as FreeWork | null,
  }
}

const uploadedBytes = (sql: Sql, now: number): number => {
  const query = `SELECT sum(size_bytes) AS bytes FROM uploads WHERE expires_at > ? AND (state = 'ready'
    OR state = 'pending' AND multipart_id IS NOT NULL)`
  return sql.exec<{ bytes: number | null }>(query, now).one().bytes ?? 0
}

/** What is free has a budget: nothing starts when it is used up, and what ended without a charge is in it. */
export const budgets = (): Invariants => {
  const known = new Map<string, number>()
  /** When free work may begin again in accounts whose budget was used up at their last commit. */
  const usedUpUntil = new Map<string, number>()
  /** The limits of each account, and when they were set. A change may lower what counts as used. */
  const limited = new Map<string, { limits: string; since: number }>()
  /** There is a row more than at the last commit. */
  const hasNew = (sql: Sql, accountId: string, table: 'jobs' | 'uploads'): boolean => {
    const before = known.get(`${accountId} ${table}`) ?? 0
    const { count } = sql.exec<{ count: number }>(`SELECT count(*) AS count FROM ${table}`).one()
    known.set(`${accountId} ${table}`, count)
    return count > before
  }
  return {
    atCommit: (seen, accountId, sql) => {
      const hasJob = hasNew(sql, accountId, 'jobs')
      const hasUpload = hasNew(sql, accountId, 'uploads')
      const { now } = seen.world.clock
      const { limits, work, freeWork, uploadBytes } = readBudgets(sql)
      if (limited.get(accountId)?.limits !== limits) limited.set(accountId, { limits, since: now })
      const againAt = work ? freeWorkAgainAt(work, freeWork.engineSecondsPerHour) : 0
      // The cancellation of a batch ends several jobs. An item of another batch may start before the last is counted.
      if (hasJob && now + MOST_SKEW_MS < Math.min(againAt, usedUpUntil.get(accountId) ?? 0)) {
        seen.broken('nothing starts when the budget of free work is used up', accountId, `${work?.engineMs} ms`)
      }
      usedUpUntil.set(accountId, againAt)
      const bytes = hasUpload ? uploadedBytes(sql, now) : 0
      if (bytes > uploadBytes) {
        seen.broken('uploads stay within their limit', accountId, `${bytes} of ${uploadBytes} bytes`)
      }
    },
    atRest: (seen) => {
      eachAccount(seen, ({ id }, sql) => {
        const { work } = readBudgets(sql)
        const query = `SELECT request, measured, completed_at FROM jobs WHERE state = 'failed' AND completed_at > ?
          ORDER BY completed_at`
        const failed = sql.exec<FailedJob>(query, limited.get(id)?.since ?? 0).toArray()
        const isNoted = failed.every(({ completed_at }) => completed_at <= (work?.countedAt ?? 0) + MOST_STEP_BACK_MS)
        const least = leastUsed(failed, work?.countedAt ?? 0)
        if (!isNoted || least > (work?.engineMs ?? 0) + MOST_WRONG_MS) {
          seen.broken('what ends without a charge is in the budget', id, `${least} ms, counted ${work?.engineMs}`)
        }
      })
      for (const { jobId, unpaid } of seen.runs) {
        if (unpaid) {
          const { seconds, heldMicros } = unpaid
          seen.broken('speech is decoded as far as was agreed', jobId, `${seconds} s for ${heldMicros} micro-dollars`)
        }
      }
    },
  }
}

const REGAINED_PER_MS = (defaultLimits.freeWork.engineSecondsPerHour * 1_000) / WINDOW_MS
/** How far the clock of a restarted object may be behind the one before. */
const MOST_STEP_BACK_MS = 2 * MOST_SKEW_MS
/** What is then regained twice, or not. */
const MOST_WRONG_MS = MOST_STEP_BACK_MS * REGAINED_PER_MS

const IN_ENGINES = ['fetch', 'captions', 'audio', 'recognize']

interface FailedJob extends Row {
  request: string
  measured: string
  completed_at: number
}

const freeWorkAgainAt = ({ countedAt, engineMs }: FreeWork, engineSecondsPerHour: number): number =>
  countedAt + (engineMs / 1_000 / engineSecondsPerHour - 1) * WINDOW_MS

/** What these jobs have used of the budget, if it was never smaller than by default. */
const leastUsed = (failed: FailedJob[], countedAt: number): number => {
  let used = 0
  let at = 0
  for (const job of failed) {
    used = Math.max(0, used - (job.completed_at - at) * REGAINED_PER_MS) + engineMs(job)
    at = job.completed_at
  }
  return Math.max(0, used - Math.max(0, countedAt - at) * REGAINED_PER_MS)
}

/** A provider of the caller recognizes speech without an engine. */
const engineMs = ({ request, measured }: FailedJob): number => {
  const { provider } = JSON.parse(request) as { provider?: string | null }
  const { stepMs } = JSON.parse(measured) as { stepMs: Record<string, number> }
  const steps = provider === 'builtin' ? IN_ENGINES : IN_ENGINES.filter((step) => step !== 'recognize')
  return steps.reduce((sum, step) => sum + (stepMs[step] ?? 0), 0)
}

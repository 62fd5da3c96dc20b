import { defaultLimits, limitsOf, WINDOW_MS } from '../../../domain/account/account-limits.ts'
import { MOST_SKEW_MS } from '../faults/fault-classes.ts'
import { eachAccount, type Invariants, type Row, type Sql } from './seen.ts'

type Pool = 'full' | 'limited'

interface FreeWork {
  startedAt: number
  engineMs: number
  bytes: number
}

const nothing: FreeWork = { startedAt: 0, engineMs: 0, bytes: 0 }

const readBudgets = (sql: Sql) => {
  const query = 'SELECT limits, free_work FROM account'
  const { limits, free_work } = sql.exec<{ limits: string; free_work: string | null }>(query).one()
  const work = JSON.parse(free_work ?? '{}') as Partial<Record<Pool, { jobs?: FreeWork }>>
  return { ...limitsOf(JSON.parse(limits), defaultLimits), workOf: (pool: Pool) => work[pool]?.jobs ?? nothing }
}

interface KeyRow extends Row {
  id: string
  scopes: string | null
  budget_micros: number | null
  expires_at: number | null
}

/** A key that is forgotten counts as a limited one. */
const poolsIn = (sql: Sql): ((keyId: string) => Pool) => {
  const keys = sql.exec<KeyRow>('SELECT id, scopes, budget_micros, expires_at FROM keys').toArray()
  const isFull = ({ scopes, budget_micros, expires_at }: KeyRow) =>
    scopes === null && budget_micros === null && expires_at === null
  const full = new Set(keys.filter(isFull).map(({ id }) => id))
  return (keyId) => (full.has(keyId) ? 'full' : 'limited')
}

const uploadedBytes = (sql: Sql, now: number): number => {
  const query = `SELECT sum(size_bytes) AS bytes FROM uploads WHERE expires_at > ? AND (state = 'ready'
    OR state = 'pending' AND multipart_id IS NOT NULL)`
  return sql.exec<{ bytes: number | null }>(query, now).one().bytes ?? 0
}

/** What is free has a budget: nothing starts when it is used up, and what ended without a charge is in it. */
export const budgets = (): Invariants => {
  const known = new Map<string, number>()
  /** When free work may begin again in pools whose budget was used up at the last commit. */
  const usedUpUntil = new Map<string, number>()
  const isMore = (name: string, count: number): boolean => {
    const before = known.get(name) ?? 0
    known.set(name, count)
    return count > before
  }
  /** The pools whose keys have a job more than at the last commit. */
  const poolsWithNewJobs = (sql: Sql, accountId: string): Pool[] => {
    const poolOf = poolsIn(sql)
    const query = 'SELECT key_id, count(*) AS count FROM jobs GROUP BY key_id'
    return sql
      .exec<{ key_id: string; count: number }>(query)
      .toArray()
      .filter(({ key_id, count }) => isMore(`${accountId} ${key_id}`, count))
      .map(({ key_id }) => poolOf(key_id))
  }
  return {
    atCommit: (seen, accountId, sql) => {
      const started = poolsWithNewJobs(sql, accountId)
      const { now } = seen.world.clock
      const { workOf, freeWork, uploadBytes } = readBudgets(sql)
      for (const pool of ['full', 'limited'] as const) {
        const { startedAt, engineMs } = workOf(pool)
        const againAt = engineMs >= freeWork.engineSecondsPerHour * 1_000 ? startedAt + WINDOW_MS : 0
        // The cancellation of a batch ends several jobs. An item of another batch may start before the last is counted.
        const untilBefore = usedUpUntil.get(`${accountId} ${pool}`) ?? 0
        if (started.includes(pool) && now + MOST_SKEW_MS < Math.min(againAt, untilBefore)) {
          seen.broken('nothing starts when the budget of free work is used up', accountId, `${pool}: ${engineMs} ms`)
        }
        usedUpUntil.set(`${accountId} ${pool}`, againAt)
      }
      const { count } = sql.exec<{ count: number }>('SELECT count(*) AS count FROM uploads').one()
      const bytes = isMore(`${accountId} uploads`, count) ? uploadedBytes(sql, now) : 0
      if (bytes > uploadBytes) {
        seen.broken('uploads stay within their limit', accountId, `${bytes} of ${uploadBytes} bytes`)
      }
    },
    atRest: (seen) => {
      eachAccount(seen, ({ id }, sql) => {
        const { workOf } = readBudgets(sql)
        const poolOf = poolsIn(sql)
        const failed = sql.exec<FreeJob>(FREE_WORK).toArray()
        for (const pool of ['full', 'limited'] as const) {
          const work = workOf(pool)
          const counted = failed.filter((job) => poolOf(job.key_id) === pool && freeMs(job) > 0)
          const from = work.startedAt + MOST_STEP_BACK_MS
          const until = work.startedAt + WINDOW_MS
          const least = sumOf(counted.filter((job) => from < job.completed_at && job.completed_at < until))
          const isNoted = counted.every((job) => job.completed_at < until + MOST_STEP_BACK_MS)
          if (!isNoted || least > work.engineMs) {
            seen.broken(
              'what ends without a charge is in the budget',
              id,
              `${pool}: ${least} ms, ${work.engineMs} counted`,
            )
          }
        }
      })
      for (const { jobId, unpaid } of seen.runs) {
        if (unpaid) {
          const { soFar, heldMicros } = unpaid
          seen.broken('nothing is downloaded or decoded that is not held for', jobId, `${soFar} for ${heldMicros}`)
        }
      }
    },
  }
}

/** How far the clock of a restarted object may be behind the one before. */
const MOST_STEP_BACK_MS = 2 * MOST_SKEW_MS

const OF_SPEECH = ['audio', 'recognize']
const IN_ENGINES = ['fetch', 'captions', ...OF_SPEECH]

/** Failed jobs, and speech that has failed. That of a copy may count earlier than the end of its job. */
const FREE_WORK = `SELECT key_id, state, request, failure, measured, completed_at FROM jobs WHERE state = 'failed'
  UNION ALL SELECT key_id, 'speech', request, coalesce(value -> 'failure', '{}'), measured, completed_at
    FROM jobs, json_each(parts) WHERE completed_at IS NOT NULL AND NOT coalesce(request ->> 'store', 0)
      AND value ->> 'kind' = 'transcript' AND value ->> 'state' <> 'completed'`

interface Measured {
  stepMs: Record<string, number>
  lost: { engineMs: number; speechMs?: number }
}

interface ProviderOf {
  provider?: string | null
}

interface FreeJob extends Row {
  /** `speech`: the part of a job. */
  state: string
  key_id: string
  request: string
  failure: string
  measured: string
  completed_at: number
}

const sumOf = (failed: FreeJob[]): number => failed.reduce((sum, job) => sum + freeMs(job), 0)

/** Without what our faults have lost. A provider of the caller recognizes speech without an engine. */
const freeMs = ({ request, state, failure, measured }: FreeJob): number => {
  if (['INTERNAL', 'SPEECH_UNAVAILABLE'].includes(JSON.parse(failure).code)) return 0
  const { transcribe, provider = transcribe?.provider } = JSON.parse(request) as ProviderOf & {
    transcribe?: ProviderOf
  }
  const { stepMs, lost } = JSON.parse(measured) as Measured
  const [ran, lostMs] = state === 'failed' ? [IN_ENGINES, lost.engineMs] : [OF_SPEECH, lost.speechMs ?? 0]
  const steps = provider === 'builtin' ? ran : ran.filter((step) => step !== 'recognize')
  return steps.reduce((sum, step) => sum + (stepMs[step] ?? 0), -lostMs)
}

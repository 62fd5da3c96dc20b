import { limitsOf, WINDOW_MS } from '../../../domain/account-limits.ts'
import { eachAccount, type Invariants, type Row, type Sql } from './seen.ts'

interface Budgets extends Row {
  limits: string
  free_work: string | null
}

interface FreeWork {
  startedAt: number
  engineMs: number
  bytes: number
}

const readBudgets = (sql: Sql) => {
  const { limits, free_work } = sql.exec<Budgets>('SELECT limits, free_work FROM account').one()
  return { ...limitsOf(JSON.parse(limits)), work: JSON.parse(free_work ?? 'null') as FreeWork | null }
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
      const { work, freeWork, uploadBytes } = readBudgets(sql)
      const isUsedUp = work !== null && work.engineMs >= freeWork.engineSecondsPerHour * 1_000
      // The cancellation of a batch ends several jobs. An item of another batch may start before the last is counted.
      if (hasJob && isUsedUp && now < (usedUpUntil.get(accountId) ?? 0)) {
        seen.broken('nothing starts when the budget of free work is used up', accountId, `${work.engineMs} ms`)
      }
      usedUpUntil.set(accountId, isUsedUp ? work.startedAt + WINDOW_MS : 0)
      const bytes = hasUpload ? uploadedBytes(sql, now) : 0
      if (bytes > uploadBytes) {
        seen.broken('uploads stay within their limit', accountId, `${bytes} of ${uploadBytes} bytes`)
      }
    },
    atRest: (seen) => {
      eachAccount(seen, ({ id }, sql) => {
        const { work } = readBudgets(sql)
        const startedAt = work?.startedAt ?? 0
        const query = "SELECT measured FROM jobs WHERE state = 'failed' AND completed_at >= ?"
        const ended = sql.exec<{ measured: string }>(query, startedAt).toArray()
        const freeMs = ended.reduce((sum, { measured }) => sum + engineMs(JSON.parse(measured)), 0)
        if (freeMs > (work?.engineMs ?? 0)) {
          seen.broken('what ends without a charge is in the budget', id, `${freeMs} ms, counted ${work?.engineMs}`)
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

const IN_ENGINES = ['fetch', 'captions', 'audio', 'recognize']

const engineMs = ({ stepMs }: { stepMs: Record<string, number> }): number =>
  IN_ENGINES.reduce((sum, step) => sum + (stepMs[step] ?? 0), 0)

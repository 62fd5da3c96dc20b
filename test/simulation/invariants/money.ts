import { defaultPrices, downloadCost, type Prices } from '../../../domain/money/prices.ts'
import { batchFaults, bookFaults } from '../../worker/support/books.ts'
import { eachAccount, expectZeros, type Invariants, type Row, type Seen, type Sql } from './seen.ts'

/** The tables are compared at every so many commits, because reading them takes longer than the commit. */
const COMMITS = 25

const checkBooks = (seen: Seen, accountId: string, sql: Sql): void => {
  expectZeros(seen, accountId, bookFaults(sql as never))
  expectZeros(seen, accountId, batchFaults(sql as never))
}

interface Charged extends Row {
  id: string
  kind: string
  state: string
  result: string | null
  parts: string | null
  prices: string | null
  charged: number
}

const chargedJobs = (sql: Sql): Charged[] =>
  sql
    .exec<Charged>(
      `SELECT jobs.id, jobs.kind, state, result, parts, prices, coalesce((SELECT sum(-amount_micros) FROM ledger
         WHERE ledger.kind = 'charge' AND job_id = jobs.id), 0) AS charged FROM jobs`,
    )
    .toArray()

/** Nothing is charged twice or for nothing, and every charge is the price of what was delivered. */
export const money = (): Invariants => {
  const commits = new Map<string, number>()
  return {
    atCommit: (seen, accountId, sql) => {
      const count = (commits.get(accountId) ?? 0) + 1
      commits.set(accountId, count)
      if (count % COMMITS === 0) checkBooks(seen, accountId, sql)
    },
    atRest: (seen) =>
      eachAccount(seen, ({ id }, sql) => {
        checkBooks(seen, id, sql)
        for (const job of chargedJobs(sql)) checkCharge(seen, job)
        const { held } = sql.exec<{ held: number }>('SELECT held_micros AS held FROM account').one()
        if (held !== 0) seen.broken('at rest nothing is held', id, `${held} micro-dollars`)
      }),
  }
}

const checkCharge = (seen: Seen, { id, kind, state, result, parts, prices, charged }: Charged): void => {
  if (state === 'failed' && charged !== 0) seen.broken('a failed job is free', id, `it was charged ${charged}`)
  if (state !== 'completed' || result === null) return
  const { costMicros, billedBytes } = JSON.parse(result) as { costMicros: number; billedBytes?: number }
  if (costMicros !== charged) seen.broken('a job costs what it was charged', id, `${costMicros}, charged ${charged}`)
  const accepted: Prices = prices === null ? defaultPrices : JSON.parse(prices)
  const made = JSON.parse(parts ?? '[]') as { costMicros?: number }[]
  const media: number = downloadCost(accepted, billedBytes ?? 0)
  const cost = made.reduce((sum, { costMicros: part = 0 }) => sum + part, media)
  if ((kind === 'import' || parts !== null) && charged !== cost)
    seen.broken('a job costs its media and its parts', id, `${charged} for ${billedBytes} bytes, ${parts}`)
}

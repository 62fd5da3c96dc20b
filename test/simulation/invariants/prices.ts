import type { Invariants, Row, Sql } from './seen.ts'

interface Priced extends Row {
  id: string
  prices: string | null
  batch: string | null
}

/** Those of live jobs: a job that is new is live. */
const live = (sql: Sql): Priced[] =>
  sql
    .exec<Priced>(
      `SELECT id, prices, (SELECT request ->> 'prices' FROM batches WHERE id = batch_id) AS batch FROM jobs
        WHERE state IN ('queued', 'running')`,
    )
    .toArray()

const own = (sql: Sql): string | null => sql.exec<{ prices: string | null }>('SELECT prices FROM account').one().prices

/** The usual prices, which a row has as null. */
const usual = {
  downloadPerMegabyte: 10_000,
  captions: 10_000,
  builtinPerMinute: 20_000,
  providerPerMinute: 10_000,
  speechMinimum: 30_000,
}

const asRow = (prices: string | null): string | null => {
  const text = JSON.stringify({ ...usual, ...JSON.parse(prices ?? '{}') })
  return text === JSON.stringify(usual) ? null : text
}

/** A job has the prices of the moment in which it, or its batch, was accepted, until its end. */
export const prices = (): Invariants => {
  const known = new Map<string, string | null>()
  return {
    atCommit: (seen, _, sql) => {
      for (const { id, prices, batch } of live(sql)) {
        const before = known.get(id)
        const expected = before === undefined ? asRow(batch ?? own(sql)) : before
        if (prices !== expected) seen.broken('a job keeps its prices', id, `${prices} instead of ${expected}`)
        known.set(id, prices)
      }
    },
  }
}

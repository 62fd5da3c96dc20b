import { MOST_SKEW_MS } from '../faults/fault-classes.ts'
import { eachAccount, type Invariants, type Row, type Seen, type Sql } from './seen.ts'

interface KeyRow extends Row {
  id: string
  budget_micros: number | null
}

interface Used extends Row {
  key_id: string
  micros: number
}

const sums = (rows: Used[]): Map<string, number> => new Map(rows.map(({ key_id, micros }) => [key_id, micros]))

/** What jobs of each key were charged. A history is shorter than the month that it begins in. */
const charged = (sql: Sql): Map<string, number> =>
  sums(
    sql
      .exec<Used>(
        `SELECT key_id, -sum(amount_micros) AS micros FROM ledger WHERE kind = 'charge' AND key_id IS NOT NULL GROUP BY key_id`,
      )
      .toArray(),
  )

const held = (sql: Sql): Map<string, number> =>
  sums(
    sql
      .exec<Used>(
        'SELECT key_id, sum(held_micros) AS micros FROM jobs WHERE held_micros > 0 AND key_id IS NOT NULL GROUP BY key_id',
      )
      .toArray(),
  )

/** The charges and holds of a key are within its budget, also when it was removed and forgotten. */
const checkBudgets = (seen: Seen, sql: Sql, budgets: Map<string, number>): void => {
  for (const { id, budget_micros } of sql.exec<KeyRow>('SELECT id, budget_micros FROM keys').toArray()) {
    if (budget_micros !== null) budgets.set(id, budget_micros)
  }
  if (budgets.size === 0) return
  const [paid, open] = [charged(sql), held(sql)]
  for (const [id, budget] of budgets) {
    const used = (paid.get(id) ?? 0) + (open.get(id) ?? 0)
    if (used > budget) seen.broken('a key stays within its budget', id, `${used} of ${budget} micro-dollars`)
  }
}

const checkSpending = (seen: Seen, accountId: string, sql: Sql): void => {
  const { spending } = sql.exec<{ spending: string | null }>('SELECT key_spending AS spending FROM account').one()
  const { spent } = JSON.parse(spending ?? '{"spent":{}}') as { spent: Record<string, number> }
  const paid = charged(sql)
  for (const { id } of sql.exec<{ id: string }>('SELECT id FROM keys').toArray()) {
    if (paid.get(id) !== spent[id]) {
      seen.broken(
        'what a key has spent is what it was charged',
        accountId,
        `${id}: ${spent[id]}, charged ${paid.get(id)}`,
      )
    }
  }
}

export const keys = (budgets = new Map<string, number>()): Invariants => ({
  atCommit: (seen, _, sql) => checkBudgets(seen, sql, budgets),
  atRest: (seen) =>
    eachAccount(seen, ({ id, removedKeys }, sql) => {
      checkSpending(seen, id, sql)
      for (const [keyId, removedAt] of removedKeys) {
        const query = 'SELECT id FROM jobs WHERE key_id = ? AND batch_id IS NULL AND created_at > ?'
        for (const job of sql.exec<{ id: string }>(query, keyId, removedAt + 2 * MOST_SKEW_MS).toArray()) {
          seen.broken('a removed key starts nothing', job.id, keyId)
        }
      }
    }),
})

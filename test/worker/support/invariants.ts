import { expect } from 'vitest'
import type { BookFaults } from './books.ts'

export { batchFaults, bookFaults, eventsInTables } from './books.ts'

/** Called after each of thousands of acts, so it expects nothing as long as nothing is wrong. */
export const expectNone = (faults: BookFaults): void => {
  for (const name in faults) if (faults[name] !== 0) expect(faults).toEqual({ [name]: 0 })
}

interface Books {
  balance: number
  held: number
  charges: number
  ended: number
}

export const readBooks = (sql: SqlStorage): Books =>
  sql
    .exec<Books & BookFaults>(
      `SELECT balance_micros AS balance, held_micros AS held,
         (SELECT coalesce(sum(-amount_micros), 0) FROM ledger WHERE kind = 'charge') AS charges,
         (SELECT count(*) FROM jobs WHERE state IN ('completed', 'failed')) AS ended
       FROM account`,
    )
    .one()

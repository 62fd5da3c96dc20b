interface Books extends Record<string, number> {
  balance: number
  held: number
  charges: number
  ended: number
}

export const readBooks = (sql: SqlStorage): Books =>
  sql
    .exec<Books>(
      `SELECT balance_micros AS balance, held_micros AS held,
         (SELECT coalesce(sum(-amount_micros), 0) FROM ledger WHERE kind = 'charge') AS charges,
         (SELECT count(*) FROM jobs WHERE state IN ('completed', 'failed')) AS ended
       FROM account`,
    )
    .one()

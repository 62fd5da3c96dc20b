/**
 * The ledger stays, but the entries of a month that lies wholly before `keptFrom` become one for each kind: their sum,
 * in the place of the last of them. So the two sums of the ledger stay what they were. References of credits are kept,
 * because a repeated one must credit nothing however late it comes.
 */
export const rollUpMonths = (sql: SqlStorage, keptFrom: number): void => {
  const day = new Date(keptFrom)
  const before = Date.UTC(day.getUTCFullYear(), day.getUTCMonth())
  const months = sql
    .exec<{ month: string; kind: string; amount: number; last: string }>(
      `SELECT ${monthOf} AS month, kind, sum(amount_micros) AS amount, max(id) AS last FROM ledger
        WHERE at < ? GROUP BY month, kind HAVING count(*) > 1`,
      before,
    )
    .toArray()
  for (const { month, kind, amount, last } of months) {
    sql.exec(
      `INSERT INTO credit_references (reference, amount_micros) SELECT reference, amount_micros FROM ledger
        WHERE reference IS NOT NULL AND kind = ? AND ${monthOf} = ?`,
      kind,
      month,
    )
    sql.exec(`DELETE FROM ledger WHERE kind = ? AND ${monthOf} = ? AND id <> ?`, kind, month, last)
    sql.exec('UPDATE ledger SET amount_micros = ?, job_id = NULL, reference = NULL WHERE id = ?', amount, last)
  }
}

const monthOf = "strftime('%Y-%m', at / 1000, 'unixepoch')"

import { eachAccount, type Invariants, type Row } from './seen.ts'

interface Listed extends Row {
  id: string
  state: string
  cost_micros: number | null
  is_removed: number
}

/** At rest, D1's copy of the jobs and of the accounts is that of the accounts' objects. */
export const directory = (): Invariants => ({
  atRest: (seen) => {
    const { sqlDatabase } = seen.world.database
    eachAccount(seen, ({ id }, sql) => {
      const listed = sqlDatabase
        .exec('SELECT id, state, cost_micros, removed_at IS NOT NULL AS is_removed FROM jobs WHERE account_id = ?', id)
        .toArray()
      const known = new Map((listed as unknown as Listed[]).map((job) => [job.id, job]))
      const facts = "id, state, result ->> 'costMicros' AS cost_micros, removed_at IS NOT NULL AS is_removed"
      const rows = sql.exec<Listed>(`SELECT ${facts} FROM jobs`).toArray()
      for (const job of rows) {
        const copy = known.get(job.id)
        const isSame = copy?.state === job.state && copy.is_removed === job.is_removed
        if (!isSame || (copy.cost_micros ?? null) !== (job.cost_micros ?? null)) {
          seen.broken('the directory says what the account says', job.id, `${job.state}, listed ${copy?.state}`)
        }
      }
      const { name, suspended } = sql
        .exec<{ name: string; suspended: number }>('SELECT name, suspended FROM account')
        .one()
      const [account] = sqlDatabase.exec('SELECT name, suspended FROM accounts WHERE id = ?', id).toArray()
      if (account?.name !== name || account?.suspended !== suspended) {
        seen.broken('the directory knows the account', id, JSON.stringify([account, name, suspended]))
      }
    })
  },
})

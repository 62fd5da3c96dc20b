import { eachAccount, type Invariants, type Row } from './seen.ts'

interface Listed extends Row {
  id: string
  state: string
  cost_micros: number | null
  is_removed: number
  metadata: string | null
}

/** What is in one of the two only: the metadata of jobs, and the table that finds them. */
const MISNOTED = `WITH noted AS (SELECT noted.key AS name, noted.value, position FROM jobs, json_each(metadata) AS noted
    WHERE account_id = ?1),
  found AS (SELECT name, value, position FROM job_metadata WHERE account_id = ?1)
  SELECT * FROM (SELECT * FROM noted EXCEPT SELECT * FROM found)
  UNION ALL SELECT * FROM (SELECT * FROM found EXCEPT SELECT * FROM noted)`

/** At rest, D1's copy of the jobs and of the accounts is that of the accounts' objects. */
export const directory = (): Invariants => ({
  atRest: (seen) => {
    const { sqlDatabase } = seen.world.database
    eachAccount(seen, ({ id }, sql) => {
      const listed = sqlDatabase
        .exec(
          'SELECT id, state, cost_micros, removed_at IS NOT NULL AS is_removed, metadata FROM jobs WHERE account_id = ?',
          id,
        )
        .toArray()
      const known = new Map((listed as unknown as Listed[]).map((job) => [job.id, job]))
      const facts = "id, state, result ->> 'costMicros' AS cost_micros, removed_at IS NOT NULL AS is_removed, metadata"
      const rows = sql.exec<Listed>(`SELECT ${facts} FROM jobs`).toArray()
      for (const job of rows) {
        const copy = known.get(job.id)
        const isSame = copy?.state === job.state && copy.is_removed === job.is_removed
        if (!isSame || (copy.cost_micros ?? null) !== (job.cost_micros ?? null)) {
          seen.broken('the directory says what the account says', job.id, `${job.state}, listed ${copy?.state}`)
        }
        if ((copy?.metadata ?? null) !== job.metadata) {
          seen.broken('the directory has the metadata of jobs', job.id, `${job.metadata}, listed ${copy?.metadata}`)
        }
      }
      const unfound = sqlDatabase.exec(MISNOTED, id).toArray()
      if (unfound.length > 0) seen.broken('jobs are found by their metadata', id, JSON.stringify(unfound))
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

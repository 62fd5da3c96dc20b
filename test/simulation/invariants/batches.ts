import { eachAccount, type Invariants } from './seen.ts'

/** Every batch that was accepted exists, and ends. Its counts and costs are compared with its items in money.ts. */
export const batches = (): Invariants => ({
  atRest: (seen) =>
    eachAccount(seen, (account, sql) => {
      const rows = sql.exec<{ id: string; state: string }>('SELECT id, state FROM batches').toArray()
      const states = new Map(rows.map(({ id, state }) => [id, state]))
      for (const id of account.batches) {
        if (!states.has(id)) seen.broken('a batch that was accepted exists', id, 'there is no row')
      }
      for (const [id, state] of states) {
        if (state === 'queued' || state === 'running') seen.broken('every batch ends', id, state)
      }
    }),
})

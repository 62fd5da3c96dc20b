import { eachAccount, type Invariants, type Row } from './seen.ts'

interface DeliveryRow extends Row {
  id: string
  type: string
  job_id: string | null
  state: string
  created_at: number
}

/** Every event with a URL is delivered or given up, and what is marked as delivered has arrived, with one body. */
export const webhooks = (): Invariants => ({
  atRest: (seen) => {
    const removed = new Set<string>()
    eachAccount(seen, (_, sql) => {
      // What a caller removes is in no later body.
      const ofRemoved = 'SELECT id FROM deliveries WHERE job_id IN (SELECT id FROM jobs WHERE removed_at IS NOT NULL)'
      for (const { id } of sql.exec<{ id: string }>(ofRemoved).toArray()) removed.add(id)
      const rows = sql.exec<DeliveryRow>('SELECT id, type, job_id, state, created_at FROM deliveries').toArray()
      for (const { id, state } of rows) {
        if (state === 'pending') seen.broken('every delivery ends', id, 'it is pending')
        if (state === 'delivered' && !seen.receiver.accepted.has(id)) {
          seen.broken('what was delivered has arrived', id, 'the receiver has not accepted it')
        }
      }
      const wanted = sql
        .exec<{ id: string }>(
          `SELECT id FROM jobs WHERE request ->> 'webhookUrl' IS NOT NULL AND completed_at IS NOT NULL AND id NOT IN
             (SELECT job_id FROM deliveries WHERE job_id IS NOT NULL)`,
        )
        .toArray()
      for (const { id } of wanted) seen.broken('an end with a webhook is told', id, 'there is no delivery')
    })
    for (const [id, bodies] of seen.receiver.bodies) {
      if (bodies.size > 1 && !removed.has(id))
        seen.broken('every attempt sends the same body', id, [...bodies].join(' | ').slice(0, 2_000))
    }
  },
})

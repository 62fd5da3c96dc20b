import { endsActs } from '../faults/fault-classes.ts'
import { eachAccount, type Invariants, type Row, type Seen } from './seen.ts'

/** Callers pay for each piece of audio that a provider recognizes. */
export const providers = (): Invariants => ({
  atRest: (seen) => {
    // After these, what a provider has recognized may not have reached the Worker, or was not kept.
    if (!seen.neverFail(...endsActs, 'provider slow')) return
    const recognized = seen.providers.recognized
    const pieces = piecesForProviders(seen)
    if (recognized > pieces) {
      seen.broken('no piece is recognized twice by a provider', 'providers', `${recognized} times for ${pieces} pieces`)
    }
  },
})

/** Of all audio that was prepared for jobs with a provider. */
const piecesForProviders = (seen: Seen): number => {
  const jobs = new Set<string>()
  eachAccount(seen, (_, sql) => {
    const query = `SELECT id FROM jobs WHERE coalesce(request ->> '$.transcribe.provider', request ->> 'provider') LIKE 'provider_%'`
    for (const { id } of sql.exec<Row & { id: string }>(query).toArray()) jobs.add(id)
  })
  return seen.runs.filter(({ jobId }) => jobs.has(jobId)).reduce((sum, { pieces }) => sum + pieces, 0)
}

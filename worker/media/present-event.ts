import { batchStatus } from '../../domain/batches/batch-status.ts'
import { isoTime, jobFacts } from '../../domain/jobs/job-status.ts'
import type { AccountEvent } from '../account/calls.ts'
import { type JobJson, presentJob } from './present.ts'

/** What webhooks and event streams tell of an event: `{type, timestamp, data}` as JSON. Both send the same bytes. */
export const presentEvent = async (env: Env, { type, at, job, batch }: Omit<AccountEvent, 'id'>): Promise<JobJson> => {
  const wrap = (data: object | null) => eventJson(type, at, data)
  if (!job) return JSON.stringify(wrap(batch && batchStatus(batch)))
  // Its type does not say of which kind the job is.
  const facts = type === 'job.started' ? jobFacts(job) : {}
  return presentJob(env, job, (view) => wrap({ ...view, ...facts }))
}

export const eventJson = <Type extends string>(type: Type, at: number, data: object | null) => ({
  type,
  timestamp: isoTime(at),
  data,
})

import { accepted, type Result } from '../../../domain/codes/refusals.ts'
import { canJoin, JOIN_MS } from '../../../domain/jobs/joining.ts'
import { JOB_DEADLINE_MS } from '../../../domain/limits.ts'
import type { AccountRows } from '../account-rows.ts'
import type { Started } from '../calls.ts'
import { ifAnswered, requestAct } from './authenticated-request.ts'
import { jobOfKey, keepJobOfKey } from './job-keys.ts'

/**
 * A caller of OpenAI's API repeats a request without an Idempotency-Key. Requests with the same join key share a job: a
 * hash of the API key, the media and the options. It is kept beside the Idempotency-Keys, with a space, which those cannot
 * contain.
 */
const rowOf = (joinKey: string): string => `join ${joinKey}`

/** null: there is no job to join. */
export const join = requestAct(
  ({ rows, now }, joinKey: string): Result<Started | null> => {
    const jobId = findJobToJoin(rows, joinKey, now)
    return accepted(jobId === null ? null : { jobId, isReused: true })
  },
  { counts: ifAnswered },
)

/** null: there is no such job, or it must not be joined any more. */
export const findJobToJoin = (rows: AccountRows, joinKey: string, now: number): string | null => {
  const jobId = jobOfKey(rows.sql, rowOf(joinKey), now)
  const job = jobId === null ? null : rows.findJob(jobId)
  return job && canJoin(job, now) ? job.id : null
}

/** Lets later requests join the job, until it has certainly ended and cannot be joined any more. */
export const letJoin = ({ sql }: AccountRows, joinKey: string, jobId: string, now: number): void => {
  const key = { key: rowOf(joinKey), fingerprint: '' }
  keepJobOfKey(sql, key, { jobId, isReused: false }, now + JOB_DEADLINE_MS + JOIN_MS)
}

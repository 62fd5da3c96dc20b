import { canJoin, hasJustEnded, JOIN_MS } from '../../../domain/jobs/joining.ts'
import { JOB_DEADLINE_MS } from '../../../domain/limits.ts'
import { firstRow } from '../../sqlite.ts'
import type { AccountRows } from '../account-rows.ts'
import { act } from '../acts.ts'
import { answerOf, keepAnswer } from './answers.ts'

/**
 * A caller of OpenAI's API repeats a request without an Idempotency-Key. Requests with the same hash of the API key,
 * the media and the options share a job. It is kept beside the Idempotency-Keys, which cannot contain a space.
 */
const rowOf = (joinKey: string): string => `join ${joinKey}`

/**
 * A response that has begun can only break off when its job fails. So the next such request is told the failure, once.
 */
const untoldRowOf = (joinKey: string): string => `untold ${joinKey}`

/** null: there is no such job, or it must not be joined any more. */
export const findJobToJoin = (rows: AccountRows, joinKey: string, now: number): string | null => {
  const jobId = answerOf(rows.sql, rowOf(joinKey), now)?.startedId ?? null
  const job = jobId === null ? null : rows.findJob(jobId)
  return job && canJoin(job, now) ? job.id : null
}

/** From now on a failure of the job cannot be told with a status. */
export const noteBegunResponse = act(({ rows, now }, joinKey: string, jobId: string): void => {
  keepAnswer(rows.sql, { key: untoldRowOf(joinKey), startedId: jobId, expiresAt: now + JOB_DEADLINE_MS + JOIN_MS })
})

/** null: the failure of no job is still to be told. `requestId`: a repeated call of the same request has the same answer. */
export const tellFailure = (rows: AccountRows, joinKey: string, requestId: string, now: number): string | null => {
  const key = untoldRowOf(joinKey)
  const kept = answerOf(rows.sql, key, now)
  const job = kept?.startedId ? rows.findJob(kept.startedId) : null
  if (!kept || !job?.failure || !hasJustEnded(job, now)) return null
  if (kept.requestId !== null && kept.requestId !== requestId) return null
  keepAnswer(rows.sql, { key, startedId: job.id, requestId, expiresAt: now + JOIN_MS })
  return job.id
}

export const hasJobsToJoin = (sql: SqlStorage, now: number): boolean =>
  firstRow(sql, "SELECT 1 FROM starts WHERE key >= 'join ' AND key < 'join!' AND expires_at > ? LIMIT 1", now) !==
  undefined

/** Lets later requests join the job, until it has certainly ended and cannot be joined any more. */
export const letJoin = ({ sql }: AccountRows, joinKey: string, jobId: string, now: number): void =>
  keepAnswer(sql, { key: rowOf(joinKey), startedId: jobId, expiresAt: now + JOB_DEADLINE_MS + JOIN_MS })

import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { canJoin, hasJustEnded, JOIN_MS } from '../../../domain/jobs/joining.ts'
import { IDEMPOTENCY_MS, JOB_DEADLINE_MS } from '../../../domain/limits.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { firstValue, flag, plains, Table } from '../../sqlite.ts'
import type { AccountRows } from '../account-rows.ts'
import { act } from '../acts.ts'
import type { IdempotencyKey, Started } from '../calls.ts'
import { scheduleBy } from '../due/due-rows.ts'
import { type ApiKey, onlyOf } from '../keys/key-rows.ts'

/** The answer to repeated requests, by Idempotency-Key or by what they ask for. A key is reserved before the start. */
interface Answer {
  key: string
  fingerprint: string
  /** The id of a job, a batch or a watch. null: the first request with this key is in progress. */
  startedId: string | null
  isReused: boolean
  requestId: string | null
  expiresAt: number
}

const answerTable = new Table<Answer>('starts', {
  ...plains('key', 'fingerprint', 'startedId', 'requestId', 'expiresAt'),
  isReused: flag('reused'),
})

const nothingStarted = { fingerprint: '', startedId: null, isReused: false, requestId: null }

export const keepAnswer = (sql: SqlStorage, answer: Pick<Answer, 'key' | 'expiresAt'> & Partial<Answer>): void => {
  answerTable.insertOrReplace(sql, { ...nothingStarted, ...answer })
  scheduleBy(sql, 'sweep', answer.expiresAt + DAY_MS)
}

/** null: there is none, or it counts no more. */
export const answerOf = (sql: SqlStorage, key: string, now: number): Answer | null =>
  answerTable.first(sql, 'WHERE key = ? AND expires_at > ?', key, now)

const forgetAnswer = (sql: SqlStorage, key: string): void => {
  sql.exec('DELETE FROM starts WHERE key = ?', key)
}

/** Removes those that count no more. Returns when others do so. null: there are none. */
export const forgetAnswers = (sql: SqlStorage, now: number): number | null => {
  sql.exec('DELETE FROM starts WHERE expires_at <= ?', now)
  const first = firstValue<number>(sql, 'SELECT min(expires_at) FROM starts')
  return first === null ? null : first + DAY_MS
}

export type IdempotencyState =
  | { seen: 'never' }
  /** The first request with this key is in progress. `requestId`: null if it is not known. */
  | { seen: 'running'; requestId: string | null }
  | { seen: 'other' }
  | { seen: 'done'; started: Started }

export const idempotencyState = (
  sql: SqlStorage,
  { key, fingerprint }: IdempotencyKey,
  now: number,
): IdempotencyState => {
  const answer = answerOf(sql, key, now)
  if (!answer) return { seen: 'never' }
  const { startedId: jobId, isReused, requestId } = answer
  if (answer.fingerprint !== fingerprint) return { seen: 'other' }
  return jobId === null ? { seen: 'running', requestId } : { seen: 'done', started: { jobId, isReused } }
}

/** What a request with the same Idempotency-Key has started. null: nothing yet. */
export const startedEarlier = (sql: SqlStorage, claim: IdempotencyKey | null, now: number): Result<Started | null> => {
  const known = claim && idempotencyState(sql, claim, now)
  if (known?.seen === 'other') return refused('IDEMPOTENCY_MISMATCH')
  return accepted(known?.seen === 'done' ? known.started : null)
}

/** A key that sees only its own jobs must not be answered with another one's. Callers cannot send the space. */
export const idempotencyOf = (by: ApiKey, given: IdempotencyKey): IdempotencyKey => ({
  ...given,
  key: storedName(by, given.key),
})

const storedName = (by: ApiKey, name: string): string => (onlyOf(by) === null ? name : `${by.id} ${name}`)

export const saveIdempotency = (
  sql: SqlStorage,
  claim: IdempotencyKey,
  { jobId: startedId, isReused }: Started,
  now: number,
): void => keepAnswer(sql, { ...claim, startedId, isReused, expiresAt: now + IDEMPOTENCY_MS })

/** A refused request releases its key, unless another request has started a job with the same key meanwhile. */
export const freeIdempotency = act(({ rows: { sql, keys }, now }, given: string, keyHash: string): void => {
  const by = keys.live(keyHash, now)
  const key = by ? storedName(by, given) : given
  if (answerOf(sql, key, now)?.startedId === null) forgetAnswer(sql, key)
})

/**
 * A caller of OpenAI's API repeats a request without an Idempotency-Key. Requests with the same hash of the API key,
 * the media and the options share a job. It is kept beside the Idempotency-Keys, which cannot contain a space.
 */
const rowOf = (joinKey: string): string => `join ${joinKey}`

/** A response that has begun can only break off when its job fails. So the next such request is told the failure. */
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
  firstValue(sql, "SELECT 1 FROM starts WHERE key >= 'join ' AND key < 'join!' AND expires_at > ? LIMIT 1", now) !==
  null

/** Lets later requests join the job, until it has certainly ended and cannot be joined any more. */
export const letJoin = ({ sql }: AccountRows, joinKey: string, jobId: string, now: number): void =>
  keepAnswer(sql, { key: rowOf(joinKey), startedId: jobId, expiresAt: now + JOB_DEADLINE_MS + JOIN_MS })

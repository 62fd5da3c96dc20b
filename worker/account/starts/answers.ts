import { IDEMPOTENCY_MS } from '../../../domain/limits.ts'
import { DAY_MS } from '../../../domain/time.ts'
import { firstRow, flag, plains, Table } from '../../sqlite.ts'
import { act } from '../acts.ts'
import type { IdempotencyKey, Started } from '../calls.ts'
import { scheduleBy } from '../due/due-rows.ts'
import type { ApiKey } from '../keys/key-rows.ts'
import { onlyOf } from '../keys/permissions.ts'

/**
 * By an Idempotency-Key, or by what is asked for (join.ts). A key is reserved for a request before it has started
 * anything.
 */
interface Answer {
  key: string
  fingerprint: string
  /** The id of a job or a batch. null: the first request with this key is in progress. */
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
  const first = firstRow<{ at: number }>(sql, 'SELECT expires_at AS at FROM starts ORDER BY expires_at LIMIT 1')
  return first ? first.at + DAY_MS : null
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

/**
 * A key that sees only its own jobs must not be answered with the job of another one. Callers cannot send the space.
 */
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

import type { Admission, IdempotencyClaim, Started } from '../../domain/calls.ts'
import { accepted, type Result, refused } from '../../domain/codes/refusals.ts'
import { newId } from '../../domain/ids.ts'
import { firstStep, type JobKind } from '../../domain/jobs/job.ts'
import { concurrency, JOB_DEADLINE_MS, type RateState, RESEND_MS, WINDOW_TEXT } from '../../domain/limits.ts'
import { toDollars } from '../../domain/money/money.ts'
import { post } from '../clockwork/outbox.ts'
import { plan } from '../clockwork/schedule.ts'
import { addJob, countLive } from '../jobs/jobs.ts'
import { keepSealedKey } from '../jobs/sealed-keys.ts'
import { openHold, totals } from '../ledger.ts'
import { remember, reserve, standing } from './idempotency.ts'

/** Says why a request may not pass its window. */
export const rateLimited = ({ limit, reset }: RateState, endpoint: string, now: number): Result<never> => {
  const retryAfter = Math.max(1, reset - Math.floor(now / 1000))
  const sentence = `The limit of ${limit} requests per ${WINDOW_TEXT} on ${endpoint} is reached.`
  return refused('RATE_LIMITED', { limit, remaining: 0, reset, retryAfter, endpoint }, sentence)
}

/** Before the URL is looked at: has this Idempotency-Key an answer already? If not, it is reserved. */
export const claimIdempotency = (sql: SqlStorage, claim: IdempotencyClaim, now: number): Result<Started | null> => {
  const known = standing(sql, claim.key, claim.fingerprint, now)
  if (known.seen === 'other') return refused('IDEMPOTENCY_MISMATCH')
  if (known.seen === 'running') return refused('IDEMPOTENCY_IN_PROGRESS')
  if (known.seen === 'done') return accepted({ jobId: known.jobId })
  reserve(sql, claim.key, claim.fingerprint, now)
  return accepted(null)
}

/** Nobody knows when a job ends; five seconds is a civil time to ask again. */
const CONCURRENCY_RETRY_SECONDS = 5

export const room = (sql: SqlStorage, kind: JobKind, endpoint: string, now: number): Result<null> => {
  const limit = concurrency[kind]
  if (countLive(sql, kind) < limit) return accepted(null)
  const reset = Math.ceil(now / 1000) + CONCURRENCY_RETRY_SECONDS
  const sentence = `The limit of ${limit} concurrent ${kind} jobs on ${endpoint} is reached.`
  const facts = { limit, remaining: 0, reset, retryAfter: CONCURRENCY_RETRY_SECONDS, endpoint }
  return refused('CONCURRENCY_LIMITED', facts, sentence)
}

export const admit = (sql: SqlStorage, admission: Admission, endpoint: string, now: number): Result<Started> => {
  const { kind, request, hold, idempotency, sealedKey } = admission

  // 1. Was it answered already, while its source was looked at for longer than a key is reserved?
  const known = idempotency && standing(sql, idempotency.key, idempotency.fingerprint, now)
  if (known?.seen === 'other') return refused('IDEMPOTENCY_MISMATCH')
  if (known?.seen === 'done') return accepted({ jobId: known.jobId })

  // 2. Is there room?
  const hasRoom = room(sql, kind, endpoint, now)
  if (!hasRoom.ok) return hasRoom

  // 3. Is there money?
  const { available } = totals(sql)
  if (available < hold) {
    const facts = { requiredDollars: toDollars(hold), availableDollars: toDollars(available) }
    return refused('INSUFFICIENT_BALANCE', facts)
  }

  // 4. The job, its hold, its message and its record, or none of them.
  const jobId = newId(kind, now)
  const step = firstStep(kind, request)
  addJob(sql, { id: jobId, kind, request, step, now })
  openHold(sql, jobId, hold, now)
  if (sealedKey) keepSealedKey(sql, jobId, sealedKey)
  plan(sql, 'resend', jobId, now + RESEND_MS)
  plan(sql, 'deadline', jobId, now + JOB_DEADLINE_MS)
  post(sql, { kind: 'step', jobId, step }, now)
  post(sql, { kind: 'record', jobId }, now)
  if (idempotency) remember(sql, idempotency.key, idempotency.fingerprint, jobId, now)
  return accepted({ jobId })
}

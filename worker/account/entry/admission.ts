import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import { firstStep, type JobKind } from '../../../domain/jobs/job.ts'
import { concurrency, JOB_DEADLINE_MS, RESEND_MS } from '../../../domain/limits.ts'
import { toDollars } from '../../../domain/money/money.ts'
import type { Admission, Started } from '../calls.ts'
import { addToOutbox } from '../clockwork/outbox.ts'
import { scheduleTask } from '../clockwork/schedule.ts'
import { openHold, totals } from '../holds-and-ledger.ts'
import { addJob, countLive, keepSealedKey } from '../jobs/job-rows.ts'
import { idempotencyState, saveIdempotency } from './idempotency.ts'

/** The end of a job can't be predicted; five seconds is a reasonable retry delay. */
const CONCURRENCY_RETRY_SECONDS = 5

export const checkConcurrency = (sql: SqlStorage, kind: JobKind, endpoint: string, now: number): Result<null> => {
  const limit = concurrency[kind]
  if (countLive(sql, kind) < limit) return accepted(null)
  const reset = Math.ceil(now / 1000) + CONCURRENCY_RETRY_SECONDS
  const message = `The limit of ${limit} concurrent ${kind} jobs on ${endpoint} is reached.`
  const facts = { limit, remaining: 0, reset, retryAfter: CONCURRENCY_RETRY_SECONDS, endpoint }
  return refused('CONCURRENCY_LIMITED', facts, message)
}

export const admit = (sql: SqlStorage, admission: Admission, endpoint: string, now: number): Result<Started> => {
  const { kind, request, hold, idempotency, sealedKey } = admission

  // 1. Look up the Idempotency-Key again: its reservation may have expired while the source was probed, and
  //    another request with the same key may have started the job.
  const known = idempotency && idempotencyState(sql, idempotency, now)
  if (known?.seen === 'other') return refused('IDEMPOTENCY_MISMATCH')
  if (known?.seen === 'done') return accepted({ jobId: known.jobId })

  // 2. Check the concurrency limit.
  const concurrent = checkConcurrency(sql, kind, endpoint, now)
  if (!concurrent.ok) return concurrent

  // 3. Check the balance.
  const { available } = totals(sql)
  if (available < hold) {
    const facts = { requiredDollars: toDollars(hold), availableDollars: toDollars(available) }
    return refused('INSUFFICIENT_BALANCE', facts)
  }

  // 4. Write the job, its hold, its step message and its record in one transaction.
  const jobId = newId(kind, now)
  const step = firstStep(kind, request)
  addJob(sql, { id: jobId, kind, request, step, now })
  openHold(sql, jobId, hold, now)
  if (sealedKey) keepSealedKey(sql, jobId, sealedKey)
  scheduleTask(sql, 'resend', jobId, now + RESEND_MS)
  scheduleTask(sql, 'deadline', jobId, now + JOB_DEADLINE_MS)
  addToOutbox(sql, { kind: 'step', jobId, step }, now)
  addToOutbox(sql, { kind: 'record', jobId }, now)
  if (idempotency) saveIdempotency(sql, idempotency, jobId, now)
  return accepted({ jobId })
}

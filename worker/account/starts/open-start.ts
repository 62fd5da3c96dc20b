import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { JobKind } from '../../../domain/jobs/job.ts'
import { IDEMPOTENCY_PENDING_MS } from '../../../domain/limits.ts'
import { firstHold } from '../../../domain/money/bill.ts'
import type { Micros } from '../../../domain/money/money.ts'
import type { AccountRows } from '../account-rows.ts'
import type { IdempotencyKey, Started, StartToOpen } from '../calls.ts'
import { totals } from '../holds-and-ledger.ts'
import { leftOfBudget } from '../keys/budgets.ts'
import { ifAnswered, ifRefused, type Requesting, requestAct } from '../requests/authenticated-request.ts'
import { checkMayWork } from '../requests/free-work.ts'
import { checkSuspension } from '../requests/shared-refusals.ts'
import { checkHold, checkNewJob } from './admission.ts'
import { idempotencyOf, idempotencyState, keepAnswer, saveIdempotency } from './answers.ts'
import { findJobToJoin, hasJobsToJoin, tellFailure } from './join.ts'
import { findReusableJob, tellOfReuse } from './reuse.ts'

/**
 * The first call of a start, before anything is requested from its source: the job that is its answer, or the refusal that it
 * would get whatever the source answers. null: the start may go on, and its Idempotency-Key is reserved for it.
 */
export const openStart = requestAct(
  (requesting, start: StartToOpen): Result<Started | null> => {
    const { rows, key, now } = requesting
    const { requestId } = start
    const claim = start.idempotency && idempotencyOf(key, start.idempotency)
    const known = claim ? startedBefore(rows, claim, requestId, now) : accepted(null)
    if (!known.ok || known.value) return known

    const suspension = checkSuspension(rows)
    if (!suspension.ok) return suspension

    const jobId = earlierJob(requesting, start)
    if (jobId !== null) {
      const started = { jobId, isReused: true }
      if (claim) saveIdempotency(rows.sql, claim, started, now)
      return accepted(started)
    }

    const allowed = checkStart(requesting, start)
    if (allowed.ok && claim) keepAnswer(rows.sql, { ...claim, requestId, expiresAt: now + IDEMPOTENCY_PENDING_MS })
    return allowed
  },
  { counts: ifAnswered },
)

/** The answer to an earlier request with the same Idempotency-Key, also for a suspended account. null: there was none. */
const startedBefore = (
  { sql }: AccountRows,
  claim: IdempotencyKey,
  requestId: string,
  now: number,
): Result<Started | null> => {
  const known = idempotencyState(sql, claim, now)
  if (known.seen === 'other') return refused('IDEMPOTENCY_MISMATCH')
  if (known.seen === 'running' && known.requestId !== requestId) return refused('IDEMPOTENCY_IN_PROGRESS')
  return accepted(known.seen === 'done' ? known.started : null)
}

/** null: a new job is needed. */
const earlierJob = ({ rows, key, now }: Requesting, { job, reuse, joinKey, requestId }: StartToOpen): string | null => {
  if (joinKey) return findJobToJoin(rows, joinKey, now) ?? tellFailure(rows, joinKey, requestId, now)
  if (!job || !reuse) return null
  const jobId = findReusableJob(rows, key, { kind: job.kind, ...reuse }, now)
  // A call that is repeated without an Idempotency-Key may send the webhook twice.
  if (jobId !== null) tellOfReuse(rows, { jobId, kind: job.kind, webhookUrl: job.request.webhookUrl }, now)
  return jobId
}

const checkStart = (requesting: Requesting, { job }: StartToOpen): Result<null> => {
  const { rows, key, endpoint, now } = requesting
  if (!job) return checkMayWork(rows, key, 'jobs', endpoint, now)
  return checkBeforeCost(requesting, job.kind, firstHold(rows.prices, job, null))
}

/** What it will cost is not known yet, so only an empty balance or budget refuses it. `usualHold`: what is missing then. */
const checkBeforeCost = (requesting: Requesting, kind: JobKind, usualHold: Micros): Result<null> => {
  const { rows, key, now } = requesting
  const start = checkNewJob(requesting, kind)
  const hasFunds = totals(rows).available > 0 && leftOfBudget(rows, key.id, now) > 0
  return start.ok && !hasFunds ? checkHold(rows, key, usualHold, now) : start
}

/**
 * Called before a large body is read. What the body asks for is not known yet, so where it may join a job, only a suspension
 * refuses it.
 */
export const mayStart = requestAct(
  (requesting): Result<null> => {
    const { rows, now } = requesting
    const suspension = checkSuspension(rows)
    if (!suspension.ok || hasJobsToJoin(rows.sql, now)) return suspension
    return checkBeforeCost(requesting, 'transcription', rows.prices.speechMinimum)
  },
  { counts: ifRefused },
)

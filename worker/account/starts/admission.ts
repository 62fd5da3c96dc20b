import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import { firstStep, type JobKind, type JobRequest, type TranscribeRequest } from '../../../domain/jobs/job.ts'
import { modelAskedFor } from '../../../domain/jobs/speech-models.ts'
import { storedDiskBytes } from '../../../domain/jobs/step-resources.ts'
import { IDEMPOTENCY_PENDING_MS } from '../../../domain/limits.ts'
import { firstHold } from '../../../domain/money/bill.ts'
import { type Micros, toDollars } from '../../../domain/money/money.ts'
import { type Prices, withPriceOf } from '../../../domain/money/prices.ts'
import type { AccountRows } from '../account-rows.ts'
import type { Admission, IdempotencyKey, Started, StartToOpen } from '../calls.ts'
import { schedule } from '../due/due-rows.ts'
import { addToHold, totals } from '../holds-and-ledger.ts'
import { isLive, type JobRow, keepSealedKey, type NewJob, newJob } from '../jobs/job-rows.ts'
import { checkBudget, leftOfBudget } from '../keys/budgets.ts'
import type { ApiKey } from '../keys/key-rows.ts'
import { ifAnswered, ifRefused, type Requesting, requestAct, withPrices } from '../requests/authenticated-request.ts'
import { checkMayWork } from '../requests/free-work.ts'
import { checkSuspension, limitReached } from '../requests/limits.ts'
import { neededFileOf } from '../stored-files/needed-files.ts'
import { keepRetention } from '../stored-files/retention.ts'
import {
  findJobToJoin,
  hasJobsToJoin,
  idempotencyOf,
  idempotencyState,
  keepAnswer,
  letJoin,
  saveIdempotency,
  startedEarlier,
  tellFailure,
} from './answers.ts'
import { findReusableJob, tellOfReuse } from './reuse.ts'

const checkNewJob = (requesting: Requesting, kind: JobKind): Result<null> => {
  const mayWork = checkMayWork(requesting, 'jobs')
  return mayWork.ok ? checkConcurrency(requesting, kind) : mayWork
}

export const liveJobs = (rows: AccountRows, kind: JobKind): JobRow[] =>
  rows.openJobs().filter((job) => job.kind === kind && isLive(job))

const checkConcurrency = (requesting: Requesting, kind: JobKind): Result<null> => {
  const { rows, endpoint } = requesting
  const limit = rows.limits.concurrentJobs[kind]
  if (liveJobs(rows, kind).length < limit) return accepted(null)
  const message = `The limit of ${limit} concurrent ${kind} jobs on ${endpoint} is reached.`
  return limitReached(requesting, 'CONCURRENCY_LIMITED', { limit, message })
}

const checkHold = (rows: AccountRows, key: ApiKey, hold: Micros, now: number): Result<null> => {
  const { available } = totals(rows)
  if (hold <= available) return checkBudget(rows, key, hold, now)
  return refused('INSUFFICIENT_BALANCE', { requiredDollars: toDollars(hold), availableDollars: toDollars(available) })
}

export const admit = requestAct((requesting, admission: Admission): Result<Started> => {
  const { rows, key, now } = requesting
  const { sql } = rows
  const { jobId: id, kind, request, origin, diskBytes, sealedKey, requestId = null, reuseKey, joinKey } = admission

  const idempotency = admission.idempotency && idempotencyOf(key, admission.idempotency)

  // 1. A repeated call gets the answer that was lost. Look up the Idempotency-Key again: its reservation may have expired
  //    while the source was probed, and another request with the same key may have started the job.
  if (id !== undefined && rows.findJob(id)) return accepted({ jobId: id, isReused: false })
  const earlier = startedEarlier(sql, idempotency, now)
  if (!earlier.ok) return earlier
  if (earlier.value) return accepted(earlier.value)

  // 2. Join the job of another request that arrived at the same time.
  const joined = joinKey === undefined ? null : findJobToJoin(rows, joinKey, now)
  if (joined !== null) return accepted({ jobId: joined, isReused: true })

  // 3. Check that the account is not suspended, and the concurrency limit.
  const start = checkNewJob(requesting, kind)
  if (!start.ok) return start

  // 4. Check that the file which the job is to read is here.
  const source = kind === 'transcription' ? neededFileOf(rows, key, request as TranscribeRequest, now) : accepted(null)
  if (!source.ok) return source

  // 5. Check the balance, and the budget of the key.
  const prices = pricesOfJob(rows.prices, request, admission)
  const hold = firstHold(prices, { kind, request } as JobRequest, admission.announcedBytes)
  const funds = checkHold(rows, key, hold, now)
  if (!funds.ok) return funds

  // 6. Write the job and its hold in one transaction.
  const bytesOnDisk = source.value ? storedDiskBytes(firstStep(kind, request), source.value) : diskBytes
  const { id: jobId } = acceptJob(rows, {
    ...{ id, kind, request, metadata: admission.metadata, reuseKey, batch: null },
    ...{ hold, prices, keyId: key.id, diskBytes: bytesOnDisk, origin, requestId, now },
  })
  if (sealedKey) keepSealedKey(sql, jobId, sealedKey)
  const started = { jobId, isReused: false }
  if (idempotency) saveIdempotency(sql, idempotency, started, now)
  if (joinKey !== undefined) letJoin(rows, joinKey, jobId, now)
  return accepted(started)
})

/** Those that the job keeps: of all models, it has the price of its own. */
export const pricesOfJob = (
  prices: Prices,
  request: JobRequest['request'],
  { defaultModel = null }: { defaultModel?: string | null | undefined },
): Prices => withPriceOf(prices, modelAskedFor(request) ?? defaultModel)

/** A job that passed all checks: a single request, or an item of a batch whose turn has come. */
export const acceptJob = (
  rows: AccountRows,
  { id, hold, ...facts }: Omit<NewJob, 'id' | 'step'> & { id?: string | undefined; hold: Micros },
): JobRow => {
  const { kind, request, now } = facts
  const job = newJob({ ...facts, id: id ?? newId(kind, now), step: firstStep(kind, request) })
  if (kind === 'import') keepRetention(rows, job.id)
  rows.addJob(job)
  schedule(rows.sql, 'step', job.id, now)
  addToHold(rows, job, hold, now)
  return job
}

/**
 * Called before anything is requested from the source. The answer is an earlier job, or a refusal that does not depend
 * on the source. null: the start may go on, and its Idempotency-Key is reserved for it.
 */
export const openStart = withPrices(
  requestAct(
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
  ),
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

const earlierJob = ({ rows, key, now }: Requesting, { job, reuse, joinKey, requestId }: StartToOpen): string | null => {
  if (joinKey) return findJobToJoin(rows, joinKey, now) ?? tellFailure(rows, joinKey, requestId, now)
  if (!job || !reuse) return null
  const jobId = findReusableJob(rows, key, { kind: job.kind, ...reuse }, now)
  // A call that is repeated without an Idempotency-Key may send the webhook twice.
  if (jobId !== null) tellOfReuse(rows, { jobId, kind: job.kind, webhookUrl: job.request.webhookUrl }, now)
  return jobId
}

const checkStart = (requesting: Requesting, { job }: StartToOpen): Result<null> =>
  job
    ? checkBeforeCost(requesting, job.kind, firstHold(requesting.rows.prices, job, null))
    : checkMayWork(requesting, 'jobs')

/** What it will cost is not known yet, so only an empty balance or budget refuses it. `usualHold`: what is missing then. */
const checkBeforeCost = (requesting: Requesting, kind: JobKind, usualHold: Micros): Result<null> => {
  const { rows, key, now } = requesting
  const start = checkNewJob(requesting, kind)
  const hasFunds = totals(rows).available > 0 && leftOfBudget(rows, key.id, now) > 0
  return start.ok && !hasFunds ? checkHold(rows, key, usualHold, now) : start
}

/** Called before a large body is read. If it may join a job, only a suspension refuses it. */
export const mayStart = requestAct(
  (requesting): Result<null> => {
    const { rows, now } = requesting
    const suspension = checkSuspension(rows)
    if (!suspension.ok || hasJobsToJoin(rows.sql, now)) return suspension
    return checkBeforeCost(requesting, 'transcription', rows.prices.speechMinimum)
  },
  { counts: ifRefused },
)

import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import { newId } from '../../../domain/ids.ts'
import { firstStep, type JobKind, type JobRequest, type TranscribeRequest } from '../../../domain/jobs/job.ts'
import { storedDiskBytes } from '../../../domain/jobs/step-resources.ts'
import { firstHold } from '../../../domain/money/bill.ts'
import { type Micros, toDollars } from '../../../domain/money/money.ts'
import type { AccountRows } from '../account-rows.ts'
import type { Admission, Started } from '../calls.ts'
import { schedule } from '../due/due-rows.ts'
import { openHold, totals } from '../holds-and-ledger.ts'
import { isLive, type JobRow, keepSealedKey, type NewJob, newJob } from '../jobs/job-rows.ts'
import { checkBudget } from '../keys/budgets.ts'
import type { ApiKey } from '../keys/key-rows.ts'
import { type Requesting, requestAct } from '../requests/authenticated-request.ts'
import { checkMayWork } from '../requests/free-work.ts'
import { limitReached } from '../requests/shared-refusals.ts'
import { neededFileOf } from '../stored-files/needed-files.ts'
import { keepRetention } from '../stored-files/retention.ts'
import { idempotencyOf, idempotencyState, saveIdempotency } from './answers.ts'
import { findJobToJoin, letJoin } from './join.ts'

/** What a start needs of the account, whatever its source and its cost. */
export const checkNewJob = ({ rows, key, endpoint, now }: Requesting, kind: JobKind): Result<null> => {
  const mayWork = checkMayWork(rows, key, 'jobs', endpoint, now)
  return mayWork.ok ? checkConcurrency(rows, kind, endpoint, now) : mayWork
}

export const liveJobs = (rows: AccountRows, kind: JobKind): JobRow[] =>
  rows.openJobs().filter((job) => job.kind === kind && isLive(job))

const checkConcurrency = (rows: AccountRows, kind: JobKind, endpoint: string, now: number): Result<null> => {
  const limit = rows.limits.concurrentJobs[kind]
  if (liveJobs(rows, kind).length < limit) return accepted(null)
  const message = `The limit of ${limit} concurrent ${kind} jobs on ${endpoint} is reached.`
  return limitReached('CONCURRENCY_LIMITED', { limit, endpoint, now, message })
}

/** Whether the balance, and the budget of the key, cover a new hold. */
export const checkHold = (rows: AccountRows, key: ApiKey, hold: Micros, now: number): Result<null> => {
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
  const known = idempotency && idempotencyState(sql, idempotency, now)
  if (known?.seen === 'other') return refused('IDEMPOTENCY_MISMATCH')
  if (known?.seen === 'done') return accepted(known.started)

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
  const { prices } = rows
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

/**
 * Adds a job that passed all checks, with its hold: a single request, or an item of a batch whose turn has come. The job's
 * row says that its step and its record are to be sent.
 */
export const acceptJob = (
  rows: AccountRows,
  { id, hold, ...facts }: Omit<NewJob, 'id' | 'step'> & { id?: string | undefined; hold: Micros },
): JobRow => {
  const { kind, request, now } = facts
  const job = newJob({ ...facts, id: id ?? newId(kind, now), step: firstStep(kind, request) })
  if (kind === 'import') keepRetention(rows, job.id)
  rows.addJob(job)
  schedule(rows.sql, 'step', job.id, now)
  openHold(rows, job, hold, now)
  return job
}

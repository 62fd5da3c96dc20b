import { type Failure, failure } from '../../domain/codes/failures.ts'
import { type Finished, isTerminal, type Job, type Step } from '../../domain/jobs/job.ts'
import { RETENTION_MS } from '../../domain/limits.ts'
import { storedKeys } from '../../domain/media/media-keys.ts'
import { isAboveCeiling } from '../../domain/money/bill.ts'
import type { Micros } from '../../domain/money/money.ts'
import { post } from '../clockwork/outbox.ts'
import { plan, unplan } from '../clockwork/schedule.ts'
import { growHold, releaseHold, settle } from '../ledger.ts'
import { announce } from '../webhooks/attempts.ts'
import { abandonCopy, forgetCopy } from './copies.ts'
import { type Ending, endJob, findJob, type JobRow, markRemoved, markRunning } from './jobs.ts'
import { leased, type Report } from './lease.ts'
import { eraseSealedKey } from './sealed-keys.ts'
import { discardUploads, releaseUpload } from './uploads.ts'

/**
 * How jobs end: once, and for good. Whatever ends a job ends its hold, tells the world and forgets the
 * caller's key in the same transaction.
 */
/** The last step is done: the job is charged and ends. `keys` are what it keeps of all that it stored. */
export const complete = (
  sql: SqlStorage,
  { jobId, lease, finished, charge, keys, now }: Report & { finished: Finished; charge: Micros; keys: string[] },
): boolean => {
  const job = leased(sql, jobId, lease, now)
  if (!job) return false
  if (isAboveCeiling(job, charge) || !growHold(sql, jobId, charge, now)) {
    fail(sql, job, failure(isAboveCeiling(job, charge) ? 'MAX_COST_EXCEEDED' : 'INSUFFICIENT_BALANCE'), now)
    return true
  }
  for (const key of keys) releaseUpload(sql, key)
  discardUploads(sql, jobId, 'all', now)
  const costMicros = settle(sql, jobId, charge, now)
  if (finished.kind === 'import') {
    const expiresAt = now + RETENTION_MS
    end(sql, job, { state: 'completed', result: { ...finished.result, costMicros, expiresAt } }, now)
    plan(sql, 'expire', jobId, expiresAt)
  } else {
    end(sql, job, { state: 'completed', result: { ...finished.result, costMicros } }, now)
  }
  return true
}

/** The source's doing: the job ends. */
export const failStep = (sql: SqlStorage, { jobId, lease, reason, now }: Report & { reason: Failure }): boolean => {
  const job = leased(sql, jobId, lease, now)
  if (!job) return false
  fail(sql, job, reason, now)
  return true
}

/** A step's message died: the job ends, unless another message brought it further. */
export const bury = (
  sql: SqlStorage,
  { jobId, step, reason, now }: { jobId: string; step: Step; reason: Failure; now: number },
): boolean => {
  const job = findJob(sql, jobId)
  if (!job || job.step !== step || job.lease !== null) return false
  fail(sql, job, reason, now)
  return true
}

/** Ends a live job from outside of its steps: canceled, or out of time. */
export const giveUp = (sql: SqlStorage, jobId: string, reason: Failure, now: number): boolean => {
  const job = findJob(sql, jobId)
  if (!job || isTerminal(job.state)) return false
  fail(sql, job, reason, now)
  return true
}

/** What is past its time, or was removed by its owner, leaves storage. The job's record stays. */
const removeStored = (sql: SqlStorage, job: Job, keys: string[], now: number): void => {
  if (job.state !== 'completed' || job.removedAt !== null) return
  markRemoved(sql, job.id, now)
  unplan(sql, job.id, 'expire')
  for (const key of keys) post(sql, { kind: 'discard', key, uploadId: null }, now)
  post(sql, { kind: 'record', jobId: job.id }, now)
}

/** The media of a finished job, where it is still there. */
export const removeMedia = (sql: SqlStorage, jobId: string, now: number): void => {
  const job = findJob(sql, jobId)
  if (job?.result) removeStored(sql, job, storedKeys(job), now)
}

export const fail = (sql: SqlStorage, job: JobRow, reason: Failure, now: number): void => {
  discardUploads(sql, job.id, 'all', now)
  releaseHold(sql, job.id, now)
  end(sql, job, { state: 'failed', failure: reason }, now)
}

const end = (sql: SqlStorage, job: JobRow, ending: Ending, now: number): void => {
  if (ending.state === 'completed') markRunning(sql, job.id, now)
  endJob(sql, job.id, ending, now)
  eraseSealedKey(sql, job.id)
  unplan(sql, job.id, 'lease', 'resend', 'deadline')
  if (ending.state === 'completed') forgetCopy(sql, job.id)
  else abandonCopy(sql, job.id, now)
  announce(sql, job, ending.state, now)
  post(sql, { kind: 'record', jobId: job.id }, now)
}

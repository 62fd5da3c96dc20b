import { type Failure, failure } from '../../../domain/codes/failures.ts'
import { isTerminal, type JobOutput, type Step } from '../../../domain/jobs/job.ts'
import { RETENTION_MS } from '../../../domain/limits.ts'
import { storedKeys } from '../../../domain/media/media-keys.ts'
import { exceedsMaxCost } from '../../../domain/money/bill.ts'
import type { Micros } from '../../../domain/money/money.ts'
import { addToOutbox } from '../clockwork/outbox.ts'
import { cancelTasks, scheduleTask } from '../clockwork/schedule.ts'
import { growHold, releaseHold, settle } from '../holds-and-ledger.ts'
import { addJobDelivery } from '../webhooks/attempts-and-retries.ts'
import { abandonCopy, deleteCopy } from './bucket-copies.ts'
import {
  deleteSealedKey,
  type Ending,
  endJob,
  findJob,
  findLeasedJob,
  type JobRow,
  type LeasedReport,
  markRemoved,
  markRunning,
} from './job-rows.ts'
import { discardUploads, releaseUpload } from './stored-uploads.ts'

/**
 * A job ends once. The same transaction ends its hold, adds its webhook and its record to the outbox, and
 * deletes the caller's provider key.
 */

/** Completes and charges the job. `keys` are the stored objects of its result; all others are discarded. */
export const complete = (
  sql: SqlStorage,
  { finished, charge, keys, ...report }: LeasedReport & { finished: JobOutput; charge: Micros; keys: string[] },
): boolean => {
  const job = findLeasedJob(sql, report)
  if (!job) return false
  const { jobId, now } = report
  if (exceedsMaxCost(job, charge) || !growHold(sql, jobId, charge, now)) {
    fail(sql, job, failure(exceedsMaxCost(job, charge) ? 'MAX_COST_EXCEEDED' : 'INSUFFICIENT_BALANCE'), now)
    return true
  }
  for (const key of keys) releaseUpload(sql, key)
  discardUploads(sql, jobId, 'all', now)
  const costMicros = settle(sql, jobId, charge, now)
  if (finished.kind === 'import') {
    const expiresAt = now + RETENTION_MS
    end(sql, job, { state: 'completed', result: { ...finished.result, costMicros, expiresAt } }, now)
    scheduleTask(sql, 'expire', jobId, expiresAt)
  } else {
    end(sql, job, { state: 'completed', result: { ...finished.result, costMicros } }, now)
  }
  return true
}

/** Fails the job without a retry. */
export const failStep = (sql: SqlStorage, { reason, ...report }: LeasedReport & { reason: Failure }): boolean => {
  const job = findLeasedJob(sql, report)
  if (!job) return false
  fail(sql, job, reason, report.now)
  return true
}

/** A step's message reached the dead-letter queue. The job fails, unless another message has moved it on. */
export const failUndeliverable = (
  sql: SqlStorage,
  { jobId, step, reason, now }: { jobId: string; step: Step; reason: Failure; now: number },
): boolean => {
  const job = findJob(sql, jobId)
  if (!job || job.step !== step || job.lease !== null) return false
  fail(sql, job, reason, now)
  return true
}

/** Fails a live job from outside of its steps: it was canceled, or its time limit passed. */
export const failLiveJob = (sql: SqlStorage, jobId: string, reason: Failure, now: number): boolean => {
  const job = findJob(sql, jobId)
  if (!job || isTerminal(job.state)) return false
  fail(sql, job, reason, now)
  return true
}

/** Removes the stored media of a completed job: it expired, or its owner deleted it. The job's record stays. */
export const removeMedia = (sql: SqlStorage, jobId: string, now: number): void => {
  const job = findJob(sql, jobId)
  if (!job?.result || job.state !== 'completed' || job.removedAt !== null) return
  markRemoved(sql, jobId, now)
  cancelTasks(sql, jobId, 'expire')
  for (const key of storedKeys(job)) addToOutbox(sql, { kind: 'discard', key, uploadId: null }, now)
  addToOutbox(sql, { kind: 'record', jobId }, now)
}

export const fail = (sql: SqlStorage, job: JobRow, reason: Failure, now: number): void => {
  discardUploads(sql, job.id, 'all', now)
  releaseHold(sql, job.id, now)
  end(sql, job, { state: 'failed', failure: reason }, now)
}

const end = (sql: SqlStorage, job: JobRow, ending: Ending, now: number): void => {
  if (ending.state === 'completed') markRunning(sql, job.id, now)
  endJob(sql, job.id, ending, now)
  deleteSealedKey(sql, job.id)
  cancelTasks(sql, job.id, 'lease', 'resend', 'deadline')
  if (ending.state === 'completed') deleteCopy(sql, job.id)
  else abandonCopy(sql, job.id, now)
  addJobDelivery(sql, job, ending.state, now)
  addToOutbox(sql, { kind: 'record', jobId: job.id }, now)
}

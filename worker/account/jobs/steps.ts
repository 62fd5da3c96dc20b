import { type Failure, failure } from '../../../domain/codes/failures.ts'
import type { Job, Step } from '../../../domain/jobs/job.ts'
import { IN_LINE_RESEND_MS, MAX_ATTEMPTS, RESEND_MS } from '../../../domain/limits.ts'
import { agreedBytes, requiredHold, wantedHold } from '../../../domain/money/bill.ts'
import { type Micros, zero } from '../../../domain/money/money.ts'
import type { Progress } from '../../../domain/protocol/protocol.ts'
import type { ProgressAnswer } from '../calls.ts'
import { addToOutbox } from '../clockwork/outbox.ts'
import { cancelTasks, scheduleTask } from '../clockwork/schedule.ts'
import { growHold, heldFor } from '../holds-and-ledger.ts'
import { fail } from './endings.ts'
import {
  clearLease,
  findJob,
  findLeasedJob,
  grantLease,
  holdsLease,
  type JobRow,
  keepCarry,
  type LeasedReport,
  markRunning,
  moveTo,
  renewLease,
  withoutJobLease,
} from './job-rows.ts'
import { addUpload, discardUploads, keepUpload } from './stored-uploads.ts'

/**
 * A step is claimed with a lease, which progress reports renew, and ends with one report. The lease is a
 * fencing token: a report under an older lease changes nothing. A step whose lease expires is retried; after
 * three attempts the job fails. Every transaction that ends a job ends its hold too.
 */
export interface Claimed {
  job: Job
  lease: string
}

/** null: the message needs no work, because the step is done, the job has ended, or another attempt has the lease. */
export const claim = (
  sql: SqlStorage,
  { jobId, step, lease, leaseMs, now }: { jobId: string; step: Step; lease: string; leaseMs: number; now: number },
): Claimed | null => {
  const found = findJob(sql, jobId)
  if (found?.leaseUntil && found.leaseUntil <= now) expireLease(sql, jobId, now)
  const job = found && findJob(sql, jobId)
  if (!job || job.step !== step || job.lease !== null) return null
  grantLease(sql, jobId, lease, now + leaseMs)
  cancelTasks(sql, jobId, 'resend')
  scheduleTask(sql, 'lease', jobId, now + leaseMs)
  return { job: { ...withoutJobLease(job), attempts: job.attempts + 1, leaseNumber: job.leaseNumber + 1 }, lease }
}

/**
 * Renews the lease, and grows the hold to cover the bytes that have arrived, that the source has announced or that the
 * download needs, and as many of those that it wants as the balance allows.
 */
export const progress = (
  sql: SqlStorage,
  { report, leaseMs, ...leased }: LeasedReport & { report: Progress; leaseMs: number },
): ProgressAnswer => {
  const job = findLeasedJob(sql, leased)
  if (!job) return { verdict: 'lost', agreedBytes: null }
  const { jobId, now } = leased
  const verdict = requiredHold(job, report)
  if ('failed' in verdict || !growHold(sql, jobId, verdict.holdMicros, now, wantedHold(job, report))) {
    fail(sql, job, 'failed' in verdict ? verdict.failed : failure('INSUFFICIENT_BALANCE'), now)
    return { verdict: 'stop', agreedBytes: null }
  }
  start(sql, job, now)
  // Renewed only in the second half of the lease: progress is reported every second, and each renewal writes rows.
  if ((job.leaseUntil ?? 0) - now < leaseMs / 2) {
    renewLease(sql, jobId, now + leaseMs)
    scheduleTask(sql, 'lease', jobId, now + leaseMs)
  }
  return { verdict: 'continue', agreedBytes: agreedBytes(job, report, heldFor(sql, jobId) ?? zero) }
}

/** `keys` are the stored objects that the next step needs. False: the lease is lost and nothing changed. */
export const advance = (
  sql: SqlStorage,
  {
    next,
    carry,
    holdMicros,
    keys,
    ...report
  }: LeasedReport & { next: Step; carry: Job['carry']; holdMicros: Micros; keys: string[] },
): boolean => {
  const job = findLeasedJob(sql, report)
  if (!job) return false
  const { jobId, now } = report
  if (!growHold(sql, jobId, holdMicros, now)) {
    fail(sql, job, failure('INSUFFICIENT_BALANCE'), now)
    return true
  }
  for (const key of keys) keepUpload(sql, jobId, key)
  discardUploads(sql, jobId, 'of this attempt', now)
  moveTo(sql, jobId, next, carry)
  start(sql, job, now)
  cancelTasks(sql, jobId, 'lease')
  addToOutbox(sql, { kind: 'step', jobId, step: next }, now)
  scheduleTask(sql, 'resend', jobId, now + RESEND_MS)
  return true
}

export const waitForPlace = (sql: SqlStorage, jobId: string, step: Step, now: number): void => {
  const job = findJob(sql, jobId)
  if (job?.step === step && job.lease === null) scheduleTask(sql, 'resend', jobId, now + IN_LINE_RESEND_MS)
}

export interface Postponement {
  delayMs: number
  /** The state from which the step resumes. */
  carry?: Job['carry']
}

/** Runs the step again later, without counting an attempt: the container is full, or a provider needs more time. */
export const postpone = (
  sql: SqlStorage,
  { delayMs, carry = null, ...report }: LeasedReport & Postponement,
): boolean => {
  const job = findLeasedJob(sql, report)
  if (!job) return false
  const { jobId, now } = report
  cancelTasks(sql, jobId, 'lease')
  clearLease(sql, jobId, job.attempts - 1)
  if (carry) keepCarry(sql, jobId, carry)
  if (delayMs === 0) resend(sql, jobId, now)
  else scheduleTask(sql, 'resend', jobId, now + delayMs)
  return true
}

export interface FailedAttempt {
  delayMs?: number
  /** The job's failure if this was its last attempt. */
  reason?: Failure
}

/** Ends a failed attempt. The step is retried while attempts are left. */
export const giveBack = (sql: SqlStorage, { jobId, lease, now, ...failed }: LeasedReport & FailedAttempt): boolean => {
  const job = findLeasedJob(sql, { jobId, lease, now })
  if (!job) return false
  retryOrFail(sql, job, now, failed)
  return true
}

/** Called by the alarm. If the lease was renewed since the task was scheduled, this only schedules it again. */
export const expireLease = (sql: SqlStorage, jobId: string, now: number): void => {
  const job = findJob(sql, jobId)
  if (!job || job.lease === null || job.leaseUntil === null) return
  if (job.leaseUntil > now) scheduleTask(sql, 'lease', jobId, job.leaseUntil)
  else retryOrFail(sql, job, now)
}

export const resend = (sql: SqlStorage, jobId: string, now: number): void => {
  const job = findJob(sql, jobId)
  if (!job || job.step === null || job.lease !== null) return
  addToOutbox(sql, { kind: 'step', jobId, step: job.step }, now)
  scheduleTask(sql, 'resend', jobId, now + RESEND_MS)
}

/** Called before an attempt writes an object, so that the object is discarded if the attempt fails. */
export const noteUpload = (
  sql: SqlStorage,
  { key, uploadId, ...report }: LeasedReport & { key: string; uploadId: string | null },
): boolean => {
  if (!holdsLease(sql, report)) return false
  addUpload(sql, report.jobId, key, uploadId)
  return true
}

/** At the first report of the job, which is the end of its first step if that step is short. */
const start = (sql: SqlStorage, { id, state }: JobRow, now: number): void => {
  if (state !== 'queued') return
  markRunning(sql, id, now)
  addToOutbox(sql, { kind: 'record', jobId: id }, now)
}

const retryOrFail = (sql: SqlStorage, job: JobRow, now: number, { delayMs = 0, reason }: FailedAttempt = {}): void => {
  if (job.step === null) return
  if (job.attempts >= MAX_ATTEMPTS) {
    const message = `The job failed after ${MAX_ATTEMPTS} attempts.`
    fail(sql, job, reason ?? failure('INTERNAL', message), now)
    return
  }
  cancelTasks(sql, job.id, 'lease')
  discardUploads(sql, job.id, 'of this attempt', now)
  clearLease(sql, job.id, job.attempts)
  if (delayMs === 0) resend(sql, job.id, now)
  else scheduleTask(sql, 'resend', job.id, now + delayMs)
}

import { type Failure, failure } from '../../domain/codes/failures.ts'
import type { Job, Progress, Step } from '../../domain/jobs/job.ts'
import { MAX_ATTEMPTS, RESEND_MS } from '../../domain/limits.ts'
import { judge } from '../../domain/money/bill.ts'
import type { Micros } from '../../domain/money/money.ts'
import { post } from '../clockwork/outbox.ts'
import { plan, unplan } from '../clockwork/schedule.ts'
import { growHold } from '../ledger.ts'
import { fail } from './endings.ts'
import { findJob, type JobRow, keepCarry, lend, markRunning, moveTo, renewLease, takeBack } from './jobs.ts'
import { leased, type Report } from './lease.ts'
import { addUpload, discardUploads, keepUpload } from './uploads.ts'

/**
 * The life of a step. It is claimed with a lease, kept alive by progress, and ended by one report. The
 * lease is a fencing token: whoever comes with an older one is told that it is lost and changes nothing.
 * A lease that lapses puts the step back; after three attempts the job fails. Whatever ends a job ends its
 * hold in the same transaction.
 */
export interface Claimed {
  job: Job
  lease: string
}

/** null: there is nothing to do for this message (done, canceled, or another has it). */
export const claim = (
  sql: SqlStorage,
  { jobId, step, lease, leaseMs, now }: { jobId: string; step: Step; lease: string; leaseMs: number; now: number },
): Claimed | null => {
  const found = findJob(sql, jobId)
  if (found?.leaseUntil && found.leaseUntil <= now) lapse(sql, jobId, now)
  const job = found && findJob(sql, jobId)
  if (!job || job.step !== step || job.lease !== null) return null
  lend(sql, jobId, lease, now + leaseMs)
  unplan(sql, jobId, 'resend')
  plan(sql, 'lease', jobId, now + leaseMs)
  const { lease: _, leaseUntil: __, ...lent } = job
  return { job: { ...lent, attempts: job.attempts + 1 }, lease }
}

export type Heartbeat = 'go on' | 'stop' | 'lost'

/** Progress renews the lease and grows the hold to what has been announced or has arrived. */
export const progress = (
  sql: SqlStorage,
  { jobId, lease, report, leaseMs, now }: Report & { report: Progress; leaseMs: number },
): Heartbeat => {
  const job = leased(sql, jobId, lease, now)
  if (!job) return 'lost'
  const verdict = judge(job, report)
  if ('failed' in verdict || !growHold(sql, jobId, verdict.owing, now)) {
    fail(sql, job, 'failed' in verdict ? verdict.failed : failure('INSUFFICIENT_BALANCE'), now)
    return 'stop'
  }
  begin(sql, job, now)
  // Written at half time only: a heartbeat a second would otherwise cost a row a second.
  if ((job.leaseUntil ?? 0) - now < leaseMs / 2) {
    renewLease(sql, jobId, now + leaseMs)
    plan(sql, 'lease', jobId, now + leaseMs)
  }
  return 'go on'
}

/** A step is done and another follows, which needs what lies under `keys`. False: the lease is lost and nothing changed. */
export const advance = (
  sql: SqlStorage,
  {
    jobId,
    lease,
    next,
    carry,
    owing,
    keys,
    now,
  }: Report & { next: Step; carry: Job['carry']; owing: Micros; keys: string[] },
): boolean => {
  const job = leased(sql, jobId, lease, now)
  if (!job) return false
  if (!growHold(sql, jobId, owing, now)) {
    fail(sql, job, failure('INSUFFICIENT_BALANCE'), now)
    return true
  }
  for (const key of keys) keepUpload(sql, jobId, key)
  discardUploads(sql, jobId, 'of this attempt', now)
  moveTo(sql, jobId, next, carry)
  begin(sql, job, now)
  unplan(sql, jobId, 'lease')
  post(sql, { kind: 'step', jobId, step: next }, now)
  plan(sql, 'resend', jobId, now + RESEND_MS)
  return true
}

export interface Postponement {
  delayMs: number
  /** What the step is to remember of what it did until now. */
  carry?: Job['carry']
}

/** The step goes on later, through no fault of the job (a full container, a provider at work): no attempt is used. */
export const postpone = (
  sql: SqlStorage,
  { jobId, lease, delayMs, carry = null, now }: Report & Postponement,
): boolean => {
  const job = leased(sql, jobId, lease, now)
  if (!job) return false
  unplan(sql, jobId, 'lease')
  takeBack(sql, jobId, job.attempts - 1)
  if (carry) keepCarry(sql, jobId, carry)
  if (delayMs === 0) resend(sql, jobId, now)
  else plan(sql, 'resend', jobId, now + delayMs)
  return true
}

export interface Setback {
  delayMs?: number
  /** What the job fails with when this was its last attempt. */
  reason?: Failure
}

/** The attempt came to nothing: it is made again while there are attempts left. */
export const giveBack = (sql: SqlStorage, { jobId, lease, now, ...setback }: Report & Setback): boolean => {
  const job = leased(sql, jobId, lease, now)
  if (!job) return false
  tryAgain(sql, job, now, setback)
  return true
}

/** The alarm found the lease to have run out. A renewal since it was planned makes this a no-op. */
export const lapse = (sql: SqlStorage, jobId: string, now: number): void => {
  const job = findJob(sql, jobId)
  if (!job || job.lease === null || job.leaseUntil === null) return
  if (job.leaseUntil > now) plan(sql, 'lease', jobId, job.leaseUntil)
  else tryAgain(sql, job, now)
}

export const resend = (sql: SqlStorage, jobId: string, now: number): void => {
  const job = findJob(sql, jobId)
  if (!job || job.step === null || job.lease !== null) return
  post(sql, { kind: 'step', jobId, step: job.step }, now)
  plan(sql, 'resend', jobId, now + RESEND_MS)
}

/** Remembers what an attempt began to store, so that it can be thrown away if the attempt comes to nothing. */
export const noteUpload = (
  sql: SqlStorage,
  { jobId, lease, key, uploadId, now }: Report & { key: string; uploadId: string | null },
): boolean => {
  if (!leased(sql, jobId, lease, now)) return false
  addUpload(sql, jobId, key, uploadId)
  return true
}

/** The first sign of life, which a short first step may give with its end. */
const begin = (sql: SqlStorage, { id, state }: JobRow, now: number): void => {
  if (state !== 'queued') return
  markRunning(sql, id, now)
  post(sql, { kind: 'record', jobId: id }, now)
}

const tryAgain = (sql: SqlStorage, job: JobRow, now: number, { delayMs = 0, reason }: Setback = {}): void => {
  if (job.step === null) return
  if (job.attempts >= MAX_ATTEMPTS) {
    const usual = `The job was tried ${MAX_ATTEMPTS} times and did not come to an end.`
    fail(sql, job, reason ?? failure('INTERNAL', usual), now)
    return
  }
  unplan(sql, job.id, 'lease')
  discardUploads(sql, job.id, 'of this attempt', now)
  takeBack(sql, job.id, job.attempts)
  if (delayMs === 0) resend(sql, job.id, now)
  else plan(sql, 'resend', job.id, now + delayMs)
}

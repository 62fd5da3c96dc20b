import { failure } from '../../../domain/codes/failures.ts'
import type { AccountRows } from '../account-rows.ts'
import type { CopyLeaseState, CopyPause, CopyTask } from '../calls.ts'
import { cleanupTask, isWaitingForRetry, nextRunAt, noteOf } from './bucket-copies.ts'
import { fail } from './endings.ts'
import { clearLease, isLive, type LeasedReport } from './job-rows.ts'
import { endAttempt } from './measured.ts'
import { claim } from './steps.ts'

/**
 * The deliver step copies a file to the caller's bucket in several runs, each of which resumes where the last
 * one stopped. Its messages also clean up the uploads of ended jobs. null: the message needs no work.
 */
export const claimCopy = (
  rows: AccountRows,
  { jobId, now, ...lease }: { jobId: string; lease: string; leaseMs: number; now: number },
): CopyTask | null => {
  const job = rows.findJob(jobId)
  if (!job || !isLive(job)) return job && cleanupTask(rows.sql, job)
  if (isWaitingForRetry(rows.sql, jobId, now)) return null
  const claimed = claim(rows, { jobId, step: 'deliver', now, ...lease })
  if (claimed?.job.kind !== 'import') return null
  return { kind: 'copy', job: claimed.job, lease: claimed.lease, note: noteOf(rows.sql, jobId) }
}

/** Schedules the next run, at once or after a delay. Neither counts as a failed attempt. */
export const pauseCopy = (rows: AccountRows, { pause, ...report }: LeasedReport & { pause: CopyPause }): boolean => {
  const job = rows.findLeasedJob(report)
  if (!job) return false
  const { jobId, now } = report
  const at = nextRunAt(rows.sql, jobId, pause, now)
  if (at === null) {
    fail(rows, job, pause.kind === 'retry' ? pause.reason : failure('INTERNAL'), now)
    return true
  }
  job.attempts -= 1
  endAttempt(rows, job, now)
  clearLease(job, at)
  return true
}

export const copyLeaseState = (rows: AccountRows, report: LeasedReport): CopyLeaseState => {
  if (rows.findLeasedJob(report)) return 'continue'
  const job = rows.findJob(report.jobId)
  return job && isLive(job) ? 'lost' : 'over'
}

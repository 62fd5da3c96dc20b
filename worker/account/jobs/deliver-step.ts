import { failure } from '../../../domain/codes/failures.ts'
import { isTerminal } from '../../../domain/jobs/job.ts'
import type { CopyLeaseState, CopyPause, CopyTask } from '../calls.ts'
import { cancelTasks, scheduleTask } from '../clockwork/schedule.ts'
import { cleanupTask, isWaitingForRetry, nextRunAt, noteOf } from './bucket-copies.ts'
import { fail } from './endings.ts'
import { clearLease, findJob, findLeasedJob, holdsLease, type LeasedReport } from './job-rows.ts'
import { claim } from './steps.ts'

/**
 * The deliver step copies a file to the caller's bucket in several runs, each of which resumes where the last
 * one stopped. Its messages also clean up the uploads of ended jobs. null: the message needs no work.
 */
export const claimCopy = (
  sql: SqlStorage,
  { jobId, now, ...lease }: { jobId: string; lease: string; leaseMs: number; now: number },
): CopyTask | null => {
  const job = findJob(sql, jobId)
  if (!job || isTerminal(job.state)) return job && cleanupTask(sql, job)
  if (isWaitingForRetry(sql, jobId, now)) return null
  const claimed = claim(sql, { jobId, step: 'deliver', now, ...lease })
  if (claimed?.job.kind !== 'import') return null
  return { kind: 'copy', job: claimed.job, lease: claimed.lease, note: noteOf(sql, jobId) }
}

/** Schedules the next run, at once or after a delay. Neither counts as a failed attempt. */
export const pauseCopy = (sql: SqlStorage, { pause, ...report }: LeasedReport & { pause: CopyPause }): boolean => {
  const job = findLeasedJob(sql, report)
  if (!job) return false
  const { jobId, now } = report
  const at = nextRunAt(sql, jobId, pause, now)
  if (at === null) {
    fail(sql, job, pause.kind === 'retry' ? pause.reason : failure('INTERNAL'), now)
    return true
  }
  cancelTasks(sql, jobId, 'lease')
  clearLease(sql, jobId, job.attempts - 1)
  scheduleTask(sql, 'resend', jobId, at)
  return true
}

export const copyLeaseState = (sql: SqlStorage, report: LeasedReport): CopyLeaseState => {
  if (holdsLease(sql, report)) return 'continue'
  const job = findJob(sql, report.jobId)
  return job && !isTerminal(job.state) ? 'lost' : 'over'
}

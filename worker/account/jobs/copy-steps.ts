import { failure } from '../../domain/codes/failures.ts'
import { isTerminal } from '../../domain/jobs/job.ts'
import type { CopyPause, CopyStanding, CopyTask } from '../../domain/storage/copies.ts'
import { plan, unplan } from '../clockwork/schedule.ts'
import { cleanupOf, isPaused, nextTryAt, noteOf, standingOf } from './copies.ts'
import { fail } from './endings.ts'
import { findJob, takeBack } from './jobs.ts'
import { holdsLease, leased, type Report } from './lease.ts'
import { claim } from './steps.ts'

/** The deliver step, whose runs go on where the last one stopped, and which cleans up after jobs that ended. */
/** null: there is nothing to do for this message now. */
export const claimCopy = (
  sql: SqlStorage,
  { jobId, now, ...lending }: { jobId: string; lease: string; leaseMs: number; now: number },
): CopyTask | null => {
  const job = findJob(sql, jobId)
  if (!job || isTerminal(job.state)) return job && cleanupOf(sql, job)
  if (isPaused(sql, jobId, now)) return null
  const claimed = claim(sql, { jobId, step: 'deliver', now, ...lending })
  if (claimed?.job.kind !== 'import') return null
  return { kind: 'copy', job: claimed.job, lease: claimed.lease, note: noteOf(sql, jobId) }
}

/** A copy goes on in another run: at once, or later. Neither counts as an attempt that came to nothing. */
export const pauseCopy = (sql: SqlStorage, { jobId, lease, pause, now }: Report & { pause: CopyPause }): boolean => {
  const job = leased(sql, jobId, lease, now)
  if (!job) return false
  const at = nextTryAt(sql, jobId, pause, now)
  if (at === null) {
    fail(sql, job, pause.kind === 'retry' ? pause.reason : failure('INTERNAL'), now)
    return true
  }
  unplan(sql, jobId, 'lease')
  takeBack(sql, jobId, job.attempts - 1)
  plan(sql, 'resend', jobId, at)
  return true
}

export const copyStanding = (sql: SqlStorage, report: Report): CopyStanding =>
  standingOf(findJob(sql, report.jobId), holdsLease(sql, report))

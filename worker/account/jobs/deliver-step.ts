import { failure } from '../../../domain/codes/failures.ts'
import type { AccountRows } from '../account-rows.ts'
import { act, leasedAct } from '../acts.ts'
import type { CopyLeaseState, CopyPause, CopyTask, JobLease } from '../calls.ts'
import { abandonCopy, isWaitingForRetry, nextRunAt, noteOf, writeNote } from './bucket-copies.ts'
import { fail } from './endings.ts'
import { isLive } from './job-rows.ts'
import { claimStep, endLease } from './steps.ts'

/** A copy takes several runs, each of which resumes where the last one stopped. null: the message needs no work. */
export const claimCopy = act((acting, jobId: string): CopyTask | null => {
  const { sql } = acting.rows
  if (isWaitingForRetry(sql, jobId, acting.now)) return null
  const claimed = claimStep(acting, jobId, 'deliver')
  return claimed && { job: claimed.job, lease: claimed.lease, note: noteOf(sql, jobId) }
})

/** Schedules the next run, at once or after a delay. Neither counts as a failed attempt. */
export const pauseCopy = leasedAct(false, ({ rows, now }, job, pause: CopyPause) => {
  const at = nextRunAt(rows.sql, job.id, pause, now)
  if (at === null) return fail({ rows, now }, job, pause.kind === 'retry' ? pause.reason : failure('INTERNAL'))
  endLease(rows, job, { isUsed: false, dueAt: at }, now)
  return true
})

export const copyLeaseState = act(({ rows, now }, lease: JobLease) => leaseState(rows, lease, now))

const leaseState = (rows: AccountRows, lease: JobLease, now: number): CopyLeaseState => {
  if (rows.findLeasedJob(lease, now)) return 'continue'
  const job = rows.findJob(lease.jobId)
  return job && isLive(job) ? 'lost' : 'over'
}

/**
 * A run may begin a file just before it learns that its job has failed. Its note then says what to clean up. If another
 * run has completed the job, its files stay, so nothing is noted: this run aborts its own upload.
 */
export const saveCopy = act(({ rows, now }, { jobId, lease }: JobLease, note: string): CopyLeaseState => {
  const state = leaseState(rows, { jobId, lease }, now)
  if (state === 'lost' || rows.findJob(jobId)?.state === 'completed') return state
  writeNote(rows.sql, jobId, note)
  if (state === 'over') abandonCopy(rows.sql, jobId, now)
  return state
})

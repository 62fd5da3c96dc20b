import type { AccountRows } from '../account-rows.ts'
import type { Again, DueContext } from '../due/due.ts'
import { schedule } from '../due/due-rows.ts'
import { isLive, type JobRow, readJob, withoutJobLease } from './job-rows.ts'
import { endedJobOf } from './measured.ts'

/**
 * D1's row of a job that has ended, and the report of its end to the metrics object. Lists take live jobs from the account.
 * An ended job stays among the account's open jobs until both have it. Every act reads those, so while D1 or the metrics
 * object fails, only so many do; the others get a row of what is due.
 */
const MOST_UNRECORDED = 20

/** The job has ended, or its media was removed. */
export const awaitRecord = (rows: AccountRows, { id }: JobRow, now: number): void => {
  const unrecorded = rows.readOpenJobs().filter((job) => job.id !== id && !isLive(job))
  if (unrecorded.length < MOST_UNRECORDED) {
    rows.openJob(id)
    return
  }
  schedule(rows.sql, 'record', id, now)
  rows.account.openJobs = rows.account.openJobs.filter((openId) => openId !== id)
}

/** `key`: of what is due, which is done with this. */
export const recordEnd = async ({ rows, targets, nextAt }: DueContext, job: JobRow, key: string): Promise<void> => {
  const ended = endedJobOf(job)
  await Promise.all([
    targets.recordJob(rows.account.id, withoutJobLease(job)),
    rows.reports.send(rows.account, { ended, nextAt: nextAt(key) }, targets.report),
  ])
}

/** Records a job whose row in the table `due` has come up. The job may be gone by then. */
export const recordLater = async (context: DueContext, jobId: string, key: string): Promise<Again> => {
  const job = readJob(context.rows.sql, jobId)
  if (job) await recordEnd(context, job, key)
}

import type { Job } from '../../domain/jobs/job.ts'
import { findJob, type JobRow } from './jobs.ts'

/** Who reports: a job, and the lease that the reporter was given. */
export interface Report {
  jobId: string
  lease: string
  now: number
}

/** null: the lease is lost. The reporter is told so and changes nothing. */
export const leased = (sql: SqlStorage, jobId: string, lease: string, now: number): JobRow | null => {
  const job = findJob(sql, jobId)
  return job && job.lease === lease && (job.leaseUntil ?? 0) > now ? job : null
}

export const holdsLease = (sql: SqlStorage, report: Report): boolean => leasedJob(sql, report) !== null

/** The job of a lease that lives. */
export const leasedJob = (sql: SqlStorage, { jobId, lease, now }: Report): Job | null => leased(sql, jobId, lease, now)

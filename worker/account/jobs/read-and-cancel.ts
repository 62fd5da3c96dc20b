import { failure } from '../../../domain/codes/failures.ts'
import { accepted, refused } from '../../../domain/codes/refusals.ts'
import type { JobKind } from '../../../domain/jobs/job.ts'
import { phaseOf } from '../../../domain/jobs/job-status.ts'
import { type ListedJob, listedJob } from '../../listed-jobs.ts'
import { readAct } from '../acts.ts'
import type { JobSnapshot } from '../calls.ts'
import { maySee, mayStop, mayUse, onlyOf, scopeMissing } from '../keys/key-rows.ts'
import { readRequestAct, requestAct, withFacts } from '../requests/authenticated-request.ts'
import { failLiveJob, removeFiles } from './endings.ts'
import { isLive, withoutJobLease } from './job-rows.ts'
import { shown, snapshotOf } from './snapshots.ts'

export const readJob = readRequestAct(({ rows, key }, jobId: string, kind: JobKind | null) =>
  snapshotOf(rows, key, jobId, kind),
)

/** The request was counted before. null: the job is gone, or the key has been revoked. */
export const readUncounted = readAct(({ rows, now }, keyHash: string, jobId: string): JobSnapshot | null => {
  const key = rows.keys.live(keyHash, now)
  const found = key && snapshotOf(rows, key, jobId)
  return found?.ok ? found.value : null
})

/** Its link was checked, which needs no key. */
export const readLinked = readAct(({ rows }, jobId: string) => {
  const job = rows.findJob(jobId)
  return job && withoutJobLease(job)
})

/** The jobs that are live, or that ended and may not be in D1. */
const readOpenJobs = readRequestAct(({ rows, key }) => {
  const open = rows.openJobs().filter((job) => maySee(key, job))
  return accepted(open.map((job): ListedJob => ({ ...listedJob(job), ...phaseOf(job) })))
})

/** `onlyOf`: the key, if it sees no jobs but its own. */
export const openJobs = withFacts(readOpenJobs, ({ keys }, { keyHash }) => {
  const key = keys.live(keyHash, Date.now())
  return { onlyOf: key && onlyOf(key) }
})

export const cancelJob = requestAct(({ rows, key, now }, jobId: string) => {
  const job = rows.findJob(jobId)
  if (!job || !maySee(key, job)) return refused('JOB_NOT_FOUND')
  if (isLive(job) && !mayStop(key, job)) return scopeMissing(key, 'manage')
  failLiveJob(rows, jobId, failure('CANCELED'), now)
  return accepted(shown(job, rows.progress))
})

/** Cancels a live job, and removes the media of a completed one. The job's record stays. */
export const removeJob = requestAct(({ rows, key, now }, jobId: string) => {
  const job = rows.findJob(jobId)
  if (!job || !(maySee(key, job) || (!isLive(job) && mayUse(key, 'manage')))) return refused('JOB_NOT_FOUND')
  if (!(isLive(job) ? mayStop(key, job) : mayUse(key, 'manage'))) return scopeMissing(key, 'manage')
  if (!failLiveJob(rows, jobId, failure('CANCELED'), now)) removeFiles(rows, jobId, now)
  return accepted(shown(job, rows.progress))
})

import { failure } from '../../../domain/codes/failures.ts'
import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { JobKind } from '../../../domain/jobs/job.ts'
import { phaseOf } from '../../../domain/jobs/job-status.ts'
import { type ListedJob, listedJob } from '../../listed-jobs.ts'
import type { AccountRows } from '../account-rows.ts'
import { readAct } from '../acts.ts'
import type { JobSnapshot } from '../calls.ts'
import { type ApiKey, maySee, mayStop, mayUse, onlyOf, scopeMissing } from '../keys/key-rows.ts'
import { readRequestAct, requestAct, withFacts } from '../requests/authenticated-request.ts'
import { failLiveJob, removeMedia } from './endings.ts'
import type { JobProgress } from './job-progress.ts'
import { readJob as findJob, isLive, type JobRow, withoutJobLease } from './job-rows.ts'

export const readJob = readRequestAct(({ rows, key }, jobId: string, kind: JobKind | null) =>
  snapshot(key, findJob(rows.sql, jobId), rows.progress, kind),
)

/** The request was counted before. null: the job is gone, or the key has been revoked. */
export const readUncounted = readAct(({ rows, now }, keyHash: string, jobId: string): JobSnapshot | null => {
  const key = rows.keys.live(keyHash, now)
  return key && readSnapshot(rows, key, jobId)
})

/** null: there is no such job, or the key may not see it. */
export const readSnapshot = ({ sql, progress }: AccountRows, key: ApiKey, jobId: string): JobSnapshot | null => {
  const found = snapshot(key, findJob(sql, jobId), progress)
  return found.ok ? found.value : null
}

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
  return snapshot(key, rows.findJob(jobId), rows.progress)
})

/** Cancels a live job, and removes the media of a completed one. The job's record stays. */
export const removeJob = requestAct(({ rows, key, now }, jobId: string) => {
  const job = rows.findJob(jobId)
  if (!job || !(maySee(key, job) || (!isLive(job) && mayUse(key, 'manage')))) return refused('JOB_NOT_FOUND')
  if (!(isLive(job) ? mayStop(key, job) : mayUse(key, 'manage'))) return scopeMissing(key, 'manage')
  if (!failLiveJob(rows, jobId, failure('CANCELED'), now)) removeMedia(rows, jobId, now)
  return accepted(shown(job, rows.progress))
})

const snapshot = (
  key: ApiKey,
  found: JobRow | null,
  progress: JobProgress,
  kind: JobKind | null = null,
): Result<JobSnapshot> =>
  found && maySee(key, found) && (kind === null || found.kind === kind)
    ? accepted(shown(found, progress))
    : refused('JOB_NOT_FOUND')

const shown = (found: JobRow, progress: JobProgress): JobSnapshot => ({
  job: { ...withoutJobLease(found), progress: progress.of(found) },
  version: progress.versionOf(found.id),
})

import { failure } from '../../../domain/codes/failures.ts'
import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { JobKind } from '../../../domain/jobs/job.ts'
import { listedJob } from '../../directory.ts'
import { readAct } from '../acts.ts'
import type { JobSnapshot } from '../calls.ts'
import { readRequestAct, requestAct } from '../entry/authenticated-request.ts'
import { failLiveJob, removeMedia } from './endings.ts'
import type { JobProgress } from './job-progress.ts'
import { type JobRow, jobTable, withoutJobLease } from './job-rows.ts'

/** `kind`: null for a job of either kind. */
export const readJob = readRequestAct(({ rows }, jobId: string, kind: JobKind | null) =>
  snapshot(rows.readJob(jobId), rows.progress, kind),
)

/**
 * Whether a job has changed since the version that the request has seen. The question is not counted, because the request
 * was. null: the job is gone, or the key has been revoked.
 */
export const changeSince = readAct(
  ({ rows }, keyHash: string, jobId: string, seen: number): JobSnapshot | 'unchanged' | null => {
    if (!rows.isLiveKey(keyHash)) return null
    if (rows.progress.versionOf(jobId) === seen) return 'unchanged'
    const found = snapshot(rows.readJob(jobId), rows.progress)
    return found.ok ? found.value : null
  },
)

/** The jobs that are live, or that ended and may not be in D1. */
export const openJobs = readRequestAct(({ rows }) => {
  const unrecorded = jobTable.select(rows.sql, "WHERE id IN (SELECT ref FROM due WHERE kind = 'record')")
  return accepted([...rows.readOpenJobs(), ...unrecorded].map(listedJob))
})

/** Cancels a live job. A job that has ended stays as it is. */
export const cancelJob = requestAct(({ rows, now }, jobId: string) => {
  failLiveJob(rows, jobId, failure('CANCELED'), now)
  return snapshot(rows.findJob(jobId), rows.progress)
})

/** Cancels a live job, and removes the media of a completed one. The job's record stays. */
export const removeJob = requestAct(({ rows, now }, jobId: string) => {
  if (!failLiveJob(rows, jobId, failure('CANCELED'), now)) removeMedia(rows, jobId, now)
  return snapshot(rows.findJob(jobId), rows.progress)
})

const snapshot = (found: JobRow | null, progress: JobProgress, kind: JobKind | null = null): Result<JobSnapshot> => {
  if (!found || (kind !== null && found.kind !== kind)) return refused('JOB_NOT_FOUND')
  const job = { ...withoutJobLease(found), progress: progress.of(found) }
  return accepted({ job, version: progress.versionOf(found.id) })
}

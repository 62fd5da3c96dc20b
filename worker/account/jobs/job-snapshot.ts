import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { JobKind } from '../../../domain/jobs/job.ts'
import type { JobSnapshot } from '../calls.ts'
import type { JobProgress } from './job-progress.ts'
import { type JobRow, withoutJobLease } from './job-rows.ts'

/** `kind` null accepts both kinds. */
export const jobSnapshot = (found: JobRow | null, progress: JobProgress, kind: JobKind | null): Result<JobSnapshot> => {
  if (!found || (kind !== null && found.kind !== kind)) return refused('JOB_NOT_FOUND')
  const job = { ...withoutJobLease(found), progress: progress.of(found) }
  return accepted({ job, version: progress.versionOf(found.id) })
}

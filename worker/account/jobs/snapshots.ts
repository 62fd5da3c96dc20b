import { accepted, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { JobKind } from '../../../domain/jobs/job.ts'
import type { AccountRows } from '../account-rows.ts'
import type { JobSnapshot } from '../calls.ts'
import { type ApiKey, maySee } from '../keys/key-rows.ts'
import { type JobRow, readJob, withoutJobLease } from './job-rows.ts'

type Rows = Pick<AccountRows, 'sql' | 'progress'>

/** The job as this key sees it. */
export const snapshotOf = (
  { sql, progress }: Rows,
  key: ApiKey,
  jobId: string,
  kind: JobKind | null = null,
): Result<JobSnapshot> => {
  const found = readJob(sql, jobId)
  return found && maySee(key, found) && (kind === null || found.kind === kind)
    ? accepted(shown(found, progress))
    : refused('JOB_NOT_FOUND')
}

export const shown = (found: JobRow, progress: AccountRows['progress']): JobSnapshot => ({
  job: { ...withoutJobLease(found), progress: progress.of(found) },
  version: progress.versionOf(found.id),
})

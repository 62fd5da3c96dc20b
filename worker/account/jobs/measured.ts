import type { Job, Step } from '../../../domain/jobs/job.ts'
import { containerSteps } from '../../../domain/jobs/step-resources.ts'
import type { EndedJob } from '../../../domain/metrics/account-report.ts'
import { hostOf } from '../../../domain/metrics/host.ts'
import { endOfJob } from '../../../domain/metrics/job-totals.ts'
import { downloadsNothing } from '../../../domain/money/bill.ts'
import type { AccountRows } from '../account-rows.ts'
import type { JobRow } from './job-rows.ts'

export const startAttempt = (rows: AccountRows, job: JobRow, now: number): void => {
  rows.downloadedBytes.delete(job.id)
  job.measured = { ...job.measured, claimedAt: now }
}

/**
 * Called before the step or the lease of a job changes. `downloadedBytes`: what the attempt reported at its end. One that
 * ended otherwise has what its last progress report said.
 */
export const endAttempt = (rows: AccountRows, job: JobRow, now: number, downloadedBytes?: number): void => {
  const { step, measured, leaseUntil } = job
  if (measured.claimedAt === null || step === null) return
  // An attempt that stopped without a report is noticed later than its lease has expired.
  const spentMs = Math.max(0, Math.min(now, leaseUntil ?? now) - measured.claimedAt)
  const reportedBytes = downloadedBytes ?? rows.downloadedBytes.get(job.id) ?? 0
  rows.downloadedBytes.delete(job.id)
  job.measured = {
    ...measured,
    claimedAt: null,
    stepMs: { ...measured.stepMs, [step]: (measured.stepMs[step] ?? 0) + spentMs },
    bytesIn: measured.bytesIn + (downloads(step) && !downloadsNothing(job) ? reportedBytes : 0),
  }
}

/** Recognition reads stored audio, and a delivery stored media. */
const downloads = (step: Step): boolean => step !== 'recognize' && step !== 'deliver'

/** What engines have done for a job. A copy to a bucket is made by the Worker. */
export const workOf = ({ measured: { stepMs, bytesIn } }: JobRow): { engineMs: number; bytes: number } => ({
  engineMs: containerSteps.reduce((sum, step) => sum + (stepMs[step] ?? 0), 0),
  bytes: bytesIn,
})

/** Of the copy in the caller's bucket. */
export const copiedBytes = (job: Job): number =>
  job.kind === 'import' && job.result?.bucket ? job.result.fileSizeBytes : 0

/** null: the job is live, or it ended before ends were counted. */
export const endedJobOf = (job: JobRow): EndedJob | null => {
  const { stepMs, bytesIn, endNumber, requestId } = job.measured
  if (endNumber === null) return null
  const workMs = Object.values(stepMs).reduce((sum, ms) => sum + ms, 0)
  const totalMs = (job.completedAt ?? job.createdAt) - job.createdAt
  return {
    ...endOfJob(job),
    jobId: job.id,
    number: endNumber,
    host: hostOf(job.request.url ?? ''),
    seconds: Object.fromEntries(Object.entries(stepMs).map(([step, ms]) => [step, ms / 1_000])),
    waitedSeconds: Math.max(0, totalMs - workMs) / 1_000,
    bytesIn,
    bytesOut: copiedBytes(job),
    costMicros: job.result?.costMicros ?? 0,
    requestId,
  }
}

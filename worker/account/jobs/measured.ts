import { isOfSpeech, type Job } from '../../../domain/jobs/job.ts'
import { containerSteps } from '../../../domain/jobs/step-resources.ts'
import type { Step } from '../../../domain/jobs/transcript.ts'
import { type EndedJob, hostOf } from '../../../domain/metrics/account-report.ts'
import { endOfJob } from '../../../domain/metrics/job-totals.ts'
import { downloadsNothing } from '../../../domain/money/bill.ts'
import { firstProgress } from '../../../domain/protocol/protocol.ts'
import type { AccountRows } from '../account-rows.ts'
import { type JobRow, nothingMeasured } from './job-rows.ts'

export const noteDownloaded = ({ progress }: AccountRows, job: JobRow, downloadedBytes: number | undefined): void => {
  if (downloadedBytes !== undefined) progress.reported(job, { ...(progress.of(job) ?? firstProgress), downloadedBytes })
}

/**
 * Called before the step or the lease of a job changes. `downloadedBytes`: what is charged. Absent: what was reported
 * last. `isLost`: the attempt has no result, by a fault of the service.
 */
export const endAttempt = (
  rows: AccountRows,
  job: JobRow,
  now: number,
  { downloadedBytes, isLost = false }: { downloadedBytes?: number | undefined; isLost?: boolean } = {},
): void => {
  const { step, measured, leaseUntil } = job
  if (measured.claimedAt === null || step === null) return
  // An attempt that stopped without a report is noticed later than its lease has expired.
  const spentMs = Math.max(0, Math.min(now, leaseUntil ?? now) - measured.claimedAt)
  const reportedBytes = downloadedBytes ?? rows.progress.of(job)?.downloadedBytes ?? 0
  const bytesIn = downloads(step) && !downloadsNothing(job) ? reportedBytes : 0
  const lost = isLost ? { engineMs: usesEngine(job, step) ? spentMs : 0, bytes: bytesIn } : nothingMeasured.lost
  const { engineMs, bytes, speechMs = 0 } = measured.lost
  job.measured = {
    ...measured,
    claimedAt: null,
    stepMs: { ...measured.stepMs, [step]: (measured.stepMs[step] ?? 0) + spentMs },
    bytesIn: measured.bytesIn + bytesIn,
    lost: {
      engineMs: engineMs + lost.engineMs,
      bytes: bytes + lost.bytes,
      ...(isOfSpeech(step) && { speechMs: speechMs + lost.engineMs }),
    },
  }
}

/** Recognition reads stored audio, and a delivery stored media. */
const downloads = (step: Step): boolean => step !== 'recognize' && step !== 'deliver'

/** What a job has taken of engines, or of Workers AI, and of the network or the storage, without what our faults have lost. */
export const workOf = (job: JobRow): { engineMs: number; bytes: number } => {
  const { stepMs, bytesIn, lost } = job.measured
  const engineMs = containerSteps
    .filter((step) => usesEngine(job, step))
    .reduce((sum, step) => sum + (stepMs[step] ?? 0), 0)
  return {
    engineMs: engineMs - lost.engineMs,
    bytes: Math.max(bytesIn - lost.bytes, job.kind === 'import' ? (job.carry?.billedBytes ?? 0) : 0),
  }
}

/** A copy to a bucket, and recognition by the caller's own provider, are made by the Worker. */
const usesEngine = (job: JobRow, step: Step): boolean =>
  step !== 'deliver' && (step !== 'recognize' || providerOf(job) === 'builtin')

const providerOf = (job: JobRow) => (job.kind === 'import' ? job.request.transcribe?.provider : job.request.provider)

/** What the speech of an import has taken of engines, when it has failed. From then on it is no work of the job. */
export const endSpeechWork = (job: JobRow): { engineMs: number; bytes: number } => {
  const { stepMs, lost } = job.measured
  const steps = containerSteps.filter((step) => isOfSpeech(step) && usesEngine(job, step))
  const engineMs = steps.reduce((sum, step) => sum + (stepMs[step] ?? 0), -(lost.speechMs ?? 0))
  job.measured = { ...job.measured, lost: { ...lost, engineMs: lost.engineMs + engineMs } }
  return { engineMs, bytes: 0 }
}

export const copiedBytes = (job: Job): number =>
  job.kind === 'import' && job.result?.bucket ? job.result.fileSizeBytes : 0

export const endedJobOf = (job: JobRow): EndedJob | null => {
  const { stepMs, bytesIn, endNumber, requestId, readBy } = job.measured
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
    version: (readBy ?? job.result?.readBy ?? job.carry?.readBy)?.extractorVersion ?? '',
  }
}

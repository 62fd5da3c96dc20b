import { HaulJobError, type ImportResult, type StartedJob, type TranscriptionResult } from '../src/index.ts'
import type { Session } from './session.ts'
import { printJson, printLine } from './terminal/output.ts'
import { type Progress, progressText } from './terminal/progress.ts'

type Result = ImportResult | TranscriptionResult

export const withProgress = async <T>(
  { progress }: Session,
  stage: string,
  work: (onProgress: (next: Progress) => void) => Promise<T>,
): Promise<T> => {
  const since = performance.now()
  const onProgress = (next: Progress) =>
    progress.show((maxColumns) => progressText(next, (performance.now() - since) / 1_000, maxColumns))
  onProgress({ stage })
  try {
    return await work(onProgress)
  } finally {
    progress.end()
  }
}

/** Waits for a job with `haul.jobs.wait` and shows its progress. Ctrl-C cancels the job if this command has started it. */
export const followJob = async <R extends Result>(
  session: Session,
  jobId: string,
  { isOwn }: { isOwn: boolean },
): Promise<R> => {
  const { haul, signal, isJson } = session
  try {
    const result: Result = await withProgress(session, 'queued', (onProgress) =>
      haul.jobs.wait(jobId, { signal, cancelOnAbort: isOwn, onProgress }),
    )
    return result as R
  } catch (error) {
    if (signal.aborted && isOwn) await sayWhetherCanceled(session, jobId)
    if (isJson && error instanceof HaulJobError) await printJson(await haul.jobs.get(jobId))
    throw error
  }
}

const CANCELED_MS = 3_000

/** The job may have ended at the same moment, or the service may not have been reached. */
const sayWhetherCanceled = async ({ haul, note }: Session, jobId: string): Promise<void> => {
  const job = await haul.jobs.get(jobId, { timeoutMs: CANCELED_MS }).catch(() => null)
  if (job?.status === 'completed') note(`${jobId} had completed already.`)
  else note(job?.status === 'failed' ? `${jobId} is canceled.` : `${jobId} may still run: haul cancel ${jobId}`)
}

/** For `--no-wait`. Only the id is printed, so that scripts can use it. */
export const printStarted = (session: Session, started: StartedJob): Promise<void> =>
  session.print(started, () => printLine(started.jobId))

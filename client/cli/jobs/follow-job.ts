import { HaulJobError, type ImportResult, type StartedJob, type TranscriptionResult } from '../../src/index.ts'
import type { Session } from '../session.ts'
import { type Progress, progressText } from '../terminal/progress-text.ts'
import { printJson, printLine } from '../terminal/stdout.ts'

type Result = ImportResult | TranscriptionResult

/** What a command line does about the end of a job: another command may have started it. */
export interface FollowedJob<R extends Result> {
  jobId: string
  result: R
}

/** Shows progress on stderr while the work runs. */
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

/** Follows a job to its end. Ctrl-C cancels it if this command has started it. */
export const followJob = async <R extends Result>(
  session: Session,
  jobId: string,
  { isOwn }: { isOwn: boolean },
): Promise<FollowedJob<R>> => {
  const { haul, signal, isJson } = session
  try {
    const result = await withProgress(session, 'queued', (onProgress) =>
      haul.jobs.wait(jobId, { signal, cancelOnAbort: isOwn, onProgress }),
    )
    return { jobId, result: result as unknown as R }
  } catch (error) {
    if (isJson && error instanceof HaulJobError) await printJson(await haul.jobs.get(jobId))
    throw error
  }
}

/** `--no-wait`: the id is all that is printed, so that it can be used in a script. */
export const printStarted = (session: Session, started: StartedJob): Promise<void> =>
  session.print(started, () => printLine(started.jobId))

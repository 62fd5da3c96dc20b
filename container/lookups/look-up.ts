import type { Egress } from '../egress/egress.ts'
import { failedOutcome, SourceFailure } from '../failures.ts'
import { errorFields } from '../log.ts'
import { SourceRefused } from '../source/routes/source-refused.ts'
import { type SharedTools, untilServed, type Workspace } from '../source/routes/until-served.ts'

/**
 * The answer to a request outside of any job, with the bytes that were read from its source. Its signal aborts when its
 * time is over, or when its caller is gone. `url`: null if its file is in our own storage.
 */
export const lookUp = async <T>(
  url: string | null,
  tools: SharedTools,
  signal: AbortSignal,
  work: (workspace: Workspace) => Promise<T>,
): Promise<(T | ReturnType<typeof failedOutcome>) & { readBytes: number }> => {
  const egresses: Egress[] = []
  const answer = await untilServed({
    ...{ url, tools, signal },
    work: (workspace) => {
      egresses.push(workspace.egress)
      return work(workspace)
    },
  }).catch((error) => failedOutcome(failureOf(error, tools, signal)))
  return { ...answer, readBytes: egresses.reduce((sum, { readBytes }) => sum + readBytes, 0) }
}

const failureOf = (error: unknown, { log }: SharedTools, signal: AbortSignal): SourceFailure => {
  // There was no time for another try.
  if (error instanceof SourceRefused) return error
  if (signal.aborted) return new SourceFailure('TIMED_OUT')
  if (error instanceof SourceFailure) return error
  log('look-up failed', errorFields(error))
  return new SourceFailure('INTERNAL')
}

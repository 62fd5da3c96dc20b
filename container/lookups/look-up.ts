import { failedOutcome, SourceFailure } from '../failures.ts'
import { errorFields } from '../log.ts'
import type { Lister } from '../source/list/list-source.ts'
import type { Extractor } from '../source/resolve.ts'
import { type SharedTools, type Workspace, withWorkspace } from '../steps/run.ts'

export type LookupTools = SharedTools & { extractor: Extractor & Lister }

/** The answer to a request outside of any job. Its signal aborts when its time is over, or when its caller is gone. */
export const lookUp = async <T>(
  tools: SharedTools,
  signal: AbortSignal,
  work: (workspace: Workspace) => Promise<T>,
): Promise<T | ReturnType<typeof failedOutcome>> => {
  try {
    return await withWorkspace(tools, signal, work)
  } catch (error) {
    if (signal.aborted) return failedOutcome(new SourceFailure('TIMED_OUT'))
    if (error instanceof SourceFailure) return failedOutcome(error)
    tools.log('look-up failed', errorFields(error))
    return failedOutcome(new SourceFailure('INTERNAL'))
  }
}

import type { Egress } from '../egress/egress.ts'
import { failedOutcome, SourceFailure } from '../failures.ts'
import { errorFields } from '../log.ts'
import { type SharedTools, type Workspace, withWorkspace } from '../steps/run.ts'

/**
 * The answer to a request outside of any job, with the bytes that were read from its source. Its signal aborts when its
 * time is over, or when its caller is gone.
 */
export const lookUp = async <T>(
  tools: SharedTools,
  signal: AbortSignal,
  work: (workspace: Workspace) => Promise<T>,
): Promise<(T | ReturnType<typeof failedOutcome>) & { readBytes: number }> => {
  let egress: Egress | null = null
  const answer = await withWorkspace(tools, signal, (workspace) => {
    egress = workspace.egress
    return work(workspace)
  }).catch((error) => failedOutcome(failureOf(error, tools, signal)))
  return { ...answer, readBytes: (egress as Egress | null)?.readBytes ?? 0 }
}

const failureOf = (error: unknown, { log }: SharedTools, signal: AbortSignal): SourceFailure => {
  if (signal.aborted) return new SourceFailure('TIMED_OUT')
  if (error instanceof SourceFailure) return error
  log('look-up failed', errorFields(error))
  return new SourceFailure('INTERNAL')
}

import { isTerminal, type Job } from '../../../../domain/jobs/job.ts'
import type { JobSnapshot } from '../../../account/calls.ts'
import { nextChange } from '../../jobs/follow-job.ts'
import { account, identity } from '../../request-context.ts'
import { asRefused, type RefusedRequest } from '../api-calls.ts'
import type { ToolCall } from '../tool.ts'

export type JobAnswer = { ok: true; snapshot: JobSnapshot } | { ok: false; refused: RefusedRequest }

/** Counts as GET /jobs/{id}, whose response would contain the whole transcript. */
export const readJob = async ({ c }: ToolCall, jobId: string): Promise<JobAnswer> => {
  const { result } = await account(c).read({ ...identity(c), rateClass: 'status' }, jobId, null)
  return result.ok ? { ok: true, snapshot: result.value } : { ok: false, refused: asRefused(result.refusal) }
}

/** A client that has given up is noticed after this. */
const LONGEST_SLEEP_MS = 5_000

/** The job when it has ended, or as it is when the time of the call is over. */
export const waitForEnd = async (call: ToolCall, first: JobSnapshot): Promise<Job> => {
  let snapshot = first
  while (!isTerminal(snapshot.job.state) && Date.now() < call.deadline && !call.signal.aborted) {
    await call.report(progressOf(snapshot.job))
    const change = await nextChange(call.c, snapshot, Math.min(LONGEST_SLEEP_MS, call.deadline - Date.now()))
    if (change === null) break
    if (change !== 'unchanged') snapshot = change
  }
  return snapshot.job
}

/** `downloading, 42 %`. */
export const progressOf = ({ state, progress }: Job): string => {
  if (state !== 'running' || !progress) return state
  return progress.percent === null ? progress.stage : `${progress.stage}, ${Math.floor(progress.percent)} %`
}

import type { Context } from 'hono'
import { isTerminal } from '../../../domain/jobs/job.ts'
import type { JobSnapshot } from '../../account/calls.ts'
import { account, type HttpEnv } from '../request-context.ts'

/**
 * The account is asked again and again, because an object that waits is billed for the whole time, and a call to it is
 * not. The interval grows with the age of the job, so that the end of a short job is noticed at once and a long wait
 * takes few calls: docs/cost.md has the count.
 */
const FIRST_INTERVAL_MS = 50
const LONGEST_INTERVAL_MS = 2_500
const SHARE_OF_AGE = 0.3
/** An invocation may make 10,000 calls. So a stream over the eight hours of the longest job makes fewer than 3,000. */
const SHARE_OF_LONG_JOBS = 0.001

export const intervalMs = (ageMs: number): number =>
  Math.min(LONGEST_INTERVAL_MS, Math.max(FIRST_INTERVAL_MS, ageMs * SHARE_OF_AGE)) + ageMs * SHARE_OF_LONG_JOBS

/** The job when it has ended, or as it is after `waitMs`. */
export const whenEnded = async (c: Context<HttpEnv>, first: JobSnapshot, waitMs: number): Promise<JobSnapshot> => {
  const until = Date.now() + waitMs
  let snapshot = first
  while (!isTerminal(snapshot.job.state) && Date.now() < until) {
    const change = await nextChange(c, snapshot, until - Date.now())
    if (change === null || change === 'unchanged') break
    snapshot = change
  }
  return snapshot
}

/**
 * Resolves with the next change of a job. 'unchanged': there was none within `waitMs`. null: the job is gone, or the
 * key was revoked meanwhile.
 */
export const nextChange = async (
  c: Context<HttpEnv>,
  { job, version }: JobSnapshot,
  waitMs: number,
): Promise<JobSnapshot | 'unchanged' | null> => {
  const until = Date.now() + waitMs
  for (;;) {
    const now = Date.now()
    await scheduler.wait(Math.min(until - now, intervalMs(now - job.createdAt)))
    const change = await account(c).changeSince(c.var.caller.keyHash, job.id, version)
    if (change !== 'unchanged' || Date.now() >= until) return change
  }
}

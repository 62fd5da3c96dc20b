import type { Context } from 'hono'
import { isTerminal } from '../../../domain/jobs/job.ts'
import type { JobSnapshot } from '../../account/calls.ts'
import { account, type HttpEnv } from '../request-context.ts'

/**
 * The account is polled, because an object that waits is billed for the whole time, and a call is not. The interval grows
 * with the age of the job: short jobs are noticed at once, and long waits take few calls. docs/cost.md has the count.
 */
const FIRST_INTERVAL_MS = 50
const LONGEST_INTERVAL_MS = 2_500
const SHARE_OF_AGE = 0.3
/** An invocation may make 10,000 calls. So a stream over the eight hours of the longest job makes fewer than 3,000. */
const SHARE_OF_LONG_JOBS = 0.001

export const intervalMs = (ageMs: number): number =>
  Math.min(LONGEST_INTERVAL_MS, Math.max(FIRST_INTERVAL_MS, ageMs * SHARE_OF_AGE)) + ageMs * SHARE_OF_LONG_JOBS

interface FollowOptions {
  until?: number
  signal?: AbortSignal
  /** Without a change for so long, the same snapshot is yielded again. */
  repeatMs?: number
}

/** A job as it is, and after each change until its end. Ends early if the job is gone or the key was revoked. */
export async function* changesOf(
  c: Context<HttpEnv>,
  first: JobSnapshot,
  { until = Infinity, signal, repeatMs = Infinity }: FollowOptions,
): AsyncGenerator<JobSnapshot> {
  yield first
  let snapshot = first
  let yieldedAt = Date.now()
  while (!isTerminal(snapshot.job.state) && Date.now() < until) {
    const { job, version } = snapshot
    const now = Date.now()
    const nextAt = Math.min(until, yieldedAt + repeatMs, now + intervalMs(now - job.createdAt))
    await waitUnlessAborted(nextAt - now, signal)
    if (signal?.aborted) return
    const change = await account(c).changeSince(c.var.caller.keyHash, job.id, version)
    if (change === null) return
    if (change !== 'unchanged') snapshot = change
    else if (Date.now() < yieldedAt + repeatMs) continue
    yield snapshot
    yieldedAt = Date.now()
  }
}

/** The job when it has ended, or as it is after `waitMs`. */
export const whenEnded = async (c: Context<HttpEnv>, first: JobSnapshot, waitMs: number): Promise<JobSnapshot> => {
  let last = first
  for await (const snapshot of changesOf(c, first, { until: Date.now() + waitMs })) last = snapshot
  return last
}

export const waitUnlessAborted = async (ms: number, signal?: AbortSignal): Promise<void> => {
  await scheduler.wait(Math.max(0, ms), signal && { signal }).catch(() => {})
}

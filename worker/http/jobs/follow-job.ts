import type { Context } from 'hono'
import { isTerminal } from '../../../domain/jobs/job.ts'
import type { JobSnapshot } from '../../account/calls.ts'
import type { HttpEnv } from '../request-context.ts'
import { Watch } from '../watch.ts'

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
  let snapshot = first
  const watch = new Watch(c, () => ({ subject: first.job.id, seen: snapshot.version, streamId: null }))
  try {
    yield first
    let yieldedAt = Date.now()
    while (!isTerminal(snapshot.job.state) && Date.now() < until) {
      const message = await watch.next(Math.min(until, yieldedAt + repeatMs), signal)
      if (signal?.aborted || message === 'over') return
      const told: JobSnapshot = message === null ? snapshot : JSON.parse(message)
      if (told.version !== snapshot.version) snapshot = told
      else if (Date.now() < yieldedAt + repeatMs) continue
      yield snapshot
      yieldedAt = Date.now()
    }
  } finally {
    watch.close()
  }
}

/** The job when it has ended, or as it is after `waitMs`. */
export const whenEnded = async (c: Context<HttpEnv>, first: JobSnapshot, waitMs: number): Promise<JobSnapshot> => {
  let last = first
  for await (const snapshot of changesOf(c, first, { until: Date.now() + waitMs })) last = snapshot
  return last
}

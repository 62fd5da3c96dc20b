import type { RefusalCode, Result } from '../../../domain/codes/refusals.ts'
import { isTerminal, type Job } from '../../../domain/jobs/job.ts'
import { sha256Hex } from '../../../domain/secrets/api-keys.ts'
import type { JobSnapshot } from '../../account/calls.ts'
import { changesOf } from '../follow.ts'
import { account, identity } from '../request-context.ts'
import type { Answer } from './answer.ts'
import { jobAnswer, progressOf, unreadAnswer } from './job-answer.ts'
import { refusedAnswer } from './problems.ts'
import type { ToolCall } from './tool.ts'

/** A completed job of the same call is the answer for this long. */
const REUSE_SECONDS = 3_600
/** After so many ended jobs of the same call within a day, a call starts a job without looking for a live one. */
const MAX_ENDED = 5
/** After these refusals, the same key may get a job a moment later. */
const passing: ReadonlySet<RefusalCode> = new Set<RefusalCode>(['IDEMPOTENCY_IN_PROGRESS', 'SERVICE_UNAVAILABLE'])
/** Each retry counts as a start. */
const RETRY_MS = 2_000
/** The clocks of the Worker and of the account may differ. */
const CLOCK_DIFFERENCE_MS = 2_000

/**
 * Starts a job, unless the same call has started one that still runs, or that completed within the hour: clients repeat
 * calls that took too long, and agents forget. The Idempotency-Key follows from the arguments. If its job has failed, lacks a file
 * that another attempt may get, was removed or is too old, the next key follows from the arguments and that job. So two calls
 * at once get one job, too.
 */
export const startAndFollow = async (call: ToolCall, path: string, request: object): Promise<Answer> => {
  const body = { ...request, reuseWithinSeconds: REUSE_SECONDS }
  const seed = JSON.stringify([path, body])
  let ended = ''
  for (let count = 0; ; ) {
    const idempotencyKey = count < MAX_ENDED ? `mcp-${await sha256Hex(`${seed}${ended}`)}` : null
    const started = await call.api('POST', path, { body, idempotencyKey })
    if (!started.ok) {
      const mayPass = idempotencyKey !== null && passing.has(started.refusal.code)
      if (!mayPass || Date.now() >= call.deadline) return refusedAnswer(started.refusal)
      await scheduler.wait(RETRY_MS)
      continue
    }
    const { jobId } = started.value
    const read = await readJob(call, jobId)
    if (!read.ok) return unreadAnswer(jobId, read.refusal)
    const { job } = read.value
    const isEarlier = job.createdAt < call.startedAt - CLOCK_DIFFERENCE_MS
    if (!isEarlier || isStillGood(job, call.startedAt)) {
      return jobAnswer(call, await waitForEnd(call, read.value), { isEarlier })
    }
    ended = job.id
    count++
  }
}

const isStillGood = ({ state, completedAt, removedAt, parts = [] }: Job, now: number): boolean => {
  if (!isTerminal(state)) return true
  const canBeMended = parts.some((part) => part.state === 'failed' && part.failure.retryable)
  const isRecent = (completedAt ?? 0) >= now - REUSE_SECONDS * 1_000
  return state === 'completed' && removedAt === null && isRecent && !canBeMended
}

/** Counts as GET /jobs/{id}, whose response would contain the whole transcript. */
export const readJob = async ({ c }: ToolCall, jobId: string): Promise<Result<JobSnapshot>> =>
  (await account(c).read({ ...identity(c), rateClass: 'status' }, jobId, null)).result

/** How often the client is told that the call goes on. */
const REPORT_MS = 5_000

export const waitForEnd = async (call: ToolCall, first: JobSnapshot): Promise<Job> => {
  let { job } = first
  const options = { until: call.deadline, signal: call.signal, repeatMs: REPORT_MS }
  for await (const snapshot of changesOf(call.c, first, options)) {
    job = snapshot.job
    if (!isTerminal(job.state)) await call.report(progressOf(job))
  }
  return job
}

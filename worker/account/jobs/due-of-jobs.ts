import { failure } from '../../../domain/codes/failures.ts'
import { RESEND_BACKOFF } from '../../../domain/limits.ts'
import { backoffMs } from '../../../domain/retry.ts'
import type { Again, DueContext } from '../due/due.ts'
import type { DueRow } from '../due/due-rows.ts'
import { fail } from './endings.ts'
import { deadlineOf, isLive, limitOf, readJob, withoutJobLease } from './job-rows.ts'
import { endedJobOf } from './measured.ts'
import { expireLease } from './steps.ts'

/** Sends the message of a job's step, again and again until the step is claimed. */
export const sendStep = async (context: DueContext, row: DueRow, attempt: number): Promise<Again> => {
  const { rows, targets } = context
  const job = readJob(rows.sql, row.ref)
  if (!job?.step) return
  const deadline = deadlineOf(job)
  if (deadline <= Date.now()) return endLimit(context, row)
  await targets.sendStep(rows.account.id, withoutJobLease(job), job.step, job.diskBytes)
  return Math.min(Date.now() + backoffMs(attempt, RESEND_BACKOFF), deadline)
}

export const endLimit = async ({ rows, act }: DueContext, { ref }: DueRow): Promise<Again> =>
  act((now) => {
    const job = rows.findJob(ref)
    if (!job || !isLive(job)) return
    if (deadlineOf(job) <= now) fail({ rows, now }, job, failure('TIMED_OUT'))
    else expireLease(rows, job, now)
    return limitOf(job)
  })

export const recordEnd = async ({ rows, targets }: DueContext, { ref }: DueRow): Promise<Again> => {
  const job = readJob(rows.sql, ref)
  if (!job) return
  await Promise.all([
    targets.recordJob(rows.account.id, withoutJobLease(job)),
    rows.reports.send(rows.account, targets, { ended: endedJobOf(job), ref }),
  ])
}

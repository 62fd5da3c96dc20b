import { failure } from '../../../domain/codes/failures.ts'
import { JOB_DEADLINE_MS, resendAt } from '../../../domain/limits.ts'
import type { Due, DueContext } from '../due/due.ts'
import type { DueSource } from '../due/scheduler.ts'
import { fail } from './endings.ts'
import { isLive, type JobRow, withoutJobLease } from './job-rows.ts'
import { recordEnd } from './records.ts'
import { expireLease } from './steps.ts'
import { sweep } from './sweep.ts'

/**
 * What the rows of jobs say is to be done: the message of a step; D1's row of a job that has ended; the end of a lease or of
 * the job's time; a report of what is held while jobs take long.
 */
export const dueOfJobs =
  (historyMs: number): DueSource =>
  (context, now) => {
    const { rows } = context
    const ofJobs = rows.openJobIds.flatMap((jobId): Due[] => {
      const job = rows.readJob(jobId)
      if (!job) return [{ key: `gone ${jobId}`, at: now, lane: 'acts', run: async () => rows.closeJob(jobId) }]
      if (!isLive(job)) return [record(context, job)]
      return [...(job.stepDueAt === null ? [] : [message(context, job, job.stepDueAt)]), timeLimit(context, job)]
    })
    return [...ofJobs, ...heldReport(context), ...sweepOf(context, historyMs)]
  }

/** Every claim has its own lease number, so the message after it is another one. */
const stepOf = ({ id, step, leaseNumber, stepDueAt }: JobRow): string =>
  `step ${id} ${step} ${leaseNumber} ${stepDueAt}`

const message = ({ rows, targets }: DueContext, job: JobRow, at: number): Due => ({
  key: stepOf(job),
  at,
  lane: 'steps',
  run: async () => {
    const latest = rows.readJob(job.id)
    if (!latest?.step || stepOf(latest) !== stepOf(job)) return
    await targets.sendStep(rows.account.id, withoutJobLease(latest), latest.step, latest.diskBytes)
    return resendAt(at, Date.now())
  },
})

const endOf = ({ id, state, removedAt }: JobRow): string => `record ${id} ${state} ${removedAt}`

/** An ended job is open until its end is in D1 and in the metrics. */
const record = (context: DueContext, job: JobRow): Due => {
  const { rows } = context
  const key = endOf(job)
  const run = async () => {
    await recordEnd(context, job, key)
    const latest = rows.readJob(job.id)
    // Its media may have been removed while it was being recorded.
    if (latest && endOf(latest) === key) rows.closeJob(job.id)
  }
  return { key, at: job.createdAt, lane: 'records', run }
}

/** So that the metrics object knows what is held, and when to wake the account, while a job takes long. */
const heldReport = ({ rows, targets, nextAt }: DueContext): Due[] => {
  const { account, reports } = rows
  const openSince = rows.readOpenJobs().find(isLive)?.createdAt ?? null
  const { version } = account.totals
  const due: Due[] = []
  const at = reports.dueAt(account, openSince)
  if (at !== null) {
    const key = `held ${version} ${at}`
    const run = () => reports.send(account, { ended: null, nextAt: nextAt(key) }, targets.report)
    due.push({ key, at, lane: 'reports', run })
  }
  const noteAt = reports.noteDueAt(account, openSince)
  if (noteAt !== null) {
    const run = () => reports.note(account, targets.noteHeld)
    due.push({ key: `note ${version}`, at: noteAt, lane: 'notes', run })
  }
  return due
}

const timeLimit = ({ rows, act }: DueContext, { id, leaseUntil, createdAt }: JobRow): Due => {
  const deadline = createdAt + JOB_DEADLINE_MS
  const at = Math.min(leaseUntil ?? deadline, deadline)
  const run = async () =>
    act((now) => {
      const job = rows.findJob(id)
      if (!job || !isLive(job)) return
      if (job.createdAt + JOB_DEADLINE_MS <= now) fail(rows, job, failure('TIMED_OUT'), now)
      else expireLease(rows, job, now)
    })
  return { key: `limit ${id} ${at}`, at, lane: 'acts', run }
}

const sweepOf = ({ rows, act }: DueContext, historyMs: number): Due[] => {
  const { sweepAt } = rows.account
  if (sweepAt === null) return []
  const run = async () => (act((now) => sweep(rows, historyMs, now)) ? undefined : Date.now())
  return [{ key: `sweep ${sweepAt}`, at: sweepAt, lane: 'acts', run }]
}

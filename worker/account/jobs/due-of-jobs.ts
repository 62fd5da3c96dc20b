import { failure } from '../../../domain/codes/failures.ts'
import { JOB_DEADLINE_MS, resendAt } from '../../../domain/limits.ts'
import type { AccountReport, EndedJob } from '../../../domain/metrics/account-report.ts'
import type { AccountRows } from '../account-rows.ts'
import type { Due, DueContext } from '../due/due.ts'
import type { DueSource } from '../due/scheduler.ts'
import { fail } from './endings.ts'
import { isLive, type JobRow, withoutJobLease } from './job-rows.ts'
import { endedJobOf } from './measured.ts'
import { expireLease } from './steps.ts'
import { sweep } from './sweep.ts'

/** Holds grow while bytes arrive, and nobody needs to know of each step. */
const HELD_REPORT_MS = 10_000

/**
 * What the rows of jobs say is to be done: the message of a step; the job's row in D1 and the account's report to the metrics
 * object, when it is accepted and when it ends; the end of a lease or of the job's time. D1 has no row between the two,
 * because lists take the state of open jobs from the account.
 */
export const dueOfJobs = (historyMs: number): DueSource => {
  /** The version of the totals in the last report, and when it was made. */
  let reported = { version: -1, at: 0 }

  const reportOf = ({ account: { id, totals, held } }: AccountRows, ended: EndedJob | null): AccountReport => {
    reported = { version: totals.version, at: Date.now() }
    return { accountId: id, totals, heldMicros: held, ended }
  }

  const record = ({ rows, targets, act }: DueContext, job: JobRow): Due => ({
    key: recordOf(job),
    at: job.createdAt,
    lane: 'records',
    run: async () => {
      const report = reportOf(rows, endedJobOf(job))
      await targets.recordJob(report.accountId, withoutJobLease(job), report)
      rows.recordedJobs.add(job.id)
      const latest = rows.readJob(job.id)
      // It may have changed while it was being recorded.
      if (latest && !isLive(latest) && recordOf(latest) === recordOf(job)) close(rows, act, job.id)
    },
  })

  const isHeldUnreported = ({ account: { openJobs, totals } }: AccountRows, now: number): boolean =>
    openJobs.length > 0 && totals.version !== reported.version && now - reported.at >= HELD_REPORT_MS

  /** Tried once: the report of a job's acceptance or end also says what is held. */
  const heldReport = ({ rows, targets }: DueContext, now: number): Due[] => {
    const run = async () => {
      if (isHeldUnreported(rows, Date.now())) await targets.reportHeld(reportOf(rows, null))
    }
    const key = `held ${rows.account.totals.version}`
    return isHeldUnreported(rows, now) ? [{ key, at: now, lane: 'records', run }] : []
  }

  return (context, now) => {
    const { rows, act } = context
    const ofJobs = rows.account.openJobs.flatMap((jobId): Due[] => {
      const job = rows.readJob(jobId)
      if (!job) return [{ key: `gone ${jobId}`, at: now, lane: 'acts', run: async () => close(rows, act, jobId) }]
      return [
        ...(job.stepDueAt === null ? [] : [message(context, job, job.stepDueAt)]),
        ...(isLive(job) ? [timeLimit(context, job)] : []),
        ...(isLive(job) && job.isRecorded ? [] : [record(context, job)]),
      ]
    })
    return [...ofJobs, ...heldReport(context, now), ...sweepOf(context, historyMs)]
  }
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

const recordOf = (job: JobRow): string =>
  `record ${job.id} ${isLive(job) ? 'accepted' : `${job.state} ${job.removedAt}`}`

/** An ended job is open until its end is in D1 and in the metrics. */
const close = (rows: AccountRows, act: DueContext['act'], jobId: string): void => {
  act(() => {
    rows.account.openJobs = rows.account.openJobs.filter((openId) => openId !== jobId)
  })
  rows.recordedJobs.delete(jobId)
  rows.progress.forget(jobId)
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

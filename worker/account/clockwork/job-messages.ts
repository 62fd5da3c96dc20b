import { lanes } from '../../../domain/lanes.ts'
import { RESEND_MS } from '../../../domain/limits.ts'
import type { AccountReport, EndedJob } from '../../../domain/metrics/account-report.ts'
import { backoffMs } from '../../../domain/retry.ts'
import type { AccountRows } from '../account-rows.ts'
import { isLive, type JobRow, withoutJobLease } from '../jobs/job-rows.ts'
import { endedJobOf } from '../jobs/measured.ts'
import { type OutboxTargets, retryBackoff } from './outbox.ts'
import { Sequence } from './sequence.ts'

interface Sent {
  /** Names what was sent: a change of the job makes it another one. */
  what: string
  /** When it is sent again: a message if it was not claimed, or either if it failed. */
  againAt: number
  failures: number
}

/** Holds grow while bytes arrive, and nobody needs to know of each step. */
const HELD_REPORT_MS = 10_000

/** At once. An object may have six connections open, and the outbox and the turns of batches use three of them. */
const STEP_LANES = 3
/** Calls of D1 and of other objects are no connections. */
const RECORD_LANES = 6

const never = Number.POSITIVE_INFINITY

/**
 * The messages that a job's row itself says are to be sent: its step's message; its row in D1 and the account's report to
 * the metrics object when it is accepted and when it ends. That they were sent is kept in memory and costs no row; after
 * an eviction of the object they may be sent again. D1 has no row between the two, because lists take the state of open
 * jobs from here.
 */
export class JobMessages {
  readonly #rows: AccountRows
  readonly #targets: OutboxTargets
  readonly #commit: (act: () => void) => void
  readonly #steps = new Map<string, Sent>()
  readonly #records = new Map<string, Sent>()
  /** The version of the totals in the last report, and when it was made. */
  #reported = { version: -1, at: 0 }
  readonly #stepFlushes = new Sequence()
  readonly #recordFlushes = new Sequence()

  constructor(rows: AccountRows, targets: OutboxTargets, commit: (act: () => void) => void) {
    this.#rows = rows
    this.#targets = targets
    this.#commit = commit
  }

  /** When the alarm sends something for the job. What is due now is being sent, and the alarm makes sure of it. */
  nextAt(job: JobRow, now: number): number {
    return Math.min(...[this.#stepAt(job), this.#recordAt(job)].map((at) => (at <= now ? now + RESEND_MS : at)))
  }

  /** Resolves when every step's message that was due at the call has been tried. It waits for no record. */
  flushSteps(): Promise<void> {
    return this.#stepFlushes.run(async () => {
      const { openJobs } = this.#rows.account
      for (const jobId of this.#steps.keys()) if (!openJobs.includes(jobId)) this.#steps.delete(jobId)
      await lanes(STEP_LANES, openJobs, async (jobId) => {
        const job = this.#rows.readJob(jobId)
        if (job && this.#stepAt(job) <= Date.now()) await this.#sendStep(job)
      })
    })
  }

  /** Resolves when every record that was due at the call has been tried: with whether there was any. */
  flushRecords(): Promise<boolean> {
    return this.#recordFlushes.run(async () => {
      let isAny = false
      await lanes(RECORD_LANES, this.#rows.account.openJobs, async (jobId) => {
        const job = this.#rows.readJob(jobId)
        if (job && this.#recordAt(job) <= Date.now()) {
          isAny = true
          await this.#record(job)
        }
        this.#closeIfRecorded(jobId)
      })
      await this.#reportHeld()
      return isAny
    })
  }

  #stepAt(job: JobRow): number {
    if (job.stepDueAt === null) return never
    const sent = this.#steps.get(job.id)
    return sent?.what === stepOf(job) ? sent.againAt : job.stepDueAt
  }

  #recordAt(job: JobRow): number {
    if (isLive(job) && job.isRecorded) return never
    const sent = this.#records.get(job.id)
    return sent?.what === recordOf(job) ? sent.againAt : 0
  }

  async #sendStep(job: JobRow): Promise<void> {
    const { step, diskBytes } = job
    if (step === null) return
    const send = () => this.#targets.sendStep(this.#rows.account.id, withoutJobLease(job), step, diskBytes)
    await this.#try(this.#steps, job.id, stepOf(job), RESEND_MS, send)
  }

  async #record(job: JobRow): Promise<void> {
    const report = this.#report(endedJobOf(job))
    const send = () => this.#targets.recordJob(report.accountId, withoutJobLease(job), report)
    const isSent = await this.#try(this.#records, job.id, recordOf(job), never, send)
    if (isSent) this.#rows.recordedJobs.add(job.id)
  }

  #report(ended: EndedJob | null): AccountReport {
    const { id, totals, held } = this.#rows.account
    this.#reported = { version: totals.version, at: Date.now() }
    return { accountId: id, totals, heldMicros: held, ended }
  }

  /** Tried once: the report of the job's end also says what is held. */
  async #reportHeld(): Promise<void> {
    const { openJobs, totals } = this.#rows.account
    const { version, at } = this.#reported
    if (openJobs.length === 0 || totals.version === version || Date.now() - at < HELD_REPORT_MS) return
    try {
      await this.#targets.reportHeld(this.#report(null))
    } catch (cause) {
      console.warn('the held money was not reported', `${cause}`)
    }
  }

  async #try(
    log: Map<string, Sent>,
    jobId: string,
    what: string,
    againMs: number,
    send: () => Promise<void>,
  ): Promise<boolean> {
    const before = log.get(jobId)
    try {
      await send()
      log.set(jobId, { what, againAt: Date.now() + againMs, failures: 0 })
      return true
    } catch (cause) {
      const failures = (before?.what === what ? before.failures : 0) + 1
      console.error('message of a job', what, failures, cause)
      log.set(jobId, { what, againAt: Date.now() + backoffMs(failures, retryBackoff), failures })
      return false
    }
  }

  /** An ended job is open until its end is in D1 and in the metrics. It may have changed while it was being recorded. */
  #closeIfRecorded(jobId: string): void {
    const job = this.#rows.readJob(jobId)
    if (job && (isLive(job) || this.#recordAt(job) !== never)) return
    this.#commit(() => {
      const { account } = this.#rows
      account.openJobs = account.openJobs.filter((openId) => openId !== jobId)
    })
    this.#records.delete(jobId)
    this.#rows.recordedJobs.delete(jobId)
    this.#rows.progress.forget(jobId)
  }
}

/** Every claim has its own lease number, so a message after it is another one. */
const stepOf = ({ step, leaseNumber, stepDueAt }: JobRow): string => `${step} ${leaseNumber} ${stepDueAt}`

const recordOf = (job: JobRow): string => (isLive(job) ? 'accepted' : `${job.state} ${job.removedAt}`)

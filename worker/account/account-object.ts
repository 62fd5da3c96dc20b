import { type Failure, failure } from '../../domain/codes/failures.ts'
import type { Job, JobOutput, Step } from '../../domain/jobs/job.ts'
import { JOB_DEADLINE_MS } from '../../domain/limits.ts'
import type { Micros } from '../../domain/money/money.ts'
import type { Progress } from '../../domain/protocol/protocol.ts'
import { admitItem, claimItem, endOldTurns, refuseItem, reuseItem } from './batches/check-items.ts'
import type { ItemRefusal } from './batches/item-ends.ts'
import type { NewItem } from './batches/item-rows.ts'
import { claimListing, failListing, finishListing, type ListingReport } from './batches/listings.ts'
import type { TurnReport } from './batches/turns.ts'
import type {
  CopyLeaseState,
  CopyPause,
  CopyTask,
  FetchedFile,
  FetchVerdict,
  ItemAdmission,
  ItemTask,
  JobLease,
  ListingTask,
  ProgressAnswer,
  ProgressVerdict,
} from './calls.ts'
import type { Task } from './clockwork/schedule.ts'
import { deleteIdempotency } from './entry/idempotency.ts'
import { ForEventStreams } from './for-event-streams.ts'
import { cleanedUp, requestCleanup, saveNote } from './jobs/bucket-copies.ts'
import * as deliverStep from './jobs/deliver-step.ts'
import * as endings from './jobs/endings.ts'
import { type JobRow, sealedKeyOf, withoutJobLease } from './jobs/job-rows.ts'
import * as steps from './jobs/steps.ts'
import { sweep } from './jobs/sweep.ts'
import { expireUpload } from './uploads/life-of-uploads.ts'
import * as attempts from './webhooks/attempts-and-retries.ts'
import type { ClaimedDelivery, Delivery } from './webhooks/webhook-delivery.ts'

/**
 * One object for each account, which owns the account's jobs and balance. Each method is one transaction:
 * refusals are returned, faults are thrown and roll it back. The rules are in the other files of this folder.
 * The methods here are for the queues, the container and the alarm; the base classes have those for callers
 * and operators. index.ts extends this class with the outbox targets.
 */
export abstract class AccountBase extends ForEventStreams {
  claimDelivery(id: string): Promise<ClaimedDelivery | null> {
    const lease = crypto.randomUUID()
    const random = Math.random()
    return this.state.clockwork.act((now) => attempts.claimDelivery(this.state.rows.sql, { id, lease, random, now }))
  }

  /** Returns the current delivery, even if the report's lease was lost and the report ignored. */
  reportDelivery(report: attempts.AttemptReport): Promise<Delivery | null> {
    const random = Math.random()
    return this.state.clockwork.act((now) => {
      attempts.reportDelivery(this.state.rows.sql, { ...report, random, now })
      return attempts.readDelivery(this.state.rows.sql, report.id)
    })
  }

  countDeadLetter(deliveryId: string): Promise<Delivery | null> {
    return this.state.clockwork.act((now) =>
      attempts.countDeadLetter(this.state.rows.sql, deliveryId, Math.random(), now),
    )
  }

  /**
   * `lease`: the id of the step's place, if the fleet starts it. `leases`: how many the job has had, as far as whoever
   * claims it knows.
   */
  claim(
    jobId: string,
    step: Step,
    lease: string = steps.leaseInWorker(),
    leases?: number,
  ): Promise<steps.Claimed | null> {
    return this.state.clockwork.act((now) => {
      const { rows, leaseMs } = this.state
      return steps.claim(rows, { jobId, step, lease, leases, leaseMs, now })
    })
  }

  postpone(lease: JobLease, postponement: steps.Postponement): Promise<boolean> {
    return this.state.clockwork.act((now) => steps.postpone(this.state.rows, { ...lease, ...postponement, now }))
  }

  giveBack(lease: JobLease, failed: steps.FailedAttempt = {}): Promise<boolean> {
    return this.state.clockwork.act((now) => steps.giveBack(this.state.rows, { ...lease, ...failed, now }))
  }

  /** The sealed provider key of the job. null: the job has none, or the lease is lost. */
  sealedKey(lease: JobLease): Promise<string | null> {
    return this.state.clockwork.act((now) => {
      const job = this.state.rows.findLeasedJob({ ...lease, now })
      return job && sealedKeyOf(this.state.rows.sql, job.batch?.id ?? job.id)
    })
  }

  /** Of a step that the Worker runs itself, which downloads nothing that is charged. */
  async progress(lease: JobLease, report: Progress): Promise<ProgressVerdict> {
    return (await this.reportProgress(lease, report)).verdict
  }

  reportProgress(lease: JobLease, report: Progress): Promise<ProgressAnswer> {
    const { rows, leaseMs, clockwork } = this.state
    return clockwork.act((now) => {
      const answer = steps.progress(rows, { ...lease, report, leaseMs, now })
      if (answer.verdict === 'continue') rows.progress.reported(lease, report)
      return answer
    })
  }

  holdsLease(lease: JobLease): Promise<boolean> {
    return this.state.clockwork.act((now) => this.state.rows.findLeasedJob({ ...lease, now }) !== null)
  }

  /** null: the lease is lost. */
  leasedJob(lease: JobLease): Promise<Job | null> {
    return this.state.clockwork.act((now) => {
      const job = this.state.rows.findLeasedJob({ ...lease, now })
      return job && withoutJobLease(job)
    })
  }

  claimCopy(jobId: string): Promise<CopyTask | null> {
    const lease = steps.leaseInWorker()
    return this.state.clockwork.act((now) =>
      deliverStep.claimCopy(this.state.rows, { jobId, lease, leaseMs: this.state.leaseMs, now }),
    )
  }

  copyLeaseState(lease: JobLease): Promise<CopyLeaseState> {
    return this.state.clockwork.act((now) => deliverStep.copyLeaseState(this.state.rows, { ...lease, now }))
  }

  saveCopy({ jobId, lease }: JobLease, note: string): Promise<CopyLeaseState> {
    return this.state.clockwork.act((now) => {
      const state = deliverStep.copyLeaseState(this.state.rows, { jobId, lease, now })
      saveNote(this.state.rows.sql, { jobId, note, state, now })
      return state
    })
  }

  /** The bucket contains no unfinished upload of this job any more. */
  cleanedUp(jobId: string): Promise<void> {
    return this.state.clockwork.act(() => cleanedUp(this.state.rows.sql, jobId))
  }

  pauseCopy(lease: JobLease, pause: CopyPause): Promise<boolean> {
    return this.state.clockwork.act((now) => deliverStep.pauseCopy(this.state.rows, { ...lease, pause, now }))
  }

  noteUpload(lease: JobLease, upload: { key: string; uploadId: string | null }): Promise<boolean> {
    return this.state.clockwork.act((now) => steps.noteUpload(this.state.rows, { ...lease, ...upload, now }))
  }

  advance(
    lease: JobLease,
    done: { next: Step; carry: Job['carry']; holdMicros: Micros; keys: string[] },
  ): Promise<boolean> {
    return this.state.clockwork.act((now) => steps.advance(this.state.rows, { ...lease, ...done, now }))
  }

  finishFetch(lease: JobLease, file: FetchedFile): Promise<FetchVerdict> {
    return this.state.clockwork.act((now) => steps.finishFetch(this.state.rows, { ...lease, ...file, now }))
  }

  complete(lease: JobLease, done: { finished: JobOutput; charge: Micros; keys: string[] }): Promise<boolean> {
    return this.state.clockwork.act((now) => endings.complete(this.state.rows, { ...lease, ...done, now }))
  }

  failStep(lease: JobLease, reason: Failure): Promise<boolean> {
    return this.state.clockwork.act((now) => endings.failStep(this.state.rows, { ...lease, reason, now }))
  }

  /** The fleet has no place for the step, and never will. */
  refuseStep(jobId: string, step: Step, leases: number, reason: Failure): Promise<boolean> {
    return this.state.clockwork.act((now) => endings.refuseStep(this.state.rows, { jobId, step, leases, reason, now }))
  }

  claimListing(batchId: string): Promise<ListingTask | null> {
    return this.state.clockwork.act((now) => claimListing(this.state.rows, batchId, now))
  }

  finishListing(lease: ListingReport, listed: { title: string | null; items: NewItem[] }): Promise<boolean> {
    return this.state.clockwork.act((now) => finishListing(this.state.rows, lease, listed, now))
  }

  failListing(
    lease: ListingReport,
    reason: Failure,
    { retryAfterMs }: { retryAfterMs?: number } = {},
  ): Promise<boolean> {
    const retry = retryAfterMs === undefined ? {} : { retryAfterMs }
    return this.state.clockwork.act((now) => failListing(this.state.rows, lease, reason, { ...retry, now }))
  }

  claimItem(batchId: string, index: number): Promise<ItemTask | null> {
    return this.state.clockwork.act((now) => claimItem(this.state.rows, batchId, index, now))
  }

  admitItem(lease: TurnReport, admission: ItemAdmission): Promise<boolean> {
    return this.state.clockwork.act((now) => admitItem(this.state.rows, lease, admission, now))
  }

  reuseItem(lease: TurnReport, reuseKey: string): Promise<boolean> {
    return this.state.clockwork.act((now) => reuseItem(this.state.rows, lease, reuseKey, now))
  }

  refuseItem(lease: TurnReport, refusal: ItemRefusal): Promise<boolean> {
    return this.state.clockwork.act((now) => refuseItem(this.state.rows, lease, refusal, now))
  }

  override async alarm(): Promise<void> {
    if (!(await this.state.founding.isAccount())) return
    await this.state.clockwork.tick({
      perform: (task, now) => this.#perform(task, now),
      check: (job, now) => this.#check(job, now),
      advanceBatches: (now) => endOldTurns(this.state.rows, now),
      sweep: (now) => sweep(this.state.rows, this.state.historyMs, now),
    })
  }

  #perform({ kind, ref }: Task, now: number): void {
    const { sql } = this.state.rows
    if (kind === 'delivery') attempts.runDeliveryTask(sql, ref, Math.random(), now)
    else if (kind === 'cleanup') requestCleanup(sql, ref, now)
    else if (kind === 'upload') expireUpload(this.state.rows, ref, now)
    else deleteIdempotency(sql, ref)
  }

  #check(job: JobRow, now: number): void {
    const { rows } = this.state
    if (job.createdAt + JOB_DEADLINE_MS <= now) endings.failLiveJob(rows, job.id, failure('TIMED_OUT'), now)
    else steps.expireLease(rows, job, now)
  }
}

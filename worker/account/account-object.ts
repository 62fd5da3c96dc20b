import { type Failure, failure } from '../../domain/codes/failures.ts'
import type { Job, JobOutput, Step } from '../../domain/jobs/job.ts'
import type { Micros } from '../../domain/money/money.ts'
import type { Progress } from '../../domain/protocol/protocol.ts'
import type { CopyLeaseState, CopyPause, CopyTask, JobLease, ProgressAnswer, ProgressVerdict } from './calls.ts'
import type { Task } from './clockwork/schedule.ts'
import { deleteIdempotency } from './entry/idempotency.ts'
import { ForCallers } from './for-callers.ts'
import { cleanedUp, requestCleanup, saveNote } from './jobs/bucket-copies.ts'
import * as deliverStep from './jobs/deliver-step.ts'
import * as endings from './jobs/endings.ts'
import { findLeasedJob, holdsLease, sealedKeyOf, withoutJobLease } from './jobs/job-rows.ts'
import * as steps from './jobs/steps.ts'
import * as attempts from './webhooks/attempts-and-retries.ts'
import type { ClaimedDelivery, Delivery } from './webhooks/webhook-delivery.ts'

/**
 * One object for each account, which owns the account's jobs and balance. Each method is one transaction:
 * refusals are returned, faults are thrown and roll it back. The rules are in the other files of this folder.
 * The methods here are for the queues, the container and the alarm; the base classes have those for callers
 * and operators. index.ts extends this class with the outbox targets.
 */
export abstract class AccountBase extends ForCallers {
  claimDelivery(id: string): Promise<ClaimedDelivery | null> {
    const lease = crypto.randomUUID()
    const random = Math.random()
    return this.state.clockwork.act((now) => attempts.claimDelivery(this.state.sql, { id, lease, random, now }))
  }

  /** Returns the current delivery, even if the report's lease was lost and the report ignored. */
  reportDelivery(report: attempts.AttemptReport): Promise<Delivery | null> {
    const random = Math.random()
    return this.state.clockwork.act((now) => {
      attempts.reportDelivery(this.state.sql, { ...report, random, now })
      return attempts.readDelivery(this.state.sql, report.id)
    })
  }

  countDeadLetter(deliveryId: string): Promise<void> {
    return this.state.clockwork.act((now) => attempts.countDeadLetter(this.state.sql, deliveryId, Math.random(), now))
  }

  /** `lease`: the id of the place that the fleet gave to the step, if it needs one. */
  claim(jobId: string, step: Step, lease: string = crypto.randomUUID()): Promise<steps.Claimed | null> {
    return this.state.clockwork.act((now) =>
      steps.claim(this.state.sql, { jobId, step, lease, leaseMs: this.state.leaseMs, now }),
    )
  }

  /** The step stands in the fleet's line, which sends its message. The account only looks again much later. */
  waitForPlace(jobId: string, step: Step): Promise<void> {
    return this.state.clockwork.act((now) => steps.waitForPlace(this.state.sql, jobId, step, now))
  }

  postpone(lease: JobLease, postponement: steps.Postponement): Promise<boolean> {
    return this.state.clockwork.act((now) => steps.postpone(this.state.sql, { ...lease, ...postponement, now }))
  }

  giveBack(lease: JobLease, failed: steps.FailedAttempt = {}): Promise<boolean> {
    return this.#endStep(lease.jobId, (now) => steps.giveBack(this.state.sql, { ...lease, ...failed, now }))
  }

  /** The sealed provider key of the job. null: the job has none, or the lease is lost. */
  sealedKey(lease: JobLease): Promise<string | null> {
    return this.state.clockwork.act((now) =>
      holdsLease(this.state.sql, { ...lease, now }) ? sealedKeyOf(this.state.sql, lease.jobId) : null,
    )
  }

  /** Of a step that the Worker runs itself, which downloads nothing that is charged. */
  async progress(lease: JobLease, report: Progress): Promise<ProgressVerdict> {
    return (await this.reportProgress(lease, report)).verdict
  }

  async reportProgress(lease: JobLease, report: Progress): Promise<ProgressAnswer> {
    const answer = await this.state.clockwork.act((now) =>
      steps.progress(this.state.sql, { ...lease, report, leaseMs: this.state.leaseMs, now }),
    )
    if (answer.verdict === 'continue') this.state.watchers.progressed(lease.jobId, report)
    else if (answer.verdict === 'stop') this.state.watchers.stepEnded(lease.jobId)
    return answer
  }

  holdsLease(lease: JobLease): Promise<boolean> {
    return this.state.clockwork.act((now) => holdsLease(this.state.sql, { ...lease, now }))
  }

  /** null: the lease is lost. */
  leasedJob(lease: JobLease): Promise<Job | null> {
    return this.state.clockwork.act((now) => {
      const job = findLeasedJob(this.state.sql, { ...lease, now })
      return job && withoutJobLease(job)
    })
  }

  claimCopy(jobId: string): Promise<CopyTask | null> {
    const lease = crypto.randomUUID()
    return this.state.clockwork.act((now) =>
      deliverStep.claimCopy(this.state.sql, { jobId, lease, leaseMs: this.state.leaseMs, now }),
    )
  }

  copyLeaseState(lease: JobLease): Promise<CopyLeaseState> {
    return this.state.clockwork.act((now) => deliverStep.copyLeaseState(this.state.sql, { ...lease, now }))
  }

  saveCopy({ jobId, lease }: JobLease, note: string): Promise<CopyLeaseState> {
    return this.state.clockwork.act((now) => {
      const state = deliverStep.copyLeaseState(this.state.sql, { jobId, lease, now })
      saveNote(this.state.sql, { jobId, note, state, now })
      return state
    })
  }

  /** The bucket contains no unfinished upload of this job any more. */
  cleanedUp(jobId: string): Promise<void> {
    return this.state.clockwork.act(() => cleanedUp(this.state.sql, jobId))
  }

  pauseCopy(lease: JobLease, pause: CopyPause): Promise<boolean> {
    return this.#endStep(lease.jobId, (now) => deliverStep.pauseCopy(this.state.sql, { ...lease, pause, now }))
  }

  noteUpload(lease: JobLease, upload: { key: string; uploadId: string | null }): Promise<boolean> {
    return this.state.clockwork.act((now) => steps.noteUpload(this.state.sql, { ...lease, ...upload, now }))
  }

  advance(
    lease: JobLease,
    done: { next: Step; carry: Job['carry']; holdMicros: Micros; keys: string[] },
  ): Promise<boolean> {
    return this.#endStep(lease.jobId, (now) => steps.advance(this.state.sql, { ...lease, ...done, now }))
  }

  complete(lease: JobLease, done: { finished: JobOutput; charge: Micros; keys: string[] }): Promise<boolean> {
    return this.#endStep(lease.jobId, (now) => endings.complete(this.state.sql, { ...lease, ...done, now }))
  }

  failStep(lease: JobLease, reason: Failure): Promise<boolean> {
    return this.#endStep(lease.jobId, (now) => endings.failStep(this.state.sql, { ...lease, reason, now }))
  }

  failUndeliverable(jobId: string, step: Step, reason: Failure): Promise<boolean> {
    return this.#endStep(jobId, (now) => endings.failUndeliverable(this.state.sql, { jobId, step, reason, now }))
  }

  override alarm(): Promise<void> {
    return this.state.clockwork.tick((task, now) => this.#perform(task, now))
  }

  #perform({ kind, ref }: Task, now: number): void {
    const { sql, watchers } = this.state
    if (kind === 'delivery') attempts.runDeliveryTask(sql, ref, Math.random(), now)
    else if (kind === 'lease') steps.expireLease(sql, ref, now)
    else if (kind === 'resend') steps.resend(sql, ref, now)
    else if (kind === 'deadline') endings.failLiveJob(sql, ref, failure('TIMED_OUT'), now)
    else if (kind === 'cleanup') requestCleanup(sql, ref, now)
    else if (kind === 'expire') endings.removeMedia(sql, ref, now)
    else deleteIdempotency(sql, ref)
    if (kind !== 'delivery') watchers.changed(ref)
  }

  async #endStep(jobId: string, act: (now: number) => boolean): Promise<boolean> {
    const ended = await this.state.clockwork.act(act)
    if (ended) this.state.watchers.stepEnded(jobId)
    return ended
  }
}

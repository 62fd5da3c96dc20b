import { type Failure, failure } from '../domain/codes/failures.ts'
import type { Finished, Job, Progress, Step } from '../domain/jobs/job.ts'
import type { Micros } from '../domain/money/money.ts'
import type { CopyPause, CopyStanding, CopyTask } from '../domain/storage/copies.ts'
import type { ClaimedDelivery, Delivery } from '../domain/webhooks/deliveries.ts'
import type { Task } from './clockwork/schedule.ts'
import { forget } from './entry/idempotency.ts'
import { ForCallers } from './for-callers.ts'
import { cleanedUp, saveNote, tendCleanup } from './jobs/copies.ts'
import * as copying from './jobs/copy-steps.ts'
import * as endings from './jobs/endings.ts'
import { holdsLease, leasedJob } from './jobs/lease.ts'
import { sealedKeyOf } from './jobs/sealed-keys.ts'
import * as steps from './jobs/steps.ts'
import * as attempts from './webhooks/attempts.ts'

interface Lease {
  jobId: string
  lease: string
}

/**
 * One object for each account, and the only one who moves its jobs and its money. Each method is one
 * transaction: refusals are returned, faults are thrown and undo everything. The rules stand in the other
 * files of this folder; the classes say who may ask for what: here the queue, the container and the clock.
 * index.ts extends this one with the carriers.
 */
export abstract class AccountBase extends ForCallers {
  claimDelivery(id: string): Promise<ClaimedDelivery | null> {
    const lease = crypto.randomUUID()
    const random = Math.random()
    return this.books.clockwork.act((now) => attempts.claimDelivery(this.books.sql, { id, lease, random, now }))
  }

  /** The delivery as it stands after the report, whether or not the report counted. */
  reportDelivery(report: attempts.AttemptReport): Promise<Delivery | null> {
    const random = Math.random()
    return this.books.clockwork.act((now) => {
      attempts.reportDelivery(this.books.sql, { ...report, random, now })
      return attempts.shown(this.books.sql, report.id)
    })
  }

  missDelivery(id: string): Promise<void> {
    return this.books.clockwork.act((now) => attempts.missDelivery(this.books.sql, id, Math.random(), now))
  }

  claim(jobId: string, step: Step): Promise<steps.Claimed | null> {
    const lease = crypto.randomUUID()
    return this.books.clockwork.act((now) =>
      steps.claim(this.books.sql, { jobId, step, lease, leaseMs: this.books.leaseMs, now }),
    )
  }

  postpone(lease: Lease, postponement: steps.Postponement): Promise<boolean> {
    return this.books.clockwork.act((now) => steps.postpone(this.books.sql, { ...lease, ...postponement, now }))
  }

  giveBack(lease: Lease, setback: steps.Setback = {}): Promise<boolean> {
    return this.#move(lease.jobId, (now) => steps.giveBack(this.books.sql, { ...lease, ...setback, now }))
  }

  /** The key that came with the job, as it was sealed; null when none did, or the lease is lost. */
  sealedKey(lease: Lease): Promise<string | null> {
    return this.books.clockwork.act((now) =>
      holdsLease(this.books.sql, { ...lease, now }) ? sealedKeyOf(this.books.sql, lease.jobId) : null,
    )
  }

  async progress(lease: Lease, report: Progress): Promise<steps.Heartbeat> {
    const heard = await this.books.clockwork.act((now) =>
      steps.progress(this.books.sql, { ...lease, report, leaseMs: this.books.leaseMs, now }),
    )
    if (heard === 'go on') this.books.watch.moved(lease.jobId, report)
    else if (heard === 'stop') this.books.watch.ended(lease.jobId)
    return heard
  }

  holdsLease(lease: Lease): Promise<boolean> {
    return this.books.clockwork.act((now) => holdsLease(this.books.sql, { ...lease, now }))
  }

  leasedJob(lease: Lease): Promise<Job | null> {
    return this.books.clockwork.act((now) => leasedJob(this.books.sql, { ...lease, now }))
  }

  claimCopy(jobId: string): Promise<CopyTask | null> {
    const lease = crypto.randomUUID()
    return this.books.clockwork.act((now) =>
      copying.claimCopy(this.books.sql, { jobId, lease, leaseMs: this.books.leaseMs, now }),
    )
  }

  copyStanding(lease: Lease): Promise<CopyStanding> {
    return this.books.clockwork.act((now) => copying.copyStanding(this.books.sql, { ...lease, now }))
  }

  saveCopy({ jobId, lease }: Lease, note: string): Promise<CopyStanding> {
    return this.books.clockwork.act((now) => {
      const standing = copying.copyStanding(this.books.sql, { jobId, lease, now })
      saveNote(this.books.sql, { jobId, note, standing, now })
      return standing
    })
  }

  /** Nothing unfinished of this job is left in its caller's bucket. */
  cleanedUp(jobId: string): Promise<void> {
    return this.books.clockwork.act(() => cleanedUp(this.books.sql, jobId))
  }

  pauseCopy(lease: Lease, pause: CopyPause): Promise<boolean> {
    return this.#move(lease.jobId, (now) => copying.pauseCopy(this.books.sql, { ...lease, pause, now }))
  }

  noteUpload(lease: Lease, upload: { key: string; uploadId: string | null }): Promise<boolean> {
    return this.books.clockwork.act((now) => steps.noteUpload(this.books.sql, { ...lease, ...upload, now }))
  }

  advance(lease: Lease, done: { next: Step; carry: Job['carry']; owing: Micros; keys: string[] }): Promise<boolean> {
    return this.#move(lease.jobId, (now) => steps.advance(this.books.sql, { ...lease, ...done, now }))
  }

  complete(lease: Lease, done: { finished: Finished; charge: Micros; keys: string[] }): Promise<boolean> {
    return this.#move(lease.jobId, (now) => endings.complete(this.books.sql, { ...lease, ...done, now }))
  }

  failStep(lease: Lease, reason: Failure): Promise<boolean> {
    return this.#move(lease.jobId, (now) => endings.failStep(this.books.sql, { ...lease, reason, now }))
  }

  /** A step's message died in the queue: the job ends and its hold is released. */
  bury(jobId: string, step: Step, reason: Failure): Promise<boolean> {
    return this.#move(jobId, (now) => endings.bury(this.books.sql, { jobId, step, reason, now }))
  }

  override alarm(): Promise<void> {
    return this.books.clockwork.tick((task, now) => this.#perform(task, now))
  }

  #perform({ kind, ref }: Task, now: number): void {
    if (kind === 'delivery') attempts.tendDelivery(this.books.sql, ref, Math.random(), now)
    else if (kind === 'lease') steps.lapse(this.books.sql, ref, now)
    else if (kind === 'resend') steps.resend(this.books.sql, ref, now)
    else if (kind === 'deadline') endings.giveUp(this.books.sql, ref, failure('TIMED_OUT'), now)
    else if (kind === 'cleanup') tendCleanup(this.books.sql, ref, now)
    else if (kind === 'expire') endings.removeMedia(this.books.sql, ref, now)
    else forget(this.books.sql, ref)
    if (kind !== 'delivery') this.books.watch.changed(ref)
  }

  async #move(jobId: string, act: (now: number) => boolean): Promise<boolean> {
    const moved = await this.books.clockwork.act(act)
    if (moved) this.books.watch.ended(jobId)
    return moved
  }
}

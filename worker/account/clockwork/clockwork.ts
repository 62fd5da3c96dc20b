import { JOB_DEADLINE_MS } from '../../../domain/limits.ts'
import type { AccountRows } from '../account-rows.ts'
import { TurnMessages } from '../batches/turn-messages.ts'
import { isLive, type JobRow } from '../jobs/job-rows.ts'
import { JobMessages } from './job-messages.ts'
import { nextOutboxAt, OutboxSender, type OutboxTargets } from './outbox.ts'
import { cancelTasks, dueTasks, nextTaskAt, type Task } from './schedule.ts'

const ALARM_BATCH = 100
const RETRY_MS = 60_000

/** What the alarm does. Each call is a transaction of its own, so that one that throws does not block the others. */
export interface AlarmWork {
  perform(task: Task, now: number): void
  /** The time limit of a live job or the lease of its step may have passed. */
  check(job: JobRow, now: number): void
  /** Items of batches may start, or have waited too long for the check of their URL. */
  advanceBatches(now: number): void
  sweep(now: number): void
}

/**
 * Runs acts as transactions. After each commit it sends the outbox and the messages of open jobs without delaying the
 * response, and sets the alarm to the earliest time at which something is left to do.
 */
export class Clockwork {
  readonly #ctx: DurableObjectState
  readonly #rows: AccountRows
  readonly #sender: OutboxSender
  readonly #messages: JobMessages
  readonly #turns: TurnMessages
  /** What threw in the alarm, and when it is tried again. At its old time the alarm would run it immediately, forever. */
  readonly #failed = new Map<string, number>()
  #alarmAt: number | null = null
  /** Whether messages that an earlier process left unsent have been sent. */
  #isResumed = false

  constructor(ctx: DurableObjectState, rows: AccountRows, outboxTargets: OutboxTargets) {
    this.#ctx = ctx
    this.#rows = rows
    this.#sender = new OutboxSender(rows.sql, outboxTargets, () => rows.account)
    this.#messages = new JobMessages(rows, outboxTargets, (act) => this.#commit(act))
    this.#turns = new TurnMessages(rows, outboxTargets)
  }

  /** Commits when `act` returns, a refusal too; undoes everything when it throws. */
  async act<T>(act: (now: number) => T): Promise<T> {
    const before = this.#changes()
    const value = this.#commit(act)
    if (this.#isResumed && this.#changes() === before) return value
    await this.#arm()
    this.#ctx.waitUntil(this.#flush())
    return value
  }

  /** For acts that change nothing but what is counted of requests. */
  read<T>(act: (now: number) => T): T {
    const value = act(Date.now())
    this.#rows.saveDueUse()
    if (!this.#isResumed) this.#ctx.waitUntil(this.#flush())
    return value
  }

  async tick(work: AlarmWork): Promise<void> {
    this.#alarmAt = null
    const { sql, account } = this.#rows
    for (const task of dueTasks(sql, Date.now(), ALARM_BATCH)) {
      this.#try(`${task.kind} ${task.ref}`, (now) => {
        cancelTasks(sql, task.ref, task.kind)
        work.perform(task, now)
      })
    }
    for (const jobId of account.openJobs) {
      this.#try(jobId, (now) => {
        const job = this.#rows.findJob(jobId)
        if (job && isLive(job)) work.check(job, now)
      })
    }
    if (account.openBatches.length > 0) this.#try('batches', work.advanceBatches)
    if (this.#sweepAt() <= Date.now()) this.#try('sweep', work.sweep)
    this.#isResumed = true
    // No alarm comes while this one runs, so it does not wait for D1 and R2.
    this.#ctx.waitUntil(this.#flushStores())
    await this.#flushQueues()
  }

  /** Rows changed since the database was opened: an act that changed none has nothing to send or to schedule. */
  #changes(): number {
    return this.#rows.sql.exec<{ changes: number }>('SELECT total_changes() AS changes').one().changes
  }

  #commit<T>(act: (now: number) => T): T {
    try {
      const value = this.#ctx.storage.transactionSync(() => {
        const value = act(Date.now())
        this.#rows.save()
        return value
      })
      this.#rows.events.publish(Date.now())
      return value
    } catch (cause) {
      this.#rows.forget()
      throw cause
    }
  }

  #try(name: string, act: (now: number) => void): void {
    if ((this.#failed.get(name) ?? 0) > Date.now()) return
    try {
      this.#commit(act)
      this.#failed.delete(name)
    } catch (cause) {
      console.error('alarm', name, cause)
      this.#failed.set(name, Date.now() + RETRY_MS)
    }
  }

  async #flush(): Promise<void> {
    this.#isResumed = true
    await Promise.all([this.#flushQueues(), this.#flushStores()])
  }

  async #flushQueues(): Promise<void> {
    await Promise.all([this.#messages.flushSteps(), this.#turns.flush(), this.#sender.flush('queues')])
    await this.#arm()
  }

  /** What is sent to R2, D1 and the metrics object. Any of them may hang without delaying the others. */
  async #flushStores(): Promise<void> {
    const flushes = [this.#sender.flush('media'), this.#sender.flush('lists'), this.#messages.flushRecords()]
    // What failed is tried again at a time that is known only now.
    await Promise.all(flushes.map(async (flush) => (await flush) && this.#arm()))
  }

  /** An alarm that comes too early does no harm, so it is only ever moved forward: each time it is set is billed. */
  async #arm(): Promise<void> {
    const next = this.#nextAt(Date.now())
    if (next === Number.POSITIVE_INFINITY) return
    this.#alarmAt ??= await this.#ctx.storage.getAlarm()
    if (this.#alarmAt !== null && this.#alarmAt <= next) return
    this.#alarmAt = next
    await this.#ctx.storage.setAlarm(next)
  }

  #nextAt(now: number): number {
    const { sql, account } = this.#rows
    const times = account.openJobs.flatMap((jobId) => {
      const job = this.#rows.readJob(jobId)
      return job ? Math.max(this.#failed.get(jobId) ?? 0, this.#nextJobAt(job, now)) : []
    })
    const taskAt = nextTaskAt(sql) ?? Number.POSITIVE_INFINITY
    // A task that failed is still in the table with its old time.
    times.push(taskAt <= now && this.#failed.size > 0 ? now + RETRY_MS : taskAt)
    const turnAt = Math.max(this.#failed.get('batches') ?? 0, this.#turns.nextAt(now))
    times.push(nextOutboxAt(sql, now) ?? Number.POSITIVE_INFINITY, this.#sweepAt(), turnAt)
    return Math.min(...times)
  }

  #nextJobAt(job: JobRow, now: number): number {
    const messageAt = this.#messages.nextAt(job, now)
    if (!isLive(job)) return messageAt
    return Math.min(messageAt, job.leaseUntil ?? Number.POSITIVE_INFINITY, job.createdAt + JOB_DEADLINE_MS)
  }

  #sweepAt(): number {
    return Math.max(this.#failed.get('sweep') ?? 0, this.#rows.account.sweepAt ?? Number.POSITIVE_INFINITY)
  }
}

import { nextOutboxAt, OutboxSender, type OutboxTargets } from './outbox.ts'
import { cancelTasks, dueTasks, nextTaskAt, scheduleTask, type Task } from './schedule.ts'

const ALARM_BATCH = 100
const TASK_RETRY_MS = 60_000

/**
 * Runs acts as transactions. After each commit it sends the outbox without delaying the response, and sets the alarm
 * to the earliest task or unsent outbox message.
 */
export class Clockwork {
  readonly #ctx: DurableObjectState
  readonly #sql: SqlStorage
  readonly #sender: OutboxSender
  #alarmAt: number | null = null

  constructor(ctx: DurableObjectState, outboxTargets: OutboxTargets, accountId: () => string) {
    this.#ctx = ctx
    this.#sql = ctx.storage.sql
    this.#sender = new OutboxSender(this.#sql, outboxTargets, accountId)
  }

  /** Commits when `act` returns, a refusal too; undoes everything when it throws. */
  async act<T>(act: (now: number) => T): Promise<T> {
    const value = this.#ctx.storage.transactionSync(() => act(Date.now()))
    await this.#arm()
    this.#ctx.waitUntil(this.#sender.flush().then(() => this.#arm()))
    return value
  }

  /** What the alarm does. Each task is an act of its own, so that one that throws does not block the others. */
  async tick(perform: (task: Task, now: number) => void): Promise<void> {
    this.#alarmAt = null
    for (const task of dueTasks(this.#sql, Date.now(), ALARM_BATCH)) this.#try(task, perform)
    await this.#sender.flush()
    await this.#arm()
  }

  #try(task: Task, perform: (task: Task, now: number) => void): void {
    try {
      this.#ctx.storage.transactionSync(() => {
        cancelTasks(this.#sql, task.ref, task.kind)
        perform(task, Date.now())
      })
    } catch (cause) {
      console.error('task', task.kind, task.ref, cause)
      // At its old time the alarm would run it again immediately, forever.
      scheduleTask(this.#sql, task.kind, task.ref, Date.now() + TASK_RETRY_MS)
    }
  }

  /** An alarm that comes too early does no harm, so it is only ever moved forward. */
  async #arm(): Promise<void> {
    const times = [nextTaskAt(this.#sql), nextOutboxAt(this.#sql)].filter((at) => at !== null)
    if (times.length === 0) return
    const next = Math.min(...times)
    this.#alarmAt ??= await this.#ctx.storage.getAlarm()
    if (this.#alarmAt !== null && this.#alarmAt <= next) return
    await this.#ctx.storage.setAlarm(next)
    this.#alarmAt = next
  }
}

import { lanes } from '../../../domain/lanes.ts'
import { RESEND_MS } from '../../../domain/limits.ts'
import { backoffMs } from '../../../domain/retry.ts'
import { HOUR_MS } from '../../../domain/time.ts'
import type { AccountRows } from '../account-rows.ts'
import { type Due, type DueContext, type Lane, never, widths } from './due.ts'
import { nextRowAt } from './due-rows.ts'
import type { Targets } from './targets.ts'

/** Where the scheduler finds what is to be done, now or later. */
export interface Sources {
  /** All that follows from the rows of jobs and batches. */
  fromRows: readonly DueSource[]
  /** The rows of the table `due` whose time has come. There may be thousands of others. */
  inTable(context: DueContext, lane: Lane, now: number): Due[]
}

/** The times follow from rows, not from `now`: what was due before must not disappear because its time has come. */
export type DueSource = (context: DueContext, now: number) => Due[]

/** The lanes of queues, which the alarm waits for, and those of R2, D1 and the metrics object. */
const queueLanes = ['steps', 'messages'] as const
const storeLanes = ['media', 'lists', 'records', 'reports', 'notes'] as const

/** So long the alarm waits for D1 and the metrics object. What they have answered by then needs no alarm. */
const STORES_MS = 1_000

/** The accounts whose next time is so far away are woken by a cron, so that their alarms need not be set, which is billed. */
const FAR_MS = HOUR_MS

const actBackoff = { firstMs: 60_000, longestMs: 60_000 }
const sendBackoff = { firstMs: 1_000, longestMs: 300_000 }

/**
 * Runs acts as transactions. After each commit it does what is due, without delaying the response, and sets the alarm to the
 * next time at which something is. What has no row of its own is remembered here: that a message was sent costs no row, and
 * it may be sent again after an eviction of the object.
 */
export class Scheduler {
  readonly #ctx: DurableObjectState
  readonly #context: DueContext
  readonly #sources: Sources
  /** By key: when it is due again, and how often it has failed. */
  readonly #tried = new Map<string, { againAt: number; failures: number }>()
  readonly #running = new Map<Lane, Promise<unknown>>()
  #alarmAt: number | null = null
  /** Whether what an earlier process left undone has been done. */
  #isResumed = false

  constructor(ctx: DurableObjectState, rows: AccountRows, targets: Targets, sources: Sources) {
    this.#ctx = ctx
    const nextAt = (exceptKey: string) => {
      const at = this.#nextAt(Date.now(), exceptKey)
      return at === never ? null : at
    }
    this.#context = { rows, targets, act: (rule) => this.#commit(rule), nextAt }
    this.#sources = sources
  }

  /** Commits when `act` returns, a refusal too; undoes everything when it throws. */
  async act<T>(act: (now: number) => T): Promise<T> {
    const before = this.#changes()
    const value = this.#commit(act)
    if (this.#isResumed && this.#changes() === before) {
      this.#ctx.waitUntil(this.#flushLane('notes'))
      return value
    }
    await this.#arm()
    this.#ctx.waitUntil(this.#flush())
    return value
  }

  /** Runs an act that changes nothing but what is counted of requests. */
  read<T>(act: (now: number) => T): T {
    const value = act(Date.now())
    this.#context.rows.saveDueUse()
    if (!this.#isResumed) this.#ctx.waitUntil(this.#flush())
    return value
  }

  /** Called by the alarm. */
  async tick(): Promise<void> {
    this.#alarmAt = null
    await this.#inLane('acts', () => this.#runAll('acts'))
    this.#isResumed = true
    const stored = this.#flushStores()
    this.#ctx.waitUntil(stored)
    // No alarm comes while this one runs, so it does not wait for D1 and R2 if they are slow.
    const late = new AbortController()
    const wait = scheduler.wait(STORES_MS, { signal: late.signal }).catch(() => {})
    await Promise.all([this.#runQueues(), Promise.race([stored, wait])])
    late.abort()
    await this.#arm()
  }

  /** Does what the alarm should have done, and says when to look again. */
  async wake(): Promise<void> {
    this.#context.rows.reports.want()
    // The alarm that this object remembers may have been dropped.
    this.#alarmAt = null
    await this.#inLane('acts', () => this.#runAll('acts'))
    await this.#flush()
  }

  /** Rows changed since the database was opened: an act that changed none has nothing to send or to schedule. */
  #changes(): number {
    const { sql } = this.#context.rows
    return sql.exec<{ changes: number }>('SELECT total_changes() AS changes').one().changes
  }

  #commit<T>(act: (now: number) => T): T {
    const { rows } = this.#context
    try {
      const value = this.#ctx.storage.transactionSync(() => {
        const value = act(Date.now())
        rows.save()
        return value
      })
      rows.events.publish(Date.now())
      return value
    } catch (cause) {
      rows.forget()
      throw cause
    }
  }

  async #flush(): Promise<void> {
    this.#isResumed = true
    await Promise.all([this.#flushQueues(), this.#flushStores()])
  }

  async #flushQueues(): Promise<void> {
    await this.#runQueues()
    await this.#arm()
  }

  async #runQueues(): Promise<void> {
    await Promise.all(queueLanes.map((lane) => this.#flushLane(lane)))
  }

  async #flushStores(): Promise<void> {
    // What failed is tried again at a time that is known only now.
    await Promise.all(storeLanes.map(async (lane) => (await this.#flushLane(lane)) && this.#arm()))
  }

  /** Resolves when all that was due at the call has been tried: with whether there was any. */
  #flushLane(lane: Lane): Promise<boolean> {
    return this.#inLane(lane, async () => {
      let isAny = false
      while (await this.#runAll(lane)) isAny = true
      return isAny
    })
  }

  /** Runs of a lane follow each other, whether the one before failed or not. */
  #inLane<T>(lane: Lane, run: () => Promise<T>): Promise<T> {
    const last = this.#running.get(lane) ?? Promise.resolve()
    const next = last.then(run, run)
    this.#running.set(lane, next)
    return next
  }

  async #runAll(lane: Lane): Promise<boolean> {
    const now = Date.now()
    const fromRows = this.#fromRows(now).filter((due) => due.lane === lane && this.#timeOf(due) <= now)
    const due = [...this.#sources.inTable(this.#context, lane, now), ...fromRows]
    await lanes(widths[lane], due, (each) => this.#run(each))
    return due.length > 0
  }

  async #run(due: Due): Promise<void> {
    const failed = due.failures ?? this.#tried.get(due.key)?.failures ?? 0
    try {
      const againAt = await due.run(failed + 1)
      this.#keep(due, againAt ?? never, 0)
    } catch (cause) {
      console.error('due', due.key, failed + 1, cause)
      const backoff = due.lane === 'acts' ? actBackoff : sendBackoff
      this.#keep(due, Date.now() + backoffMs(failed + 1, backoff), failed + 1)
    }
  }

  #keep(due: Due, againAt: number, failures: number): void {
    if (due.keep) due.keep(againAt, failures)
    else this.#tried.set(due.key, { againAt, failures })
  }

  #fromRows(now: number): Due[] {
    return this.#sources.fromRows.flatMap((source) => source(this.#context, now))
  }

  #timeOf({ key, at }: Due): number {
    return this.#tried.get(key)?.againAt ?? at
  }

  /** An alarm that comes too early does no harm, so it is only ever moved forward: each time it is set is billed. */
  async #arm(): Promise<void> {
    const now = Date.now()
    const next = this.#nextAt(now)
    if (next === never) return
    const { wakeAt } = this.#context.rows.reports
    if (next > now + FAR_MS && wakeAt !== null && wakeAt <= next + FAR_MS) return
    // One whose time has passed is late, or was dropped.
    if (this.#alarmAt === null || this.#alarmAt <= now) this.#alarmAt = await this.#ctx.storage.getAlarm()
    if (this.#alarmAt !== null && this.#alarmAt <= next) return
    this.#alarmAt = next
    await this.#ctx.storage.setAlarm(next)
  }

  #nextAt(now: number, exceptKey = ''): number {
    const all = this.#fromRows(now).filter(({ key }) => key !== exceptKey)
    const keys = new Set(all.map(({ key }) => key))
    for (const key of this.#tried.keys()) if (!keys.has(key)) this.#tried.delete(key)
    const guarded = all.filter(({ lane }) => lane !== 'notes')
    const times = guarded.map((due) => {
      const at = this.#timeOf(due)
      if (at > now || due.lane === 'acts') return at
      // It is being sent, and the alarm makes sure of it.
      return due.lane === 'reports' ? never : now + RESEND_MS
    })
    return Math.min(nextRowAt(this.#context.rows.sql, now) ?? never, ...times)
  }
}

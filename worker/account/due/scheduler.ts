import { lanes } from '../../../domain/lanes.ts'
import { backoffMs } from '../../../domain/retry.ts'
import { firstValue } from '../../sqlite.ts'
import type { AccountRows } from '../account-rows.ts'
import { type DueContext, type Kinds, type Lane, widths } from './due.ts'
import { type DueKind, type DueRow, dueKinds, dueRows, endRow, nextRowAt, postponeRow } from './due-rows.ts'
import type { Targets } from './targets.ts'

/** The alarm waits for queues, but not for R2, D1, the metrics object and the index. `acts` come first: they cause others. */
const queueLanes = ['steps', 'messages'] as const
const storeLanes = ['media', 'lists', 'records', 'words'] as const

/** How long the alarm waits for R2, D1 and the metrics object. What they have answered by then needs no other alarm. */
const STORES_MS = 1_000

const ROWS_AT_ONCE = 100

const actBackoff = { firstMs: 60_000, longestMs: 60_000 }
const sendBackoff = { firstMs: 1_000, longestMs: 300_000 }

/**
 * Commits acts, then does what is due without delaying the response, and sets the alarm to the next time. What is due
 * is in rows of the table `due`, so an eviction of the object loses nothing.
 */
export class Scheduler {
  readonly #ctx: DurableObjectState
  readonly #context: DueContext
  readonly #kinds: Kinds
  readonly #afterCommit: (now: number) => void
  readonly #kindsIn: ReadonlyMap<Lane, DueKind[]>
  readonly #running = new Map<Lane, Promise<boolean>>()
  #alarmAt: number | null = null
  /** Whether what an earlier process left undone has been done. */
  #isResumed = false

  constructor(
    ctx: DurableObjectState,
    rows: AccountRows,
    targets: Targets,
    kinds: Kinds,
    afterCommit: (now: number) => void,
  ) {
    this.#ctx = ctx
    this.#afterCommit = afterCommit
    const act = <T>(rule: (now: number) => T): T => {
      const value = this.#commit(rule)
      // What it has made due may be in another lane.
      ctx.waitUntil(this.#flushLanes())
      return value
    }
    this.#context = { rows, targets, act }
    this.#kinds = kinds
    this.#kindsIn = Map.groupBy(Object.keys(kinds) as DueKind[], (kind) => kinds[kind].lane)
  }

  /** Commits when `act` returns, a refusal too; undoes everything when it throws. */
  async act<T>(act: (now: number) => T): Promise<T> {
    const before = this.#changes()
    const value = this.#commit(act)
    if (this.#isResumed && this.#changes() === before) {
      this.#ctx.waitUntil(this.#sendReports())
      return value
    }
    await this.#arm()
    this.#ctx.waitUntil(this.#flush())
    return value
  }

  read<T>(act: (now: number) => T): T {
    const value = act(Date.now())
    this.#context.rows.saveUse()
    if (!this.#isResumed) this.#ctx.waitUntil(this.#resume())
    return value
  }

  async tick(): Promise<void> {
    this.#alarmAt = null
    this.#isResumed = true
    await this.#flushLane('acts')
    const stored = Promise.all(storeLanes.map((lane) => this.#flushLane(lane)))
    this.#ctx.waitUntil(Promise.all([stored.then(() => this.#arm()), this.#sendReports()]))
    // No alarm comes while this one runs, so it does not wait for D1 and R2 if they are slow.
    const late = new AbortController()
    const wait = scheduler.wait(STORES_MS, { signal: late.signal }).catch(() => {})
    await Promise.all([...queueLanes.map((lane) => this.#flushLane(lane)), Promise.race([stored, wait])])
    late.abort()
    await this.#arm()
  }

  /** Does what the alarm should have done, and says when to look again. */
  async wake(): Promise<void> {
    this.#context.rows.reports.want()
    await this.#resume()
  }

  /** Rows changed since the database was opened: an act that changed none has nothing to send or to schedule. */
  #changes(): number | null {
    return firstValue(this.#context.rows.sql, 'SELECT total_changes()')
  }

  #commit<T>(act: (now: number) => T): T {
    const { rows } = this.#context
    const now = Date.now()
    try {
      return this.#ctx.storage.transactionSync(() => {
        const value = act(now)
        rows.save()
        return value
      })
    } catch (cause) {
      rows.forget()
      throw cause
    } finally {
      this.#afterCommit(now)
    }
  }

  /** The alarm may have been dropped, so it is set even if nothing is due. */
  async #resume(): Promise<void> {
    this.#alarmAt = null
    await this.#flush()
    await this.#arm()
  }

  async #flush(): Promise<void> {
    this.#isResumed = true
    await Promise.all([this.#flushLanes(), this.#sendReports()])
  }

  async #flushLanes(): Promise<void> {
    if (this.#dueLanes().has('acts')) await this.#flushAndArm('acts')
    await Promise.all([...this.#dueLanes()].map((lane) => this.#flushAndArm(lane)))
  }

  #dueLanes(): Set<Lane> {
    return new Set(dueKinds(this.#context.rows.sql, Date.now()).map((kind) => this.#kinds[kind].lane))
  }

  /** What failed, or has another time, is tried again at a time that is known only now. */
  async #flushAndArm(lane: Lane): Promise<void> {
    const wasDue = await this.#flushLane(lane)
    if (wasDue) await this.#arm()
  }

  /** Resolves when nothing of the lane is due any more: all of it is done or postponed. False: nothing was due. */
  #flushLane(lane: Lane): Promise<boolean> {
    const running = this.#running.get(lane)
    if (running) return running
    const first = this.#dueIn(lane)
    if (first.length === 0) return Promise.resolve(false)
    // It begins after it is known to run, because what is done may flush its own lane.
    const run = Promise.resolve().then(() => this.#runLane(lane, first))
    this.#running.set(lane, run)
    return run
  }

  async #runLane(lane: Lane, first: DueRow[]): Promise<true> {
    for (let due = first; due.length > 0; due = this.#dueIn(lane)) {
      await lanes(widths[lane], due, (row) => this.#run(lane, row))
    }
    this.#running.delete(lane)
    return true
  }

  #dueIn(lane: Lane): DueRow[] {
    return dueRows(this.#context.rows.sql, this.#kindsIn.get(lane) ?? [], Date.now(), ROWS_AT_ONCE)
  }

  async #run(lane: Lane, row: DueRow): Promise<void> {
    const { sql } = this.#context.rows
    const attempt = row.attempts + 1
    try {
      const againAt = await this.#kinds[row.kind].run(this.#context, row, attempt)
      if (againAt === undefined) endRow(sql, row)
      else postponeRow(sql, row, againAt)
    } catch (cause) {
      console.error('due', row.kind, row.ref, attempt, cause)
      const backoff = lane === 'acts' ? actBackoff : sendBackoff
      postponeRow(sql, row, Date.now() + backoffMs(attempt, backoff))
    }
  }

  /** What the metrics object is told while jobs take long. The alarm does not wait for it: the cron asks again. */
  async #sendReports(): Promise<void> {
    const { rows, targets } = this.#context
    await rows.reports.sendDue(rows.account, targets).catch((cause) => console.error('report', cause))
  }

  /** An alarm that comes too early does no harm, so it is only ever moved forward: each time it is set is billed. */
  async #arm(): Promise<void> {
    const now = Date.now()
    const next = nextRowAt(this.#context.rows.sql, now)
    if (next === null) return
    const known = this.#alarmAt
    // One whose time has passed is late, or was dropped.
    if (known === null || known <= now) {
      const stored = await this.#ctx.storage.getAlarm()
      // Another call may have set it meanwhile.
      if (this.#alarmAt === known) this.#alarmAt = stored
    }
    if (this.#alarmAt !== null && this.#alarmAt <= next) return
    this.#alarmAt = next
    await this.#ctx.storage.setAlarm(next)
  }
}

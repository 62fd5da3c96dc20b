import { DurableObject } from 'cloudflare:workers'
import { type AccountReport, countEnd, type EndedJob } from '../../domain/metrics/account-report.ts'
import { amountOf, type CountedEvent, counterOf, type DeadWebhook } from '../../domain/metrics/counted-events.ts'
import type { HourlyOutcome } from '../../domain/metrics/job-totals.ts'
import { addReport, noSums, type Sums } from '../../domain/metrics/sums.ts'
import { HOUR_MS } from '../../domain/time.ts'
import { MetricsRows } from './metrics-rows.ts'

const KEPT_HOURS = 48
/** An hour has so many sources. The others are counted together, so that callers cannot fill the object with invented names. */
const MAX_SOURCES = 500
const OTHER_SOURCES = 'other'
/** Events are written together so often. If the object's process ends, those of the time between are lost. */
const EVENTS_MS = 5_000

/**
 * What a part of the accounts has counted. Each account is the owner of its own totals and reports them when a job was
 * accepted and when it has ended, again and again until it succeeds. This object keeps the last report of each account,
 * and adds them up in memory, so a report that is repeated or late changes nothing, and nothing is lost by an eviction.
 *
 * Events that no account counts are collected in memory and written by the alarm. What is read is what was written: a
 * counter never decreases, because Prometheus would take that for a restart from zero.
 */
export class MetricsObject extends DurableObject<Env> {
  readonly #rows: MetricsRows
  #sums: Sums | null = null
  #hour: { at: number; sources: Set<string> } | null = null
  readonly #events = new Map<string, number>()
  #hasAlarm = false

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#rows = new MetricsRows(ctx.storage.sql)
  }

  report(report: AccountReport): { isNewEnd: boolean } {
    const { accountId, totals, heldMicros, ended } = report
    try {
      return this.ctx.storage.transactionSync(() => {
        const before = this.#rows.account(accountId)
        const isNewer = !before || totals.version > before.totals.version
        const endsBefore = before?.counted ?? { upTo: 0, beyond: [] }
        const counted = ended && countEnd(endsBefore, ended.number)
        if (!isNewer && !counted) return { isNewEnd: false }
        const after = isNewer ? { totals, heldMicros } : before
        this.#rows.saveAccount(accountId, { ...after, counted: counted ?? endsBefore })
        if (ended && counted) this.#countOutcome(ended)
        if (this.#sums) {
          if (before) addReport(this.#sums, before, -1)
          addReport(this.#sums, after, 1)
        }
        return { isNewEnd: counted !== null }
      })
    } catch (cause) {
      // What is in memory may be ahead of what was rolled back.
      this.#sums = null
      this.#hour = null
      throw cause
    }
  }

  count(event: CountedEvent, deadWebhook: DeadWebhook | null): void {
    if (deadWebhook) this.#rows.addDeadWebhook(deadWebhook)
    const name = counterOf(event)
    this.#events.set(name, (this.#events.get(name) ?? 0) + amountOf(event))
    if (this.#hasAlarm) return
    this.#hasAlarm = true
    void this.ctx.storage.setAlarm(Date.now() + EVENTS_MS)
  }

  sums(): Sums {
    this.#sums ??= this.#addUp()
    return this.#sums
  }

  outcomes(fromHour: number): HourlyOutcome[] {
    return this.#rows.outcomes(fromHour)
  }

  deadWebhooks(): DeadWebhook[] {
    return this.#rows.deadWebhooks()
  }

  override alarm(): void {
    this.#hasAlarm = false
    for (const [name, amount] of this.#events) {
      this.#rows.count(name, amount)
      // One by one: if a write throws, the alarm runs again and must not repeat the others.
      this.#events.delete(name)
      if (this.#sums) this.#sums.counters[name] = (this.#sums.counters[name] ?? 0) + amount
    }
  }

  #addUp(): Sums {
    const sums = noSums()
    for (const reported of this.#rows.accounts()) addReport(sums, reported, 1)
    sums.counters = this.#rows.counters()
    return sums
  }

  /** Counts the end in the hour in which it is reported. */
  #countOutcome(ended: EndedJob): void {
    const at = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
    if (this.#hour?.at !== at) {
      this.#hour = { at, sources: new Set(this.#rows.sourcesOf(at)) }
      this.#rows.deleteOutcomes(at - KEPT_HOURS * HOUR_MS)
    }
    const { sources } = this.#hour
    const source = sources.has(ended.host) || sources.size < MAX_SOURCES ? ended.host : OTHER_SOURCES
    sources.add(source)
    this.#rows.countOutcome(at, source, ended)
  }
}

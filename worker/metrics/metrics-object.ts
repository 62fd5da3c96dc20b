import { DurableObject } from 'cloudflare:workers'
import { type AccountReport, countEnd, type HeldNote } from '../../domain/metrics/account-report.ts'
import type { DeadWebhook, EventCounter } from '../../domain/metrics/counted-events.ts'
import { type CountedOutcome, noTotals, sumOfOutcomes, withOutcome } from '../../domain/metrics/job-totals.ts'
import { addReport, noSums, type Sums } from '../../domain/metrics/sums.ts'
import { MetricsRows, type Reported } from './metrics-rows.ts'

/**
 * Each account owns its totals and reports them until that succeeds: when a job has ended, and each minute while one
 * runs. The last reports are added up in memory, so one that is repeated or late changes nothing. One more object
 * counts what no account counts.
 */
export class MetricsObject extends DurableObject<Env> {
  readonly #rows: MetricsRows
  #sums: Sums | null = null
  /** By account. An eviction loses them, and then what is held is up to a minute old once. */
  readonly #notes = new Map<string, HeldNote>()
  #outcomes: { fromHour: number; at: number; list: CountedOutcome[] } | null = null

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env)
    this.#rows = new MetricsRows(ctx.storage.sql)
  }

  report(report: AccountReport): { isNewEnd: boolean } {
    try {
      return this.ctx.storage.transactionSync(() => this.#save(report))
    } catch (cause) {
      // What is in memory may be ahead of what was rolled back.
      this.#sums = null
      throw cause
    }
  }

  noteHeld(note: HeldNote): void {
    const { accountId, version } = note
    const known = this.#notes.get(accountId)?.version ?? this.#rows.held(accountId)?.version ?? -1
    if (version > known) this.#notes.set(accountId, note)
  }

  /** Accounts that said that they have something to do before this time, and have not reported since. */
  overdueAccounts(before: number, limit: number): string[] {
    return this.#rows.overdueAccounts(before, limit)
  }

  count(counter: EventCounter, amount: number, deadWebhook: DeadWebhook | null): void {
    if (deadWebhook) this.#rows.addDeadWebhook(deadWebhook)
    this.#rows.count(counter, amount)
  }

  sums(): Sums {
    this.#sums ??= this.#addUp()
    let { heldMicros } = this.#sums
    for (const { accountId, heldMicros: noted } of this.#notes.values()) {
      heldMicros += noted - (this.#rows.held(accountId)?.heldMicros ?? 0)
    }
    return { ...this.#sums, heldMicros, counters: this.#rows.counters() }
  }

  /** All accounts are read, so a scrape gets what was read for an earlier one. */
  outcomes(fromHour: number, maxAgeMs = 0): CountedOutcome[] {
    const known = this.#outcomes
    const ageMs = known?.fromHour === fromHour ? Date.now() - known.at : null
    if (known && ageMs !== null && ageMs >= 0 && ageMs < maxAgeMs) return known.list
    const list = sumOfOutcomes(this.#outcomesSince(fromHour))
    this.#outcomes = { fromHour, at: Date.now(), list }
    return list
  }

  deadWebhooks(): DeadWebhook[] {
    return this.#rows.deadWebhooks()
  }

  #save(report: AccountReport): { isNewEnd: boolean } {
    const { accountId, totals, heldMicros, wakeAt, schemaVersion, ended } = report
    const known = this.#rows.account(accountId)
    const before = known ?? unreported
    const isLate = totals.version < before.totals.version
    const isSame =
      totals.version === before.totals.version && wakeAt === before.wakeAt && schemaVersion === before.schemaVersion
    const counted = ended && countEnd(before.counted, ended.number)
    if ((isLate || isSame) && !counted) return { isNewEnd: false }
    const after: Reported = {
      ...before,
      ...(!isLate && { totals, heldMicros, wakeAt, schemaVersion }),
      ...(ended && counted && { counted, outcomes: withOutcome(before.outcomes, ended, Date.now()) }),
    }
    this.#rows.saveAccount(accountId, after)
    if ((this.#notes.get(accountId)?.version ?? 0) <= totals.version) this.#notes.delete(accountId)
    if (this.#sums) {
      if (known) addReport(this.#sums, known, -1)
      addReport(this.#sums, after, 1)
    }
    return { isNewEnd: counted !== null }
  }

  *#outcomesSince(fromHour: number): Iterable<CountedOutcome> {
    for (const { outcomes } of this.#rows.accounts()) yield* outcomes.filter(({ hour }) => hour >= fromHour)
  }

  #addUp(): Sums {
    const sums = noSums()
    for (const reported of this.#rows.accounts()) addReport(sums, reported, 1)
    return sums
  }
}

const unreported: Reported = {
  totals: { ...noTotals, version: -1 },
  heldMicros: 0,
  wakeAt: null,
  schemaVersion: 0,
  counted: { upTo: 0, beyond: [] },
  outcomes: [],
}

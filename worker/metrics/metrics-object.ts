import { DurableObject } from 'cloudflare:workers'
import { type AccountReport, type CountedEnds, countEnd, type HeldNote } from '../../domain/metrics/account-report.ts'
import { type DeadWebhook, type EventCounter, MAX_DEAD_WEBHOOKS } from '../../domain/metrics/counted-events.ts'
import { type CountedOutcome, noTotals, sumOfOutcomes, withOutcome } from '../../domain/metrics/job-totals.ts'
import { addReport, type LastReport, noSums, type Sums } from '../../domain/metrics/sums.ts'
import { firstRow, migrate } from '../sqlite.ts'

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

/** What a metrics object keeps. Times are milliseconds since 1970, amounts are whole micro-dollars. */
const versions = [
  `
  -- One row for each account, so that the end of a job writes one.
  CREATE TABLE accounts (
    account_id TEXT PRIMARY KEY,
    -- When it is woken if it does not report before.
    wake_at INTEGER,
    -- Reported as JSON.
    reported TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE counters (
    name TEXT PRIMARY KEY,
    count INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE dead_webhooks (
    delivery_id TEXT PRIMARY KEY,
    failed_at INTEGER NOT NULL,
    -- JSON.
    delivery TEXT NOT NULL
  ) WITHOUT ROWID;`,
]

export interface Reported extends LastReport {
  wakeAt: number | null
  counted: CountedEnds
  outcomes: CountedOutcome[]
}

export class MetricsRows {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    migrate(sql, versions)
  }

  account(accountId: string): Reported | null {
    const query = 'SELECT reported FROM accounts WHERE account_id = ?'
    const row = firstRow<{ reported: string }>(this.#sql, query, accountId)
    return row ? JSON.parse(row.reported) : null
  }

  /** Of its last report, whose whole row would be long to parse. */
  held(accountId: string): { version: number; heldMicros: number } | undefined {
    const facts = "reported ->> '$.totals.version' AS version, reported ->> 'heldMicros' AS heldMicros"
    return firstRow(this.#sql, `SELECT ${facts} FROM accounts WHERE account_id = ?`, accountId)
  }

  /** One after the other: there can be a million. */
  *accounts(): Iterable<Reported> {
    const rows = this.#sql.exec<{ reported: string }>('SELECT reported FROM accounts')
    for (const { reported } of rows) yield JSON.parse(reported)
  }

  saveAccount(accountId: string, reported: Reported): void {
    this.#sql.exec(
      'INSERT OR REPLACE INTO accounts (account_id, wake_at, reported) VALUES (?, ?, ?)',
      accountId,
      reported.wakeAt,
      JSON.stringify(reported),
    )
  }

  /** In random order, so that accounts that cannot be woken do not block the others. */
  overdueAccounts(before: number, limit: number): string[] {
    const query = 'SELECT account_id AS id FROM accounts WHERE wake_at < ? ORDER BY random() LIMIT ?'
    return this.#sql
      .exec<{ id: string }>(query, before, limit)
      .toArray()
      .map(({ id }) => id)
  }

  counters(): Record<string, number> {
    const rows = this.#sql.exec<{ name: string; count: number }>('SELECT * FROM counters')
    return Object.fromEntries([...rows].map(({ name, count }) => [name, count]))
  }

  count(name: EventCounter, amount: number): void {
    const query = 'INSERT INTO counters (name, count) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET count = count + ?2'
    this.#sql.exec(query, name, amount)
  }

  deadWebhooks(): DeadWebhook[] {
    return this.#sql
      .exec<{ delivery: string }>('SELECT delivery FROM dead_webhooks ORDER BY failed_at DESC, delivery_id DESC')
      .toArray()
      .map(({ delivery }) => JSON.parse(delivery) as DeadWebhook)
  }

  /** A delivery that was replayed can be given up again. */
  addDeadWebhook(webhook: DeadWebhook): void {
    const { deliveryId, failedAt } = webhook
    this.#sql.exec(
      'INSERT OR REPLACE INTO dead_webhooks (delivery_id, failed_at, delivery) VALUES (?, ?, ?)',
      deliveryId,
      failedAt,
      JSON.stringify(webhook),
    )
    this.#sql.exec(
      `DELETE FROM dead_webhooks WHERE delivery_id NOT IN
         (SELECT delivery_id FROM dead_webhooks ORDER BY failed_at DESC, delivery_id DESC LIMIT ?)`,
      MAX_DEAD_WEBHOOKS,
    )
  }
}

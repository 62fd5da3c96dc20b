import type { CountedEnds } from '../../domain/metrics/account-report.ts'
import { type DeadWebhook, MAX_DEAD_WEBHOOKS } from '../../domain/metrics/counted-events.ts'
import type { CountedOutcome } from '../../domain/metrics/job-totals.ts'
import type { LastReport } from '../../domain/metrics/sums.ts'
import { firstRow, json, migrate, plain, type StoredRow, Table } from '../sqlite.ts'

/** What a metrics object keeps. Times are milliseconds since 1970, amounts are whole micro-dollars. */
const versions = [
  `
  -- The last report of each account, which of its ends were counted in its outcomes, and when it is woken if it does not
  -- report before. The end of a job writes one row.
  CREATE TABLE accounts (
    account_id TEXT PRIMARY KEY,
    -- JSON.
    totals TEXT NOT NULL,
    held_micros INTEGER NOT NULL,
    schema_version INTEGER NOT NULL,
    wake_at INTEGER,
    ends_up_to INTEGER NOT NULL,
    -- JSON.
    ends_beyond TEXT NOT NULL,
    -- How its jobs of the last hours and days have ended, as JSON.
    outcomes TEXT NOT NULL
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
  counted: CountedEnds
  wakeAt: number | null
  outcomes: CountedOutcome[]
}

const accountTable = new Table<Reported & { accountId: string }>('accounts', {
  accountId: plain('account_id'),
  totals: json('totals'),
  heldMicros: plain('held_micros'),
  wakeAt: plain('wake_at'),
  schemaVersion: plain('schema_version'),
  outcomes: json('outcomes'),
  counted: {
    columns: ['ends_up_to', 'ends_beyond'],
    read: ({ ends_up_to, ends_beyond }) => ({ upTo: Number(ends_up_to), beyond: JSON.parse(`${ends_beyond}`) }),
    write: ({ upTo, beyond }) => ({ ends_up_to: upTo, ends_beyond: JSON.stringify(beyond) }),
  },
})

export class MetricsRows {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    migrate(sql, versions)
  }

  account(accountId: string): Reported | null {
    return accountTable.first(this.#sql, 'WHERE account_id = ?', accountId)
  }

  heldMicros(accountId: string): number {
    const query = 'SELECT held_micros AS held FROM accounts WHERE account_id = ?'
    return firstRow<{ held: number }>(this.#sql, query, accountId)?.held ?? 0
  }

  /** One after the other: there can be a million. */
  *accounts(): Iterable<Reported> {
    for (const stored of this.#sql.exec<StoredRow>('SELECT * FROM accounts')) yield accountTable.read(stored)
  }

  saveAccount(accountId: string, reported: Reported): void {
    accountTable.insertOrReplace(this.#sql, { ...reported, accountId })
  }

  /** One account after the other. */
  *outcomes(fromHour: number): Iterable<CountedOutcome> {
    for (const { outcomes } of this.#sql.exec<{ outcomes: string }>('SELECT outcomes FROM accounts')) {
      for (const each of JSON.parse(outcomes) as CountedOutcome[]) if (each.hour >= fromHour) yield each
    }
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

  count(name: string, amount: number): void {
    const query = 'INSERT INTO counters (name, count) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET count = count + ?2'
    this.#sql.exec(query, name, amount)
  }

  /** Newest first. */
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

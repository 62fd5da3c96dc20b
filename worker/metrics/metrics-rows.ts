import type { CountedEnds } from '../../domain/metrics/account-report.ts'
import { type DeadWebhook, type EventCounter, MAX_DEAD_WEBHOOKS } from '../../domain/metrics/counted-events.ts'
import type { CountedOutcome } from '../../domain/metrics/job-totals.ts'
import type { LastReport } from '../../domain/metrics/sums.ts'
import { firstRow, migrate } from '../sqlite.ts'

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

import type { CountedEnds } from '../../domain/metrics/account-report.ts'
import { type DeadWebhook, MAX_DEAD_WEBHOOKS } from '../../domain/metrics/counted-events.ts'
import type { CountedOutcome } from '../../domain/metrics/job-totals.ts'
import type { LastReport } from '../../domain/metrics/sums.ts'
import { firstRow, json, jsonOr, migrate, plain, type StoredRow, Table } from '../sqlite.ts'

/**
 * What a metrics object keeps. Times are milliseconds since 1970, amounts are whole micro-dollars. The first version finds its
 * tables in objects from before versions were counted.
 */
const versions = [
  `
  -- The last report of each account, and which of its ends were counted in outcomes.
  CREATE TABLE IF NOT EXISTS accounts (
    account_id TEXT PRIMARY KEY,
    totals TEXT NOT NULL,
    held_micros INTEGER NOT NULL,
    ends_up_to INTEGER NOT NULL,
    ends_beyond TEXT NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS outcomes (
    hour INTEGER NOT NULL,
    source TEXT NOT NULL,
    kind TEXT NOT NULL,
    outcome TEXT NOT NULL,
    code TEXT NOT NULL,
    count INTEGER NOT NULL,
    PRIMARY KEY (hour, source, kind, outcome, code)
  ) WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS counters (
    name TEXT PRIMARY KEY,
    count INTEGER NOT NULL
  ) WITHOUT ROWID;

  CREATE TABLE IF NOT EXISTS dead_webhooks (
    delivery_id TEXT PRIMARY KEY,
    failed_at INTEGER NOT NULL,
    -- JSON.
    delivery TEXT NOT NULL
  ) WITHOUT ROWID;`,

  // When an account that has not reported since is woken, and how its jobs of the last hours have ended, as JSON. So the end
  // of a job writes one row. The table outcomes has those of before.
  `ALTER TABLE accounts ADD COLUMN wake_at INTEGER;
   ALTER TABLE accounts ADD COLUMN outcomes TEXT;`,

  // The version of the account's schema. null: not reported.
  'ALTER TABLE accounts ADD COLUMN schema_version INTEGER',
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
  outcomes: jsonOr<CountedOutcome[]>([], 'outcomes'),
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

  /** One account after the other. Those that earlier versions counted for all accounts together come first. */
  *outcomes(fromHour: number): Iterable<CountedOutcome> {
    yield* this.#sql.exec<CountedOutcome & StoredRow>('SELECT * FROM outcomes WHERE hour >= ?', fromHour)
    const query = 'SELECT outcomes FROM accounts WHERE outcomes IS NOT NULL'
    for (const { outcomes } of this.#sql.exec<{ outcomes: string }>(query)) {
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

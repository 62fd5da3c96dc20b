import type { AccountReport, CountedEnds, EndedJob } from '../../domain/metrics/account-report.ts'
import { type DeadWebhook, MAX_DEAD_WEBHOOKS } from '../../domain/metrics/counted-events.ts'
import type { HourlyOutcome, JobTotals } from '../../domain/metrics/job-totals.ts'

/** What a metrics object keeps. Times are milliseconds since 1970, amounts are whole micro-dollars. */
const schema = `
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
  ) WITHOUT ROWID;`

export type Reported = Pick<AccountReport, 'totals' | 'heldMicros'> & { counted: CountedEnds }

type AccountColumns = { totals: string; held_micros: number; ends_up_to: number; ends_beyond: string }

export class MetricsRows {
  readonly #sql: SqlStorage

  constructor(sql: SqlStorage) {
    this.#sql = sql
    sql.exec(schema)
  }

  account(accountId: string): Reported | null {
    const [row] = this.#sql.exec<AccountColumns>('SELECT * FROM accounts WHERE account_id = ?', accountId)
    return row ? toReported(row) : null
  }

  /** One after the other: there can be a million. */
  *accounts(): Iterable<Reported> {
    for (const row of this.#sql.exec<AccountColumns>('SELECT * FROM accounts')) yield toReported(row)
  }

  saveAccount(accountId: string, { totals, heldMicros, counted }: Reported): void {
    this.#sql.exec(
      `INSERT INTO accounts VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET totals = excluded.totals,
         held_micros = excluded.held_micros, ends_up_to = excluded.ends_up_to, ends_beyond = excluded.ends_beyond`,
      accountId,
      JSON.stringify(totals),
      heldMicros,
      counted.upTo,
      JSON.stringify(counted.beyond),
    )
  }

  countOutcome(hour: number, source: string, { kind, outcome, code }: EndedJob): void {
    this.#sql.exec(
      'INSERT INTO outcomes VALUES (?, ?, ?, ?, ?, 1) ON CONFLICT DO UPDATE SET count = count + 1',
      hour,
      source,
      kind,
      outcome,
      code,
    )
  }

  outcomes(fromHour: number): HourlyOutcome[] {
    return this.#sql.exec<HourlyOutcome & Row>('SELECT * FROM outcomes WHERE hour >= ?', fromHour).toArray()
  }

  sourcesOf(hour: number): string[] {
    return this.#sql
      .exec<{ source: string }>('SELECT DISTINCT source FROM outcomes WHERE hour = ?', hour)
      .toArray()
      .map(({ source }) => source)
  }

  deleteOutcomes(beforeHour: number): void {
    this.#sql.exec('DELETE FROM outcomes WHERE hour < ?', beforeHour)
  }

  counters(): Record<string, number> {
    const rows = this.#sql.exec<{ name: string; count: number }>('SELECT * FROM counters')
    return Object.fromEntries([...rows].map(({ name, count }) => [name, count]))
  }

  count(name: string, amount: number): void {
    this.#sql.exec('INSERT INTO counters VALUES (?1, ?2) ON CONFLICT DO UPDATE SET count = count + ?2', name, amount)
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
      'INSERT OR REPLACE INTO dead_webhooks VALUES (?, ?, ?)',
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

type Row = Record<string, SqlStorageValue>

const toReported = (row: AccountColumns): Reported => ({
  totals: JSON.parse(row.totals) as JobTotals,
  heldMicros: row.held_micros,
  counted: { upTo: row.ends_up_to, beyond: JSON.parse(row.ends_beyond) as number[] },
})

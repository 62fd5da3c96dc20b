import { type AccountLimits, limitsOf } from '../../domain/account/account-limits.ts'
import type { Terms } from '../../domain/account/terms.ts'
import { type Prices, withOwnPrices } from '../../domain/money/prices.ts'
import { changedColumns, type StoredRow, type Table } from '../sqlite.ts'
import { type AccountRow, accountTable } from './account-row.ts'
import { type BatchRow, batchTable } from './batches/batch-rows.ts'
import type { JobLease } from './calls.ts'
import { JobProgress } from './jobs/job-progress.ts'
import { isSeen, type JobRow, jobTable, openJobs } from './jobs/job-rows.ts'
import { Keys } from './keys/key-rows.ts'
import { Reports } from './reports.ts'
import { CountedUse } from './requests/counted-use.ts'
import { type WatchRow, watchTable } from './watches/watch-rows.ts'

interface OpenedAccount {
  row: AccountRow
  saved: StoredRow
  /** What of it is reported to the metrics object and to D1. Its version grows with each change. */
  reported: string
}

/** The rows of the account, its jobs, batches and watches that an act reads and changes. They are written at its end. */
export class AccountRows {
  readonly sql: SqlStorage
  readonly terms: Terms
  readonly batches: OpenedRows<BatchRow>
  readonly watches: OpenedRows<WatchRow>
  readonly use: CountedUse
  readonly keys: Keys
  readonly progress = new JobProgress(Date.now())
  readonly reports: Reports
  readonly #jobs: OpenedRows<JobRow>
  /** Kept from one act to the next, because nothing else writes it. */
  #account: OpenedAccount | null = null

  constructor(sql: SqlStorage, terms: Terms) {
    this.sql = sql
    this.terms = terms
    this.batches = new OpenedRows(sql, batchTable, ({ id }) => this.progress.changed(id))
    this.watches = new OpenedRows(sql, watchTable, () => {})
    this.use = new CountedUse(sql)
    this.keys = new Keys(sql)
    this.reports = new Reports(sql)
    this.#jobs = new OpenedRows(sql, jobTable, ({ id }, columns) => {
      if (columns.some(isSeen)) this.progress.changed(id)
    })
  }

  get account(): AccountRow {
    this.#account ??= this.#readAccount()
    return this.#account.row
  }

  get limits(): AccountLimits {
    return limitsOf(this.account.limits, this.terms.limits)
  }

  get prices(): Prices {
    return withOwnPrices(this.terms.prices, this.account.prices)
  }

  findJob(jobId: string): JobRow | null {
    return this.#jobs.find(jobId)
  }

  /** Every report is checked here before it changes anything. null: the lease is lost. */
  findLeasedJob({ jobId, lease, attempt }: JobLease, now: number): JobRow | null {
    const job = this.findJob(jobId)
    if (job?.lease !== lease || (job.leaseUntil ?? 0) <= now) return null
    return attempt === undefined || attempt === job.attempt ? job : null
  }

  addJob(job: JobRow): void {
    this.#jobs.add(job)
  }

  /** The jobs that are live, or that ended and are not recorded. They are for reading: changes of them are not saved. */
  openJobs(): JobRow[] {
    this.#jobs.write()
    return openJobs(this.sql)
  }

  save(): void {
    this.#jobs.save()
    this.batches.save()
    this.watches.save()
    this.#saveAccount()
  }

  saveUse(): void {
    if (this.use.isDue) this.#saveAccount()
  }

  /** What has changed for callers since this was called before. */
  takeChanges(): { changed: Set<string>; areKeysChanged: boolean } {
    return { changed: this.progress.takeChanged(), areKeysChanged: this.keys.takeChanged() }
  }

  forget(): void {
    this.takeChanges()
    this.#jobs.forget()
    this.keys.forget()
    this.batches.forget()
    this.watches.forget()
    this.#account = null
  }

  #saveAccount(): void {
    if (!this.#account && !this.use.isDue) return
    const { row, saved, reported } = this.#account ?? this.#readAccount()
    if (reportedText(row) !== reported) row.totals = { ...row.totals, version: row.totals.version + 1 }
    const stored = accountTable.write(row)
    const changed = changedColumns(stored, saved)
    if (Object.keys(changed).length === 0 && !this.use.isDue) return
    accountTable.updateColumns(this.sql, { ...changed, ...this.use.takeColumns() }, 'id = ?', row.id)
    this.#account = { row, saved: stored, reported: reportedText(row) }
  }

  #readAccount(): OpenedAccount {
    const row = accountTable.first(this.sql, '')
    if (!row) throw new Error('the object is not an account')
    return { row, saved: accountTable.write(row), reported: reportedText(row) }
  }
}

const reportedText = ({ held, totals, name, isSuspended, origins }: AccountRow): string =>
  JSON.stringify([held, totals, name, isSuspended, origins])

/** Rows are changed in memory, and written once, at the end of the act: every written row is billed. */
class OpenedRows<Row extends { readonly id: string }> {
  readonly #sql: SqlStorage
  readonly #table: Table<Row>
  readonly #onUpdate: (row: Row, columns: string[]) => void
  /** `saved`: as it was read. null: the row is new. */
  readonly #opened = new Map<string, { row: Row; saved: StoredRow | null }>()

  constructor(sql: SqlStorage, table: Table<Row>, onUpdate: (row: Row, columns: string[]) => void) {
    this.#sql = sql
    this.#table = table
    this.#onUpdate = onUpdate
  }

  find(id: string): Row | null {
    const opened = this.#opened.get(id)
    if (opened) return opened.row
    const row = this.#table.first(this.#sql, 'WHERE id = ?', id)
    if (row) this.#opened.set(id, { row, saved: this.#table.write(row) })
    return row
  }

  add(row: Row): void {
    this.#opened.set(row.id, { row, saved: null })
  }

  remove(id: string): void {
    this.#opened.delete(id)
    this.#table.delete(this.#sql, 'id = ?', id)
  }

  /** Writes what has changed, so that a query finds it. */
  write(): void {
    for (const opened of this.#opened.values()) {
      const { row, saved } = opened
      opened.saved = this.#table.write(row)
      if (saved) this.#update(row, changedColumns(opened.saved, saved))
      else this.#table.insert(this.#sql, row)
    }
  }

  save(): void {
    this.write()
    this.forget()
  }

  forget(): void {
    this.#opened.clear()
  }

  #update(row: Row, changed: StoredRow): void {
    const columns = Object.keys(changed)
    if (columns.length === 0) return
    this.#table.updateColumns(this.#sql, changed, 'id = ?', row.id)
    this.#onUpdate(row, columns)
  }
}

import { type AccountLimits, limitsOf, type RateClass } from '../../domain/account-limits.ts'
import type { Prices } from '../../domain/money/prices.ts'
import { RecentValues } from '../../domain/recent-values.ts'
import type { Terms } from '../../domain/terms.ts'
import { HOUR_MS } from '../../domain/time.ts'
import { changedColumns, type SizedRow, type StoredRow, type Table } from '../sqlite.ts'
import {
  type AccountRow,
  type AccountUse,
  accountTable,
  type FreeWork,
  type FreeWorkBudget,
  type KeyPool,
  type RateWindow,
  type RateWindows,
  useTable,
} from './account-row.ts'
import { type BatchRow, batchTable } from './batches/batch-rows.ts'
import type { JobLease } from './calls.ts'
import { EventLog } from './events/event-log.ts'
import { JobProgress } from './jobs/job-progress.ts'
import { isSeen, type JobRow, jobTable } from './jobs/job-rows.ts'
import { Keys } from './keys/key-rows.ts'
import { OpenedRows } from './opened-rows.ts'
import { Reports } from './reports.ts'

/** Of the jobs that are kept in memory. Live ones have no result, so as a rule all of an account are among them. */
const READ_JOBS_BYTES = 2_000_000
/** The last use is written at least this often while the account is used. */
const SAVE_LAST_USE_MS = HOUR_MS

interface OpenedAccount {
  row: AccountRow
  saved: StoredRow
  /** What of it is reported to the metrics object and to D1. Its version grows with each change. */
  reported: string
}

interface CountedUse {
  use: AccountUse
  saved: AccountUse
}

/**
 * The rows of the account and of the jobs that an act reads. The act changes them in memory, and each row that has
 * changed is written once, at the end of its transaction: every written row is billed.
 */
export class AccountRows {
  readonly sql: SqlStorage
  /** Those of the deployment. */
  readonly terms: Terms
  /** What the metrics object knows of the account, as far as this memory knows. */
  readonly reports: Reports
  /**
   * Ended jobs that are recorded, and deliveries that have arrived. The account's row, which still has them, is not written for
   * that alone. If the object is evicted before, it asks D1 and the metrics object again, which writes no row.
   */
  readonly #closed = new Set<string>()
  /** What the running attempts of jobs have downloaded, as of their last progress reports. */
  readonly downloadedBytes = new Map<string, number>()
  /** Until when consumers have claimed turns, by lease. If this is lost, messages are sent again. */
  readonly claimedTurns = new Map<string, number>()
  /** When this memory was empty. */
  readonly openedAt = Date.now()
  readonly batches: OpenedRows<BatchRow>
  readonly events: EventLog
  readonly keys: Keys
  readonly progress: JobProgress
  readonly #jobs: OpenedRows<JobRow>
  /** Jobs as they were saved last. Every act looks at all open jobs for what is due next. */
  readonly #readJobs = new RecentValues<string, SizedRow<JobRow>>(READ_JOBS_BYTES, ({ sizeBytes }) => sizeBytes)
  #account: OpenedAccount | null = null
  #use: CountedUse | null = null
  #isUseDue = false

  constructor(sql: SqlStorage, terms: Terms) {
    this.sql = sql
    this.terms = terms
    this.batches = new OpenedRows(sql, batchTable)
    this.events = new EventLog(sql)
    this.keys = new Keys(sql)
    this.reports = new Reports(sql)
    this.progress = new JobProgress(this.openedAt, (jobId) => this.openJobIds.includes(jobId))
    this.#jobs = new OpenedRows(sql, jobTable, {
      afterUpdate: ({ id }, columns) => {
        this.#readJobs.delete(id)
        if (columns.some(isSeen)) this.progress.changed(id)
      },
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
    return { ...this.terms.prices, ...this.account.prices }
  }

  windowsOf(pool: KeyPool): RateWindows {
    return this.#useOf().use.windows[pool] ?? {}
  }

  /** Written with the account's row, or by `saveUse`. */
  setWindow(pool: KeyPool, rateClass: RateClass, window: RateWindow): void {
    const { use } = this.#useOf()
    use.windows = { ...use.windows, [pool]: { ...use.windows[pool], [rateClass]: window } }
  }

  /** null: nothing was ever used. */
  freeWorkOf(pool: KeyPool, budget: FreeWorkBudget): FreeWork | null {
    return this.#useOf().use.freeWork[pool]?.[budget] ?? null
  }

  /** Written with the account's row, or by `saveUse`. */
  setFreeWork(pool: KeyPool, budget: FreeWorkBudget, work: FreeWork): void {
    const { use } = this.#useOf()
    use.freeWork = { ...use.freeWork, [pool]: { ...use.freeWork[pool], [budget]: work } }
  }

  /** null: never. */
  get lastUsedAt(): number | null {
    return this.#useOf().use.lastUsedAt
  }

  /** null: never. */
  lastUseOf(keyId: string): number | null {
    return this.#useOf().use.keyUses[keyId] ?? null
  }

  noteUse(keyId: string, now: number): void {
    const { use, saved } = this.#useOf()
    use.lastUsedAt = now
    use.keyUses = { ...use.keyUses, [keyId]: now }
    const savedAt = saved.keyUses[keyId] ?? Number.NEGATIVE_INFINITY
    if (now - savedAt >= SAVE_LAST_USE_MS) this.saveUse()
  }

  forgetUseOf(keyId: string): void {
    const { use } = this.#useOf()
    const { [keyId]: _, ...keyUses } = use.keyUses
    use.keyUses = keyUses
  }

  saveUse(): void {
    this.#isUseDue = true
  }

  /** The job as it was saved last, for requests that do not change it. */
  readJob(jobId: string): JobRow | null {
    const job = this.#readJobs.get(jobId) ?? this.#jobs.read(jobId)
    if (job) this.#readJobs.set(jobId, job)
    return job?.row ?? null
  }

  findJob(jobId: string): JobRow | null {
    return this.#jobs.find(jobId)
  }

  /** Every report is checked here before it changes anything. null: the lease is lost. */
  findLeasedJob({ jobId, lease, attempt }: JobLease, now: number): JobRow | null {
    const job = this.findJob(jobId)
    if (job?.lease !== lease || (job.leaseUntil ?? 0) <= now) return null
    return attempt === undefined || attempt === job.leaseNumber ? job : null
  }

  /** Jobs that are live, or that ended and are not recorded. */
  get openJobIds(): string[] {
    const { openJobs } = this.account
    return this.#unlessClosed(openJobs)
  }

  get newDeliveryIds(): string[] {
    return this.#unlessClosed(this.account.newDeliveries)
  }

  openJobs(): JobRow[] {
    return this.openJobIds.flatMap((jobId) => this.findJob(jobId) ?? [])
  }

  /** The open jobs as they were saved last, for requests that do not change them. */
  readOpenJobs(): JobRow[] {
    return this.openJobIds.flatMap((jobId) => this.readJob(jobId) ?? [])
  }

  addJob(job: JobRow): void {
    this.#jobs.add(job)
    this.openJob(job.id)
  }

  openJob(jobId: string): void {
    this.#closed.delete(jobId)
    if (!this.account.openJobs.includes(jobId)) this.account.openJobs = [...this.account.openJobs, jobId]
  }

  closeJob(jobId: string): void {
    this.#closed.add(jobId)
    this.progress.forget(jobId)
  }

  closeDelivery(id: string): void {
    this.#closed.add(id)
  }

  /** Called in the transaction of the act. */
  save(): void {
    this.#jobs.save()
    this.batches.save()
    this.#saveAccount()
  }

  /** After a request that only reads. */
  saveDueUse(): void {
    if (this.#isUseDue) this.#saveAccount()
  }

  /** After jobs were changed by other statements than those of `save`. */
  forgetReads(): void {
    this.#readJobs.clear()
  }

  /** After a rollback. What is counted for rate limits stays. */
  forget(): void {
    this.#jobs.forget()
    this.keys.forget()
    this.forgetReads()
    this.batches.forget()
    this.events.forget()
    this.#account = null
  }

  #unlessClosed(ids: string[]): string[] {
    return this.#closed.size === 0 ? ids : ids.filter((id) => !this.#closed.has(id))
  }

  /** What the row had no more when it was saved last need not be remembered. */
  #removeClosed(row: AccountRow): void {
    const listed = new Set([...row.openJobs, ...row.newDeliveries])
    for (const id of this.#closed) if (!listed.has(id)) this.#closed.delete(id)
    row.openJobs = this.openJobIds
    row.newDeliveries = this.newDeliveryIds
  }

  #saveAccount(): void {
    if (!this.#account) {
      if (!this.#isUseDue) return
      this.#account = this.#readAccount()
    }
    const { row, saved, reported } = this.#account
    if (reportedText(row) !== reported) row.totals = { ...row.totals, version: row.totals.version + 1 }
    const isSame = Object.keys(changedColumns(accountTable.write(row), saved)).length === 0
    if (isSame && !this.#isUseDue) return
    this.#removeClosed(row)
    const stored = accountTable.write(row)
    const changed = changedColumns(stored, saved)
    const { use } = this.#useOf()
    const { lastInMemory } = this.events
    const lastEvent = lastInMemory === null ? {} : { last_event: lastInMemory }
    accountTable.updateColumns(this.sql, { ...changed, ...useTable.write(use), ...lastEvent }, 'id = ?', row.id)
    this.#account = { row, saved: stored, reported: reportedText(row) }
    this.#use = { use, saved: { ...use } }
    this.#isUseDue = false
  }

  #useOf(): CountedUse {
    if (!this.#use) {
      const use = this.#readRow(useTable)
      this.#use = { use, saved: { ...use } }
    }
    return this.#use
  }

  #readAccount(): OpenedAccount {
    const row = this.#readRow(accountTable)
    return { row, saved: accountTable.write(row), reported: reportedText(row) }
  }

  #readRow<Row extends object>(table: Table<Row>): Row {
    const row = table.first(this.sql, '')
    if (!row) throw new Error('the object is not an account')
    return row
  }
}

const reportedText = ({ held, totals, name, isSuspended, origins }: AccountRow): string =>
  JSON.stringify([held, totals, name, isSuspended, origins])

import { MAX_CONCURRENT_JOBS, type OwnLimits, type RateClass } from '../../domain/account-limits.ts'
import { type JobTotals, noTotals } from '../../domain/metrics/job-totals.ts'
import { type Micros, micros } from '../../domain/money/money.ts'
import { RecentValues } from '../../domain/recent-values.ts'
import { OpenedBatches } from './batches/batch-rows.ts'
import type { Check, OpenBatch, Turn } from './batches/open-batch.ts'
import type { JobLease } from './calls.ts'
import { isLiveKey } from './entry/keys.ts'
import { EventLog } from './events/event-log.ts'
import { JobProgress } from './jobs/job-progress.ts'
import { insertJob, isSeen, type JobColumns, type JobRow, readJob, toColumns, updateJob } from './jobs/job-rows.ts'
import { firstRow } from './sqlite.ts'

export interface AccountRow {
  readonly id: string
  readonly createdAt: number
  name: string
  /** Nothing new starts; all else goes on. */
  isSuspended: boolean
  limits: OwnLimits
  balance: Micros
  held: Micros
  /** Jobs that are live, or whose row in D1 is out of date. */
  openJobs: string[]
  /** Batches that have not ended, in the order of their turns. */
  openBatches: OpenBatch[]
  turns: Turn[]
  /** When media next expires or old jobs are removed. null: there are no jobs. */
  sweepAt: number | null
  totals: JobTotals
}

export interface RateWindow {
  startedAt: number
  used: number
}

/** What of the budget was used at this time. */
export interface FreeWork {
  countedAt: number
  engineMs: number
  bytes: number
}

export type RateWindows = Partial<Record<RateClass, RateWindow>>

/** What requests change. It is counted in memory, and written whenever the account's row is, and on `saveUse`. */
interface AccountUse {
  windows: RateWindows
  /** null: none. */
  freeWork: FreeWork | null
  savedFreeWork: FreeWork | null
  lastUsedAt: number | null
  savedLastUsedAt: number | null
}

type AccountColumns = {
  id: string
  created_at: number
  name: string
  suspended: number
  limits: string
  balance_micros: number
  held_micros: number
  open_jobs: string
  open_batches: string
  batch_turns: string
  rate_windows: string
  free_work: string | null
  sweep_at: number | null
  last_used_at: number | null
  totals: string | null
}

/** Kept in memory. More than an account may have live, of both kinds. */
const MAX_READ_JOBS = 2 * MAX_CONCURRENT_JOBS + 20
/** The last use is written at least this often while the account is used. */
const SAVE_LAST_USE_MS = 3_600_000

interface OpenedJob {
  job: JobRow
  /** null: the job is new. */
  saved: JobColumns | null
}

interface OpenedAccount {
  row: AccountRow
  saved: string
  /** What of it is reported to the metrics object and to D1. Its version grows with each change. */
  reported: string
}

/**
 * The rows of the account and of the jobs that an act reads. The act changes them in memory, and each row that has
 * changed is written once, at the end of its transaction: every written row is billed.
 */
export class AccountRows {
  readonly sql: SqlStorage
  /** Jobs whose acceptance is in D1. That is saved with the next change of the job. */
  readonly recordedJobs = new Set<string>()
  /** What the running attempts of jobs have downloaded, as of their last progress reports. */
  readonly downloadedBytes = new Map<string, number>()
  /** How far the checks of turns are, by lease. A check that is lost with the object's memory is made again. */
  readonly checks = new Map<string, Check>()
  /** When this memory was empty. */
  readonly openedAt = Date.now()
  readonly batches: OpenedBatches
  readonly events: EventLog
  readonly progress: JobProgress
  readonly #jobs = new Map<string, OpenedJob>()
  /** What requests have read since the last act. A caller polls with the same key. */
  readonly #liveKeys = new Set<string>()
  /** Jobs as they were saved last. Every act looks at all open jobs for what is due next. */
  readonly #readJobs = new RecentValues<string, JobRow>(MAX_READ_JOBS)
  #account: OpenedAccount | null = null
  #use: AccountUse | null = null
  #isUseDue = false

  constructor(sql: SqlStorage) {
    this.sql = sql
    this.batches = new OpenedBatches(sql)
    this.events = new EventLog(sql)
    this.progress = new JobProgress(this.openedAt, (jobId) => this.account.openJobs.includes(jobId))
  }

  get account(): AccountRow {
    this.#account ??= this.#readAccount()
    return this.#account.row
  }

  get windows(): RateWindows {
    return this.#useOf().windows
  }

  get freeWork(): FreeWork | null {
    return this.#useOf().freeWork
  }

  /** Written with the account's row, or by `saveUse`. */
  set freeWork(freeWork: FreeWork) {
    this.#useOf().freeWork = freeWork
  }

  /** As it is in the row. */
  get savedFreeWork(): FreeWork | null {
    return this.#useOf().savedFreeWork
  }

  /** null: never. */
  get lastUsedAt(): number | null {
    return this.#useOf().lastUsedAt
  }

  noteUse(now: number): void {
    const use = this.#useOf()
    use.lastUsedAt = now
    if (use.savedLastUsedAt === null || now - use.savedLastUsedAt >= SAVE_LAST_USE_MS) this.saveUse()
  }

  saveUse(): void {
    this.#isUseDue = true
  }

  isLiveKey(hash: string): boolean {
    const isLive = this.#liveKeys.has(hash) || isLiveKey(this.sql, hash)
    if (isLive) this.#liveKeys.add(hash)
    return isLive
  }

  /** The job as it was saved last, for requests that do not change it. */
  readJob(jobId: string): JobRow | null {
    const job = this.#readJobs.get(jobId) ?? readJob(this.sql, jobId)
    if (job) this.#readJobs.set(jobId, job)
    return job
  }

  findJob(jobId: string): JobRow | null {
    const opened = this.#jobs.get(jobId)
    if (opened) return opened.job
    const job = readJob(this.sql, jobId)
    if (!job) return null
    // What was read is compared, and not the columns: an older row has fewer fields, in another order.
    this.#jobs.set(jobId, { job, saved: toColumns(job) })
    return job
  }

  /** Every report is checked here before it changes anything. null: the lease is lost. */
  findLeasedJob({ jobId, lease, attempt }: JobLease, now: number): JobRow | null {
    const job = this.findJob(jobId)
    if (job?.lease !== lease || (job.leaseUntil ?? 0) <= now) return null
    return attempt === undefined || attempt === job.leaseNumber ? job : null
  }

  openJobs(): JobRow[] {
    return this.account.openJobs.flatMap((jobId) => this.findJob(jobId) ?? [])
  }

  /** The same as they were saved last, for requests that do not change them. */
  readOpenJobs(): JobRow[] {
    return this.account.openJobs.flatMap((jobId) => this.readJob(jobId) ?? [])
  }

  addJob(job: JobRow): void {
    this.#jobs.set(job.id, { job, saved: null })
    this.account.openJobs = [...this.account.openJobs, job.id]
  }

  /** Called in the transaction of the act. */
  save(): void {
    for (const { job, saved } of this.#jobs.values()) this.#saveJob(job, saved)
    this.#jobs.clear()
    this.batches.save()
    this.#saveAccount()
    this.#liveKeys.clear()
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
    this.#jobs.clear()
    this.#liveKeys.clear()
    this.forgetReads()
    this.batches.forget()
    this.events.forget()
    this.#account = null
  }

  #saveJob(job: JobRow, saved: JobColumns | null): void {
    if (!saved) {
      insertJob(this.sql, toColumns(job))
      return
    }
    if (changedColumns(toColumns(job), saved).length === 0) return
    job.isRecorded ||= this.recordedJobs.has(job.id)
    const columns = toColumns(job)
    const changed = changedColumns(columns, saved)
    updateJob(this.sql, job.id, columns, changed)
    this.#readJobs.delete(job.id)
    if (changed.some(isSeen)) this.progress.changed(job.id)
  }

  #saveAccount(): void {
    if (!this.#account) {
      if (!this.#isUseDue) return
      this.#account = this.#readAccount()
    }
    const { row, saved, reported } = this.#account
    if (reportedText(row) !== reported) row.totals = { ...row.totals, version: row.totals.version + 1 }
    const text = JSON.stringify(row)
    if (text === saved && !this.#isUseDue) return
    const use = this.#useOf()
    this.sql.exec(
      `UPDATE account SET name = ?, suspended = ?, limits = ?, balance_micros = ?, held_micros = ?, open_jobs = ?,
         open_batches = ?, batch_turns = ?, sweep_at = ?, totals = ?, rate_windows = ?, free_work = ?, last_used_at = ?,
         last_event = max(coalesce(last_event, 0), ?)`,
      row.name,
      row.isSuspended ? 1 : 0,
      JSON.stringify(row.limits),
      row.balance,
      row.held,
      JSON.stringify(row.openJobs),
      JSON.stringify(row.openBatches),
      JSON.stringify(row.turns),
      row.sweepAt,
      JSON.stringify(row.totals),
      JSON.stringify(use.windows),
      use.freeWork && JSON.stringify(use.freeWork),
      use.lastUsedAt,
      this.events.lastInMemory,
    )
    this.#account = { row, saved: text, reported: reportedText(row) }
    use.savedFreeWork = use.freeWork
    use.savedLastUsedAt = use.lastUsedAt
    this.#isUseDue = false
  }

  #useOf(): AccountUse {
    if (!this.#use) {
      const { rate_windows, free_work, last_used_at } = this.#columns()
      const windows = JSON.parse(rate_windows) as RateWindows
      const freeWork: FreeWork | null = JSON.parse(free_work ?? 'null')
      const lastUsedAt = last_used_at
      this.#use = { windows, freeWork, savedFreeWork: freeWork, lastUsedAt, savedLastUsedAt: lastUsedAt }
    }
    return this.#use
  }

  #readAccount(): OpenedAccount {
    const { id, created_at, name, suspended, limits, balance_micros, held_micros, ...rest } = this.#columns()
    const { open_jobs, open_batches, batch_turns, sweep_at, totals } = rest
    const row: AccountRow = {
      id,
      createdAt: created_at,
      name,
      isSuspended: suspended === 1,
      limits: JSON.parse(limits),
      balance: micros(balance_micros),
      held: micros(held_micros),
      openJobs: JSON.parse(open_jobs),
      openBatches: JSON.parse(open_batches),
      turns: JSON.parse(batch_turns),
      sweepAt: sweep_at,
      totals: totals === null ? noTotals : JSON.parse(totals),
    }
    return { row, saved: JSON.stringify(row), reported: reportedText(row) }
  }

  #columns(): AccountColumns {
    const row = firstRow<AccountColumns>(this.sql, 'SELECT * FROM account')
    if (!row) throw new Error('the object is not an account')
    return row
  }
}

const reportedText = ({ held, totals, name, isSuspended }: AccountRow): string =>
  JSON.stringify([held, totals, name, isSuspended])

const changedColumns = (columns: JobColumns, saved: JobColumns): (keyof JobColumns)[] =>
  (Object.keys(columns) as (keyof JobColumns)[]).filter((name) => columns[name] !== saved[name])

import type { AccountReport, EndedJob } from '../../domain/metrics/account-report.ts'
import { MINUTE_MS } from '../../domain/time.ts'
import { schemaVersion } from '../sqlite.ts'
import type { AccountRow } from './account-row.ts'

/** Holds grow while bytes arrive, and most jobs end within this time, so nobody is told before. */
const UNREPORTED_MS = MINUTE_MS
/** The time of the next alarm is reported in steps of this, so that a report that says nothing else writes no row. */
const WAKE_STEP_MS = 10 * MINUTE_MS

/** What the account has reported to its metrics object since it is in memory. */
export class Reports {
  readonly #sql: SqlStorage
  #version = -1
  #at = 0
  #isWanted = false
  /** When the account is woken if its own alarm does not. null: not known. */
  wakeAt: number | null = null

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** `nextAt`: when the account next has something to do. null: never. */
  async send(
    { id, totals, held }: AccountRow,
    { ended, nextAt }: { ended: EndedJob | null; nextAt: number | null },
    send: (report: AccountReport) => Promise<void>,
  ): Promise<void> {
    const wakeAt = nextAt === null ? null : Math.ceil(nextAt / WAKE_STEP_MS) * WAKE_STEP_MS
    await send({ accountId: id, totals, heldMicros: held, wakeAt, schemaVersion: schemaVersion(this.#sql), ended })
    this.#isWanted = false
    this.#version = totals.version
    this.#at = Date.now()
    this.wakeAt = wakeAt
  }

  /** When the account has to report although no job has ended. `openSince`: null if no job is open. null: not at all. */
  dueAt({ totals }: AccountRow, openSince: number | null): number | null {
    if (this.#isWanted) return 0
    if (openSince === null || totals.version === this.#version) return null
    return Math.max(openSince, this.#at) + UNREPORTED_MS
  }

  /** The account was woken by others, because the last time that it reported has passed. */
  want(): void {
    this.#isWanted = true
  }
}

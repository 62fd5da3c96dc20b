import type { AccountReport, EndedJob, HeldNote } from '../../domain/metrics/account-report.ts'
import { MINUTE_MS } from '../../domain/time.ts'
import { schemaVersion } from '../sqlite.ts'
import type { AccountRow } from './account-row.ts'

/** Most jobs end within this time, so the metrics object writes no row of what they hold. */
const UNREPORTED_MS = MINUTE_MS
/**
 * What is held is noted in the memory of the metrics object before, because an operator looks every 15 s. That must neither
 * wake the account nor set an alarm, so it is done when a step reports its progress, every 10 s, and when a step has to wait.
 */
const UNNOTED_MS = 9_000
/** The time of the next alarm is reported in steps of this, so that a report that says nothing else writes no row. */
const WAKE_STEP_MS = 10 * MINUTE_MS

/** What the account has reported to its metrics object since it is in memory. */
export class Reports {
  readonly #sql: SqlStorage
  #version = -1
  #at = 0
  #isWanted = false
  #noted = { version: -1, at: 0 }
  #isNoteWanted = false
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
    this.#noted = { version: totals.version, at: this.#at }
    this.wakeAt = wakeAt
  }

  /** When the account has to report although no job has ended. `openSince`: null if no job is open. null: not at all. */
  dueAt({ totals }: AccountRow, openSince: number | null): number | null {
    if (this.#isWanted) return 0
    if (openSince === null || totals.version === this.#version) return null
    return Math.max(openSince, this.#at) + UNREPORTED_MS
  }

  async note({ id, totals, held }: AccountRow, send: (note: HeldNote) => Promise<void>): Promise<void> {
    const { version } = totals
    await send({ accountId: id, version, heldMicros: held })
    this.#noted = { version, at: Date.now() }
    this.#isNoteWanted = false
  }

  /** As `dueAt`, for what is held. */
  noteDueAt({ totals }: AccountRow, openSince: number | null): number | null {
    if (openSince === null || totals.version === this.#noted.version) return null
    return this.#isNoteWanted ? 0 : Math.max(openSince, this.#noted.at) + UNNOTED_MS
  }

  /** A step waits, so nothing may call the account for long. */
  wantNote(): void {
    this.#isNoteWanted = true
  }

  /** The account was woken by others, because the last time that it reported has passed. */
  want(): void {
    this.#isWanted = true
  }
}

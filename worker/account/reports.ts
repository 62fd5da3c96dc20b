import type { EndedJob } from '../../domain/metrics/account-report.ts'
import { MINUTE_MS } from '../../domain/time.ts'
import { schemaVersion } from '../sqlite.ts'
import type { AccountRow } from './account-row.ts'
import { nextRowAt } from './due/due-rows.ts'
import type { Targets } from './due/targets.ts'
import { oldestLiveAt } from './jobs/job-rows.ts'

/** Most jobs end within this time, so the metrics object writes no row of what they hold. */
const UNREPORTED_MS = MINUTE_MS
/**
 * What is held is noted in the memory of the metrics object, because an operator looks every 15 s. That must neither
 * wake the account nor set an alarm, so it is done when a step reports its progress, every 10 s, or has to wait.
 */
const UNNOTED_MS = 9_000
/** The time of the next alarm is reported in steps of this, so that a report that says nothing else writes no row. */
const WAKE_STEP_MS = 10 * MINUTE_MS

/** What the metrics object knows of the account, as far as this memory knows. If it is lost, that is told once more. */
export class Reports {
  readonly #sql: SqlStorage
  #reported = { version: -1, at: 0 }
  #noted = { version: -1, at: 0 }
  #isWanted = false
  #isNoteWanted = false

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  /** `ended`: a job, whose row of what is due is `ref`. The report says when there is more to do, so that the cron can see to it. */
  async send(
    { id, totals, held }: AccountRow,
    targets: Targets,
    { ended, ref = '' }: { ended: EndedJob | null; ref?: string },
  ): Promise<void> {
    const nextAt = nextRowAt(this.#sql, Date.now(), ref)
    const wakeAt = nextAt === null ? null : Math.ceil(nextAt / WAKE_STEP_MS) * WAKE_STEP_MS
    const version = schemaVersion(this.#sql)
    await targets.report({ accountId: id, totals, heldMicros: held, wakeAt, schemaVersion: version, ended })
    this.#isWanted = false
    this.#reported = { version: totals.version, at: Date.now() }
    this.#noted = this.#reported
  }

  async sendDue(account: AccountRow, targets: Targets): Promise<void> {
    const { id, held, totals } = account
    const { version } = totals
    if (!this.#isWanted && version === this.#noted.version && version === this.#reported.version) return
    const now = Date.now()
    const openSince = oldestLiveAt(this.#sql)
    const isUntold = (told: { version: number; at: number }, waitMs: number) =>
      openSince !== null && version !== told.version && Math.max(openSince, told.at) + waitMs <= now
    if (this.#isWanted || isUntold(this.#reported, UNREPORTED_MS)) return this.send(account, targets, { ended: null })
    if (!isUntold(this.#noted, this.#isNoteWanted ? Number.NEGATIVE_INFINITY : UNNOTED_MS)) return
    this.#isNoteWanted = false
    await targets.noteHeld({ accountId: id, version, heldMicros: held })
    this.#noted = { version, at: now }
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

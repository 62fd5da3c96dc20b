import { type RateClass, type RateState, rateClasses } from '../../domain/limits.ts'
import { firstRow } from '../rows.ts'

/**
 * Fixed windows, one for each class of endpoint. Starts are counted exactly. Reads are counted in memory
 * and written every `COARSE`: most polls then write no row, and an eviction forgives at most nine of them.
 */
const COARSE = 10
const exact: Record<RateClass, boolean> = { import: true, transcribe: true, status: false, general: false }

interface Window {
  startedAt: number
  used: number
}

export class Windows {
  readonly #sql: SqlStorage
  readonly #known = new Map<RateClass, Window>()

  constructor(sql: SqlStorage) {
    this.#sql = sql
  }

  state(rateClass: RateClass, now: number): RateState {
    const { limit, windowMs } = rateClasses[rateClass]
    const { startedAt, used } = this.#current(rateClass, now)
    const reset = Math.ceil((startedAt + windowMs) / 1000)
    return { class: rateClass, limit, remaining: Math.max(0, limit - used), reset }
  }

  count(rateClass: RateClass, now: number): void {
    const window = this.#current(rateClass, now)
    window.used += 1
    this.#known.set(rateClass, window)
    const isLast = window.used >= rateClasses[rateClass].limit
    if (exact[rateClass] || isLast || window.used % COARSE === 1) this.#write(rateClass, window)
  }

  #current(rateClass: RateClass, now: number): Window {
    const window = this.#known.get(rateClass) ?? this.#read(rateClass)
    const isOver = !window || now >= window.startedAt + rateClasses[rateClass].windowMs
    return isOver ? { startedAt: now, used: 0 } : window
  }

  #read(rateClass: RateClass): Window | undefined {
    const row = firstRow<{ started_at: number; used: number }>(
      this.#sql,
      'SELECT started_at, used FROM windows WHERE class = ?',
      rateClass,
    )
    return row && { startedAt: row.started_at, used: row.used }
  }

  #write(rateClass: RateClass, { startedAt, used }: Window): void {
    this.#sql.exec('INSERT OR REPLACE INTO windows VALUES (?, ?, ?)', rateClass, startedAt, used)
  }
}

import { type Result, refused } from '../../../domain/codes/refusals.ts'
import { type RateClass, type RateState, rateClasses, WINDOW_TEXT } from '../../../domain/limits.ts'
import { firstRow } from '../sqlite.ts'

/**
 * Fixed windows, one for each class of endpoint. Starts are written with every request. Reads are counted in
 * memory and written every `WRITE_EVERY` requests, so most polls write no row. An eviction of the object loses
 * the count of at most nine of them.
 */
const WRITE_EVERY = 10
const isWrittenAlways: Record<RateClass, boolean> = { import: true, transcribe: true, status: false, general: false }

interface Window {
  startedAt: number
  used: number
}

export class RateLimitWindows {
  readonly #sql: SqlStorage
  readonly #windows = new Map<RateClass, Window>()

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
    this.#windows.set(rateClass, window)
    const isLast = window.used >= rateClasses[rateClass].limit
    if (isWrittenAlways[rateClass] || isLast || window.used % WRITE_EVERY === 1) this.#write(rateClass, window)
  }

  #current(rateClass: RateClass, now: number): Window {
    const window = this.#windows.get(rateClass) ?? this.#read(rateClass)
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

export const rateLimited = ({ limit, reset }: RateState, endpoint: string, now: number): Result<never> => {
  const retryAfter = Math.max(1, reset - Math.floor(now / 1000))
  const message = `The limit of ${limit} requests per ${WINDOW_TEXT} on ${endpoint} is reached.`
  return refused('RATE_LIMITED', { limit, remaining: 0, reset, retryAfter, endpoint }, message)
}

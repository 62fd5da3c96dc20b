import { type RateClass, type RateState, WINDOW_MS, WINDOW_TEXT } from '../../../domain/account/account-limits.ts'
import { accepted, type RefusalCode, type Result, refused } from '../../../domain/codes/refusals.ts'
import type { AccountRows } from '../account-rows.ts'
import type { KeyPool, RateWindow } from './counted-use.ts'

/**
 * Checks requests against the limits of their account, and refuses them. What accounts may have is in
 * domain/account/account-limits.ts; what holds for all of them is in domain/limits.ts.
 *
 * Rate limits have fixed windows, one for each class of endpoint and pool of keys. Reads are counted in memory and
 * written every hundred requests, or every 36th part of a lower limit, so polls write no row. An eviction loses the
 * count of at most that many.
 */
const writeEvery = (limit: number): number => Math.min(100, Math.ceil(limit / 36))
const isWrittenAlways: Record<RateClass, boolean> = { import: true, transcribe: true, status: false, general: false }

export const rateState = (rows: AccountRows, pool: KeyPool, rateClass: RateClass, now: number): RateState => {
  const limit = requestLimit(rows, rateClass)
  const { startedAt, used } = currentWindow(rows, pool, rateClass, now)
  const reset = Math.ceil((startedAt + WINDOW_MS) / 1000)
  return { class: rateClass, limit, remaining: Math.max(0, limit - used), reset }
}

export const countRequest = (rows: AccountRows, pool: KeyPool, rateClass: RateClass, now: number): void => {
  const { startedAt, used } = currentWindow(rows, pool, rateClass, now)
  rows.use.setWindow(pool, rateClass, { startedAt, used: used + 1 })
  const limit = requestLimit(rows, rateClass)
  const isLast = used + 1 >= limit
  if (isWrittenAlways[rateClass] || isLast || (used + 1) % writeEvery(limit) === 0) rows.use.save()
}

const requestLimit = ({ limits }: AccountRows, rateClass: RateClass): number => limits.requestsPerHour[rateClass]

const currentWindow = (rows: AccountRows, pool: KeyPool, rateClass: RateClass, now: number): RateWindow =>
  runningWindow(rows.use.windowsOf(pool)[rateClass], now) ?? { startedAt: now, used: 0 }

/** null: it is over, or there was none. */
export const runningWindow = <Window extends { startedAt: number }>(
  window: Window | null | undefined,
  now: number,
): Window | null => (window && now < window.startedAt + WINDOW_MS ? window : null)

export const rateLimited = (
  { limit, reset }: Pick<RateState, 'limit' | 'reset'>,
  endpoint: string,
  now: number,
  message = `The limit of ${limit} requests per ${WINDOW_TEXT} on ${endpoint} is reached.`,
): Result<never> => {
  const retryAfter = Math.max(1, reset - Math.floor(now / 1000))
  return refused('RATE_LIMITED', { limit, remaining: 0, reset, retryAfter, endpoint }, message)
}

type Limit = Extract<RefusalCode, 'CONCURRENCY_LIMITED' | 'STORAGE_LIMITED' | 'FREE_WORK_LIMITED'>

interface LimitReached {
  limit: number
  remaining?: number
  /** Seconds. The default is for what ends at a time that nobody can predict. */
  retryAfter?: number
  message?: string
}

/** The refusal of a request by a limit that is not one on requests. */
export const limitReached = (
  { endpoint, now }: { endpoint: string; now: number },
  code: Limit,
  { limit, remaining = 0, retryAfter = 5, message }: LimitReached,
): Result<never> => {
  const reset = Math.ceil(now / 1_000) + retryAfter
  return refused(code, { limit, remaining, reset, retryAfter, endpoint }, message)
}

/** Every start checks this, whatever it starts. Reads, cancellations and jobs that run already go on. */
export const checkSuspension = ({ account }: AccountRows): Result<null> =>
  account.isSuspended ? refused('ACCOUNT_SUSPENDED') : accepted(null)

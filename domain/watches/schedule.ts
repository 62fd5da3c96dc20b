import { DAY_MS, HOUR_MS, MINUTE_MS } from '../time.ts'

/** When watches are polled, and when their items are tried again. */

/** A page costs an engine. */
const MIN_PAGE_MINUTES = 60

export interface Polled {
  id: string
  everyMinutes: number
  source: 'feed' | 'page' | null
  /** null: it has not been read. */
  lastPollAt: number | null
  /** The caller has asked for a poll. */
  isAsked: boolean
  /** After failures: when it is tried again. */
  retryAt: number | null
}

export const intervalMs = ({ everyMinutes, source }: Pick<Polled, 'everyMinutes' | 'source'>): number =>
  Math.max(everyMinutes, source === 'page' ? MIN_PAGE_MINUTES : 0) * MINUTE_MS

/** A poll comes so much earlier if others of the account are due, because a round of polls costs as much as one poll. */
const MAX_EARLY_MS = 15 * MINUTE_MS
export const earlyMs = (polled: Pick<Polled, 'everyMinutes' | 'source'>): number =>
  Math.min(MAX_EARLY_MS, intervalMs(polled) / 4)

/** Each watch has its own minute of the interval, so that those of one host are spread. */
export const nextPollAt = (polled: Polled, now: number): number => {
  const { id, lastPollAt, isAsked, retryAt } = polled
  if (lastPollAt === null || isAsked) return 0
  if (retryAt !== null) return retryAt
  const interval = intervalMs(polled)
  // The clock may have been set back.
  const earliest = Math.min(lastPollAt, now) + earlyMs(polled)
  const phase = phaseOf(id, interval)
  return Math.floor((earliest - phase) / interval + 1) * interval + phase
}

/** From the random letters of the id. */
const phaseOf = (id: string, interval: number): number => {
  const letters = id.slice(-8)
  const number = [...letters].reduce((hash, letter) => (hash * 33 + letter.charCodeAt(0)) % 1_000_003, 7)
  return Math.floor((number / 1_000_003) * interval)
}

/** Failures double the interval, and a Retry-After counts: at most a day, or the interval. */
export const retryPollAt = (
  polled: Pick<Polled, 'everyMinutes' | 'source'>,
  failures: number,
  retryAfterMs: number | null,
  now: number,
): number => {
  const interval = intervalMs(polled)
  const delay = Math.max(interval * 2 ** Math.min(failures, 20), retryAfterMs ?? 0)
  return now + Math.min(delay, Math.max(DAY_MS, interval))
}

/** A watch that has failed so often in a row is failing. */
export const FAILING_AFTER = 3
/** A watch that has failed for so long is paused. */
export const MAX_FAILING_MS = 30 * DAY_MS
/** Some servers answer 304 whatever has changed. */
export const UNCONDITIONAL_MS = DAY_MS
/** Between two polls that a caller asks for. */
export const MIN_POLL_MS = MINUTE_MS

const RETRY_MS = [15 * MINUTE_MS, HOUR_MS, 4 * HOUR_MS, 12 * HOUR_MS, DAY_MS]
const LIVE_MS = 7 * DAY_MS

/** When an item is tried again after so many attempts. `liveSince`: it was live, for the first time then. null: never. */
export const retryItemAt = (attempts: number, liveSince: number | null, now: number): number | null => {
  const delay = RETRY_MS[attempts - 1]
  if (liveSince === null) return delay === undefined ? null : now + delay
  const at = now + (delay ?? DAY_MS)
  return at < liveSince + LIVE_MS ? at : null
}

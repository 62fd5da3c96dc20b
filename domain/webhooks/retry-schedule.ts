import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../time.ts'

/** Between the end of an attempt and the start of the next one. This is the schedule of Standard Webhooks 1.0. */
export const delaysMs = [
  0,
  5 * SECOND_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
] as const

/** Spreads the retries of deliveries that failed at the same time. */
const JITTER = 0.2
/** Longer Retry-After values are shortened to this. */
export const LONGEST_RETRY_AFTER_MS = DAY_MS

/** The request timeout plus a margin. If an attempt does not report within this, its Worker has stopped. */
export const ATTEMPT_LEASE_MS = 30 * SECOND_MS
/** Settled deliveries are deleted after this. */
export const DELIVERY_LOG_MS = 30 * DAY_MS
/** A replaced secret still signs for this long, and at most this many do. */
export const OLD_SECRET_MS = DAY_MS
export const MAX_OLD_SECRETS = 4

type DeliveryProgress = { state: 'delivered' } | { state: 'failed' } | { state: 'pending'; delayMs: number }

const GONE = 410

/** `status` null: there was no response. `attempts` includes the attempt that has just ended; `random` is in [0, 1). */
export const stateAfterAttempt = (
  { status, retryAfterMs }: { status: number | null; retryAfterMs: number | null },
  attempts: number,
  random: number,
): DeliveryProgress => {
  if (status !== null && status >= 200 && status < 300) return { state: 'delivered' }
  const delay = delaysMs[attempts]
  if (status === GONE || delay === undefined) return { state: 'failed' }
  const requestedMs = Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)
  return { state: 'pending', delayMs: Math.max(withJitter(delay, random), requestedMs) }
}

const withJitter = (delay: number, random: number): number => Math.round(delay * (1 + JITTER * (2 * random - 1)))

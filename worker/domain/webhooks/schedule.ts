const SECOND_MS = 1_000
const MINUTE_MS = 60 * SECOND_MS
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** What passes between the end of one attempt and the start of the next: the schedule of Standard Webhooks 1.0. */
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

/** Receivers that fell over together should not be hit together again. */
const JITTER = 0.2
/** A receiver may ask for patience, not for silence. */
export const LONGEST_RETRY_AFTER_MS = DAY_MS

/** A claimed attempt that says nothing for this long has died with its Worker: the time-out, and time to spare. */
export const ATTEMPT_LEASE_MS = 30 * SECOND_MS
/** Of a delivery that is settled, nothing is kept after this. */
export const DELIVERY_LOG_MS = 30 * DAY_MS
/** How long a secret signs on after it was replaced, and how many may do so at once. */
export const OLD_SECRET_MS = DAY_MS
export const MAX_OLD_SECRETS = 4

/** What the receiver said that bears on whether, and when, to come back. `status` null: there was no answer. */
export interface Reaction {
  status: number | null
  retryAfterMs: number | null
}

export type Verdict = { state: 'delivered' } | { state: 'failed' } | { state: 'pending'; delayMs: number }

const GONE = 410

/** `attempts` counts the one that is judged; `random` is in [0, 1). */
export const judge = ({ status, retryAfterMs }: Reaction, attempts: number, random: number): Verdict => {
  if (status !== null && status >= 200 && status < 300) return { state: 'delivered' }
  const delay = delaysMs[attempts]
  if (status === GONE || delay === undefined) return { state: 'failed' }
  const patience = Math.min(retryAfterMs ?? 0, LONGEST_RETRY_AFTER_MS)
  return { state: 'pending', delayMs: Math.max(jittered(delay, random), patience) }
}

const jittered = (delay: number, random: number): number => Math.round(delay * (1 + JITTER * (2 * random - 1)))

/** RFC 9110: whole seconds, or a date in one of its three notations, all of which begin with the day's name. */
export const retryAfterMs = (header: string | null, now: number): number | null => {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * SECOND_MS
  const at = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

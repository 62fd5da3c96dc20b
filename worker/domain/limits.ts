const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS

/** Fixed windows that start with an account's first request of the class. */
export const rateClasses = {
  import: { limit: 240, windowMs: HOUR_MS },
  transcribe: { limit: 240, windowMs: HOUR_MS },
  status: { limit: 3_600, windowMs: HOUR_MS },
  general: { limit: 3_600, windowMs: HOUR_MS },
} as const satisfies Record<string, { limit: number; windowMs: number }>

export type RateClass = keyof typeof rateClasses

/** The window as the X-RateLimit-Window header and error sentences say it. */
export const WINDOW_TEXT = '1 h'

/** Jobs queued or running at once. */
export const concurrency = { import: 2, transcription: 5 } as const

export const MAX_BODY_BYTES = 64 * 1024
export const MAX_URL_LENGTH = 4_096
export const MAX_MEDIA_BYTES = 10_000_000_000
export const MAX_MEDIA_SECONDS = 12 * 3_600

export const RETENTION_MS = 7 * DAY_MS
export const IDEMPOTENCY_MS = DAY_MS
/** An Idempotency-Key whose request died without an answer is free again after this. */
export const IDEMPOTENCY_PENDING_MS = 60_000

/** A step that says nothing for this long has lost its lease. */
export const LEASE_MS = 60_000
export const MAX_ATTEMPTS = 3
/** A step message that nobody claimed is sent again: queues may lose, local ones do at a restart. */
export const RESEND_MS = 30_000
/** While the container is full, and while there is none. */
export const BUSY_MS = 3_000
export const AWAY_MS = 10_000
/** The longest that one attempt of a step, and a whole job with all its waiting, may take. */
export const STEP_TIMEOUT_MS = 2 * HOUR_MS
export const JOB_DEADLINE_MS = 8 * HOUR_MS

/** A message must be done within 15 minutes: no piece of audio is begun after the first, all is given up after the second. */
export const LATE_AFTER_MS = 4 * 60_000
export const SLICE_MS = 14 * 60_000
/** How often in a row, and how long at most, a provider may say to come back later. */
export const MAX_WAITS = 20
export const LONGEST_WAIT_MS = 5 * 60_000

/** How long a status read may wait for news. */
export const MAX_WAIT_SECONDS = 30

export interface RateState {
  class: RateClass
  limit: number
  remaining: number
  /** Unix seconds. */
  reset: number
}

/** What a caller without a known account sees: the limits of the class, untouched. */
export const untouched = (rateClass: RateClass, now: number): RateState => {
  const { limit, windowMs } = rateClasses[rateClass]
  return { class: rateClass, limit, remaining: limit, reset: Math.ceil((now + windowMs) / 1000) }
}

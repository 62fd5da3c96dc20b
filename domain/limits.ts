import { DAY_MS, HOUR_MS, MINUTE_MS } from './time.ts'

/** These limits hold for all accounts. account/account-limits.ts has those that operators set for single accounts. */

export const MAX_JSON_BYTES = 64 * 1024
export const MAX_BATCH_BODY_BYTES = 1024 * 1024
export const MAX_BATCH_ITEMS = 500
/** Of a playlist, if the request does not say how many. */
export const DEFAULT_PLAYLIST_ITEMS = 50
export const MAX_JOB_DOLLARS = 10_000
export const MAX_BATCH_DOLLARS = 1_000_000
/** Of the name of a model. */
export const MAX_MODEL_CHARACTERS = 100
/** A petabyte. */
export const MAX_LIMIT_BYTES = 1_000_000_000_000_000
export const MAX_URL_LENGTH = 4_096
/** Of media, and of the times in it. */
export const MAX_SECONDS = 1_000_000
/** These three hold unless the operator sets others. */
export const MAX_MEDIA_SECONDS = 12 * 3_600
export const RETENTION_DAYS = 7
export const JOB_HISTORY_DAYS = 90
/** The greatest age of a job that answers another start. */
export const MAX_REUSE_SECONDS = 7 * 24 * 3_600
export const IDEMPOTENCY_MS = DAY_MS
/** If a request stops without a response, its Idempotency-Key can be used again after this. */
export const IDEMPOTENCY_PENDING_MS = MINUTE_MS

/** What steps may use of a container's disk, unless the deployment sets it: of 20 GB, with the image and a reserve. */
export const ENGINE_DISK_BYTES = 15_000_000_000

/** A step that does not report for this long loses its lease. */
export const LEASE_MS = MINUTE_MS
export const MAX_ATTEMPTS = 3
/** Queues can lose messages. Each pause is as long as all before it together, so that a long queue gets no longer. */
export const RESEND_MS = MINUTE_MS
const LONGEST_RESEND_MS = 15 * MINUTE_MS
export const RESEND_BACKOFF = { firstMs: RESEND_MS, longestMs: LONGEST_RESEND_MS }
export const resendAt = (dueAt: number, now: number): number =>
  now + Math.min(LONGEST_RESEND_MS, Math.max(RESEND_MS, now - dueAt))
/** The message of a webhook is sent again sooner, because somebody waits for it. */
export const WEBHOOK_RESEND_MS = 30_000
/** While the container is unreachable, or has no place for a list. */
export const CONTAINER_DOWN_RETRY_MS = 10_000
export const STEP_TIMEOUT_MS = 2 * HOUR_MS
/** Captions are free and small. */
export const CAPTIONS_TIMEOUT_MS = 10 * MINUTE_MS
export const JOB_DEADLINE_MS = 8 * HOUR_MS
/** What of it is left for the copy into a bucket when the speech of an import takes too long. */
export const DELIVERY_MS = HOUR_MS

export const QUEUE_BACKOFF = { firstMs: 2_000, longestMs: MINUTE_MS }

/** A run of an alarm must end within 15 minutes. Recognition starts no further piece of audio after this time. */
export const SLICE_LATE_MS = 4 * MINUTE_MS
export const SLICE_TIMEOUT_MS = 14 * MINUTE_MS
/** Consecutive rate limit responses from a provider before its job fails. */
export const MAX_PROVIDER_WAITS = 20
/** Longer delays that a provider requests are shortened to this. */
export const MAX_PROVIDER_WAIT_MS = 5 * MINUTE_MS

export const TRANSCRIPTION_WAIT_MS = 2 * HOUR_MS
/** The longest time without a byte: proxies close a silent connection after 100 seconds, some after a minute. */
export const TRANSCRIPTION_SILENCE_MS = MINUTE_MS
/** Of a file in a request: what Cloudflare's plans allow. */
export const MAX_FILE_BYTES = 100_000_000

/** The highest value of `wait`, which delays a status response until the job changes. */
export const MAX_WAIT_SECONDS = 30
/** A tool call of MCP answers within 45 seconds. What follows the wait, such as reading a transcript, takes less than two. */
export const MCP_WAIT_MS = 43_000

import type { Response } from 'undici'
import type { FailureCode } from '../../../domain/codes/failures.ts'
import { jitteredBackoffMs, type RetryOptions, retryAfterMs } from '../../../domain/retry.ts'
import { failureOfStatus, SourceFailure } from '../../failures.ts'

export interface RetryPolicy {
  /** The download fails after this many failures in a row without enough progress in between. */
  attempts: number
  backoffMs(failures: number): number
}

const BACKOFF = { firstMs: 500, longestMs: 8_000 }

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  // One origin may cut many jobs at the same moment, so the delays have jitter.
  backoffMs: (failures) => jitteredBackoffMs(failures, BACKOFF),
}

export const retryOptions = (
  { attempts, backoffMs }: RetryPolicy,
  signal: AbortSignal,
): Pick<RetryOptions, 'attempts' | 'delayMs' | 'signal'> => ({
  ...{ attempts, signal },
  delayMs: (failures, error) => {
    const stated = error instanceof Interrupted ? error.retryAfterMs : null
    return stated === null ? backoffMs(failures) : Math.min(stated, maxRetryAfterMs)
  },
})

interface InterruptedOptions extends ErrorOptions {
  message?: string
  retryAfterMs?: number | null
  overloaded?: boolean
}

/** A failure that may be temporary. The job fails with its code when no retry succeeds. */
export class Interrupted extends SourceFailure {
  /** As the origin states it. */
  readonly retryAfterMs: number | null
  /** The origin refuses because of too many requests: fewer connections may be enough. */
  readonly overloaded: boolean
  constructor(code: FailureCode, { message, ...options }: InterruptedOptions = {}) {
    super(code, message, options)
    this.retryAfterMs = options.retryAfterMs ?? null
    this.overloaded = options.overloaded ?? false
  }
}

export class RefusedByOrigin extends SourceFailure {
  readonly status: number
  constructor(status: number) {
    super(failureOfStatus(status))
    this.status = status
  }
}

const retryableStatuses = new Set([408, 425, 429, 500, 502, 503, 504])
const overloadStatuses = new Set([429, 503])
const maxRetryAfterMs = 30_000

export function failureOfResponse({ status, headers }: Response, start: number): SourceFailure {
  // The file is shorter than an earlier response announced.
  if (status === 416 && start > 0) return new SourceFailure('SOURCE_TRUNCATED')
  if (!retryableStatuses.has(status)) return new RefusedByOrigin(status)
  return new Interrupted(failureOfStatus(status), {
    retryAfterMs: retryAfterMs(headers.get('retry-after'), Date.now()),
    overloaded: overloadStatuses.has(status),
  })
}

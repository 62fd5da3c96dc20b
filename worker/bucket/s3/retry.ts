import { backoffMs, retry } from '../../../domain/retry.ts'
import { BucketRefusal } from './bucket-refusal.ts'

/** Passed in so that tests control the time. */
export interface RetryRuntime {
  now: () => number
  /** Rejects when the signal is aborted. In a Worker: `scheduler.wait` with a signal. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
  random: () => number
  /** Milliseconds since 1970. No request starts after it, but one that is running may take three more minutes. */
  deadline: number
  /** Overrides the default for a call inside another retried call. */
  attempts?: number
}

/** The invocation reached its deadline. The next one continues from the saved state. */
export class OutOfTime extends Error {
  override name = 'OutOfTime'
}

/** About 20 s with the delays between them. The step's own retries cover longer outages. */
const ATTEMPTS = 6
const BACKOFF = { firstMs: 500, longestMs: 30_000 }

/** Jitter of ±50 % keeps parallel uploads from retrying at the same moment. `random` is between 0 and 1. */
export const retryDelayMs = (attempt: number, random: number, retryAfterMs: number | null): number =>
  Math.min(BACKOFF.longestMs, Math.max(retryAfterMs ?? 0, backoffMs(attempt, BACKOFF) * (0.5 + random)))

/** Retries `act` after retryable refusals. Throws OutOfTime when the next delay would pass the deadline. */
export const withRetries = <T>(runtime: RetryRuntime, signal: AbortSignal, act: () => Promise<T>): Promise<T> =>
  retry(act, {
    attempts: runtime.attempts ?? ATTEMPTS,
    isRetryable: (error) => error instanceof BucketRefusal && error.retryable,
    delayMs: (failures, error) => retryDelayMs(failures, runtime.random(), (error as BucketRefusal).retryAfterMs),
    signal,
    pause: async (ms) => {
      if (runtime.now() + ms >= runtime.deadline) throw new OutOfTime()
      await runtime.sleep(ms, signal)
    },
  })

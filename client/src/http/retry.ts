import { HaulApiError, HaulConnectionError } from '../errors.ts'
import { pause } from './call.ts'

export interface RetryPolicy {
  /** After connection faults and server errors. */
  maxRetries: number
  /** All pauses together, while the service is busy. */
  maxBusyMs: number
}

const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 8_000

/** Full jitter, so that many clients do not come back at the same time. `failures` starts with 1. */
export const backoffMs = (failures: number): number =>
  Math.random() * Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures)

/**
 * How long to wait before the next attempt. Throws the error if there should be none. Three kinds are tried again:
 * - connection faults and server errors, which pass or not. Only where `isRepeatable`: the request may have had its effect;
 * - 429 and 503, which say when to come back. Nothing has happened, so any request can be repeated. Only
 *   SERVICE_UNAVAILABLE is like a server error;
 * - 409 IDEMPOTENCY_IN_PROGRESS: an attempt whose connection broke still runs, and its response is what we want.
 */
export const createRetries = ({ maxRetries, maxBusyMs }: RetryPolicy, isRepeatable: boolean) => {
  let failures = 0
  let refusals = 0
  let busyMs = 0
  return (error: unknown): number => {
    if (isBusy(error)) {
      const pauseMs = busyPauseMs(error, ++refusals)
      busyMs += pauseMs
      if (busyMs <= maxBusyMs) return pauseMs
    } else if (isRepeatable && isFault(error) && ++failures <= maxRetries) return backoffMs(failures)
    throw error
  }
}

export const withRetries = async <Result>(
  policy: RetryPolicy,
  { signal, isRepeatable }: { signal: AbortSignal; isRepeatable: boolean },
  attempt: () => Promise<Result>,
): Promise<Result> => {
  const pauseAfter = createRetries(policy, isRepeatable)
  for (;;) {
    try {
      return await attempt()
    } catch (error) {
      signal.throwIfAborted()
      await pause(pauseAfter(error), signal)
    }
  }
}

const isFault = (error: unknown): boolean =>
  error instanceof HaulConnectionError || (error instanceof HaulApiError && error.status >= 500)

const isBusy = (error: unknown): error is HaulApiError =>
  error instanceof HaulApiError &&
  (error.status === 429 ||
    (error.status === 503 && error.code !== 'SERVICE_UNAVAILABLE' && error.retryAfter !== undefined) ||
    error.code === 'IDEMPOTENCY_IN_PROGRESS')

/** Up to a second more than requested, because others wait for the same moment. */
const busyPauseMs = ({ retryAfter }: HaulApiError, refusals: number): number =>
  retryAfter === undefined ? backoffMs(refusals) : (retryAfter + Math.random()) * 1_000

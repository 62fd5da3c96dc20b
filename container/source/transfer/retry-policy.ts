import { setTimeout as sleep } from 'node:timers/promises'
import type { FailureCode } from '../../../domain/codes/failures.ts'
import { SourceFailure } from '../../failures.ts'
import { jitteredBackoffMs } from '../../retry.ts'

/** How long a download keeps retrying an origin. */
export interface RetryPolicy {
  /** A connection without a byte for this long counts as cut. */
  idleMs: number
  /** The download fails after this many failures in a row without enough progress in between. */
  attempts: number
  /** Delay before the next attempt, after this many failures. */
  backoffMs(failures: number): number
}

const BACKOFF = { firstMs: 500, longestMs: 8_000 }

export const defaultRetryPolicy: RetryPolicy = {
  idleMs: 15_000,
  attempts: 5,
  // One origin may cut many jobs at the same moment, so the delays have jitter.
  backoffMs: (failures) => jitteredBackoffMs(failures, BACKOFF),
}

interface InterruptedOptions extends ErrorOptions {
  message?: string
  waitMs?: number | null
  overloaded?: boolean
}

/** A failure that may be temporary. The job fails with its code when no retry succeeds. */
export class Interrupted extends SourceFailure {
  /** From Retry-After. */
  readonly waitMs: number | null
  /** The origin refuses because of too many requests: fewer connections may be enough. */
  readonly overloaded: boolean
  constructor(code: FailureCode, { message, ...options }: InterruptedOptions = {}) {
    super(code, message, options)
    this.waitMs = options.waitMs ?? null
    this.overloaded = options.overloaded ?? false
  }
}

/** Progress that resets the failure count. An origin that cuts each connection after fewer bytes is given up. */
const minProgressBytes = 65_536

/** Counts the failures of one reader and waits before each retry. Throws the failure after the last attempt. */
export function createRetryWait({ attempts, backoffMs }: RetryPolicy, signal: AbortSignal) {
  let failures = 0
  let lastAt = 0
  return async (failure: Interrupted, at: number): Promise<void> => {
    if (at - lastAt >= minProgressBytes) failures = 0
    lastAt = at
    failures += 1
    if (failures >= attempts) throw failure
    await sleep(failure.waitMs ?? backoffMs(failures), undefined, { signal }).catch(() => signal.throwIfAborted())
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { type Backoff, backoffMs } from '../domain/retry.ts'

export interface RetryOptions {
  attempts: number
  signal: AbortSignal
  giveUpOn?: (error: unknown) => boolean
}

const BACKOFF = { firstMs: 200, longestMs: 10_000 }

/** Exponential backoff of which 0 to 50 % is left out at random, so that many steps do not retry at the same moment. */
export const jitteredBackoffMs = (failures: number, backoff: Backoff): number =>
  backoffMs(failures, backoff) * (0.5 + Math.random() / 2)

/** Retries with exponential backoff and jitter. */
export const retry = async <T>(act: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      options.signal.throwIfAborted()
      return await act(attempt)
    } catch (error) {
      options.signal.throwIfAborted()
      if (attempt >= options.attempts || options.giveUpOn?.(error)) throw error
    }
    await sleep(jitteredBackoffMs(attempt, BACKOFF), undefined, { signal: options.signal })
  }
}

import { setTimeout as sleep } from 'node:timers/promises'
import { backoffMs } from '../domain/retry.ts'

export interface RetryOptions {
  attempts: number
  signal: AbortSignal
  giveUpOn?: (error: unknown) => boolean
}

const BACKOFF = { firstMs: 200, longestMs: 10_000 }

/** Retries with exponential backoff and jitter, so that many steps do not retry at the same moment. */
export const retry = async <T>(act: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      options.signal.throwIfAborted()
      return await act(attempt)
    } catch (error) {
      options.signal.throwIfAborted()
      if (attempt >= options.attempts || options.giveUpOn?.(error)) throw error
    }
    const delayMs = backoffMs(attempt, BACKOFF) * (0.5 + Math.random() / 2)
    await sleep(delayMs, undefined, { signal: options.signal })
  }
}

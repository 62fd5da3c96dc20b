export interface Backoff {
  firstMs: number
  longestMs: number
}

/** Doubles with each failed attempt, up to a limit. `attempt` counts from 1. */
export const backoffMs = (attempt: number, { firstMs, longestMs }: Backoff): number =>
  Math.min(longestMs, firstMs * 2 ** (Math.max(1, attempt) - 1))

/** Leaves out 0 to 50 % of the backoff at random, so that many steps do not retry at the same moment. */
export const jitteredBackoffMs = (attempt: number, backoff: Backoff): number =>
  backoffMs(attempt, backoff) * (0.5 + Math.random() / 2)

/** RFC 9110, section 10.2.3: whole seconds, or a date in one of three formats, all of which start with a day's name. */
export const retryAfterMs = (header: string | null, now: number): number | null => {
  const text = header?.trim() ?? ''
  if (/^\d{1,10}$/.test(text)) return Number(text) * 1_000
  const at = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(0, at - now)
}

export interface RetryOptions {
  attempts: number
  isRetryable: (error: unknown) => boolean
  delayMs?: (failures: number, error: unknown) => number
  /** Whether the attempt that just failed got far enough for the failures before it not to count. */
  hasProgressed?: () => boolean
  /** No attempt starts after its abort, and the result is its reason. */
  signal?: AbortSignal | undefined
  pause?: (ms: number, signal?: AbortSignal) => Promise<void>
}

/** Calls `act` until it succeeds or another attempt would be useless. Throws the last error. */
export const retry = async <T>(act: (attempt: number) => Promise<T>, options: RetryOptions): Promise<T> => {
  const { attempts, isRetryable, delayMs = () => 0, hasProgressed = () => false, signal, pause = sleep } = options
  let failures = 0
  for (let attempt = 1; ; attempt++) {
    signal?.throwIfAborted()
    try {
      return await act(attempt)
    } catch (error) {
      signal?.throwIfAborted()
      failures = hasProgressed() ? 1 : failures + 1
      if (failures >= attempts || !isRetryable(error)) throw error
      const ms = delayMs(failures, error)
      if (ms > 0) await pause(ms, signal)
    }
  }
}

const sleep = (ms: number, signal?: AbortSignal): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  const stop = () => {
    clearTimeout(timer)
    reject(signal?.reason)
  }
  signal?.addEventListener('abort', stop, { once: true })
  return promise.finally(() => signal?.removeEventListener('abort', stop))
}

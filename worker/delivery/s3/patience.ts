import { BucketRefusal } from './refusal.ts'

/** Time, chance and the wish to go on, all from outside. */
export interface Patience {
  now: () => number
  /** Rejects when the signal fires. `scheduler.wait` with a signal, in a Worker. */
  sleep: (ms: number, signal: AbortSignal) => Promise<void>
  random: () => number
  /** Milliseconds since 1970 after which nothing new is begun. What runs then may take three minutes more. */
  deadline: number
  /** For an act within another that is tried again itself. */
  attempts?: number
}

/** This invocation's time is up; the next goes on from the saved state. */
export class OutOfTime extends Error {
  override name = 'OutOfTime'
}

/** With the waits between them, some 20 s: longer outages are for the step's own retries. */
const ATTEMPTS = 6
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000

/** Doubles from half a second, ±50 % so that the lanes do not knock together. A server that names its wait gets it. */
export const waitMs = (attempt: number, chance: number, askedMs = 0): number =>
  Math.min(LONGEST_WAIT_MS, Math.max(askedMs, FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + chance)))

/** Tries again what a bucket may grant a little later. */
export const patiently = async <T>(patience: Patience, signal: AbortSignal, act: () => Promise<T>): Promise<T> => {
  const { attempts = ATTEMPTS } = patience
  for (let attempt = 1; ; attempt++) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof BucketRefusal) || !error.retryable || attempt === attempts) throw error
      const wait = waitMs(attempt, patience.random(), error.retryAfterMs)
      if (patience.now() + wait >= patience.deadline) throw new OutOfTime()
      await patience.sleep(wait, signal)
    }
  }
}

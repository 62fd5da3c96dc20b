import { setTimeout as pause } from 'node:timers/promises'

export interface Persistence {
  attempts: number
  signal: AbortSignal
  giveUpOn?: (error: unknown) => boolean
}

const FIRST_PAUSE_MS = 200
const LONGEST_PAUSE_MS = 10_000

/** Tries again with growing pauses, each shortened at random so that many do not come back at once. */
export const persist = async <T>(act: (attempt: number) => Promise<T>, options: Persistence): Promise<T> => {
  for (let attempt = 1; ; attempt++) {
    try {
      options.signal.throwIfAborted()
      return await act(attempt)
    } catch (error) {
      options.signal.throwIfAborted()
      if (attempt >= options.attempts || options.giveUpOn?.(error)) throw error
    }
    const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (attempt - 1))
    await pause(longest * (0.5 + Math.random() / 2), undefined, { signal: options.signal })
  }
}

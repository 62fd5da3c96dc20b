import { Refused } from './api.js'

const LONGEST_PAUSE_MS = 30_000

/** @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
export const pause = (ms, signal) =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })

/** How long to wait after so many failures in a row. @param {unknown} error @param {number} failures */
export const backoffMs = (error, failures) => {
  const requestedMs = error instanceof Refused && error.retryAfter ? error.retryAfter * 1000 : 0
  return Math.max(requestedMs, Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** failures))
}

/**
 * Runs `work` soon, once for many calls.
 * @param {number} ms
 * @param {() => unknown} work
 */
export const soon = (ms, work) => {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      work()
    }, ms)
  }
}

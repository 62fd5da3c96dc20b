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
const backoffMs = (error, failures) => {
  const requestedMs = error instanceof Refused && error.retryAfter ? error.retryAfter * 1000 : 0
  return Math.max(requestedMs, Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** failures))
}

/**
 * Repeats `work` until it is done: `everyMs` after a success, and later with each failure in a row. Only a refusal that
 * another attempt does not change is thrown.
 * @param {(succeeded: () => void) => Promise<unknown>} work
 * @param {{everyMs: number, signal: AbortSignal, isDone?: () => boolean}} options
 */
export const repeat = async (work, { everyMs, signal, isDone = () => false }) => {
  let failures = 0
  const succeeded = () => {
    failures = 0
  }
  while (!isDone() && !signal.aborted) {
    try {
      await work(succeeded)
      succeeded()
      if (!isDone()) await pause(everyMs, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Refused && (error.status === 401 || error.status === 404)) throw error
      await pause(backoffMs(error, failures++), signal)
    }
  }
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

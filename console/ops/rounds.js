/** The rounds of requests that keep the page's numbers current. */
export const INTERVAL_MS = 15_000
const MAX_DELAY_MS = 120_000

/**
 * The time until the next round: twice as long with each round in a row that had an error, and at least Retry-After.
 * @param {number} failedRounds
 * @param {number | null} retryAfterSeconds
 */
export const delayMs = (failedRounds, retryAfterSeconds) =>
  Math.max(Math.min(INTERVAL_MS * 2 ** failedRounds, MAX_DELAY_MS), (retryAfterSeconds ?? 0) * 1000)

/**
 * Runs one round at a time while the page is visible. A round resolves with its error, if it had one.
 * @param {(signal: AbortSignal) => Promise<{retryAfter: number | null} | null>} round
 * @param {AbortSignal} stopped
 */
export const startRounds = (round, stopped) => {
  let failedRounds = 0
  let dueAtMs = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  /** @type {Promise<void> | null} */
  let running = null

  const schedule = () => {
    clearTimeout(timer)
    if (document.hidden || stopped.aborted || running) return
    timer = setTimeout(run, Math.max(0, dueAtMs - Date.now()))
  }

  const run = () => {
    clearTimeout(timer)
    running ??= round(stopped)
      .then((error) => {
        failedRounds = error ? failedRounds + 1 : 0
        dueAtMs = Date.now() + delayMs(failedRounds, error?.retryAfter ?? null)
      })
      .finally(() => {
        running = null
        schedule()
      })
    return running
  }

  document.addEventListener('visibilitychange', schedule, { signal: stopped })
  stopped.addEventListener('abort', () => clearTimeout(timer))
  return { run }
}

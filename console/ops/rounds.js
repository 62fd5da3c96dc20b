/** The rounds of requests that keep the page's numbers current. */
export const INTERVAL_MS = 15_000
const MAX_DELAY_MS = 120_000

/**
 * The time until the next round: twice as long with each round in a row that had an error, and at least Retry-After.
 * @param {number} failedRounds
 * @param {number} [retryAfterSeconds]
 */
export const delayMs = (failedRounds, retryAfterSeconds = 0) =>
  Math.max(Math.min(INTERVAL_MS * 2 ** failedRounds, MAX_DELAY_MS), retryAfterSeconds * 1000)

/**
 * Runs one round at a time while the page is visible. Returns a function that starts one at once.
 * @param {() => Promise<{retryAfter?: number | undefined} | null>} round
 * @param {AbortSignal} stopped
 */
export const startRounds = (round, stopped) => {
  let failedRounds = 0
  let dueAtMs = 0
  let isRunning = false
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const schedule = () => {
    clearTimeout(timer)
    if (document.hidden || stopped.aborted || isRunning) return
    timer = setTimeout(run, Math.max(0, dueAtMs - Date.now()))
  }
  const run = async () => {
    if (isRunning) return
    isRunning = true
    /** A round that throws counts as failed. @type {Awaited<ReturnType<typeof round>>} */
    let error = {}
    try {
      error = await round()
    } finally {
      isRunning = false
      failedRounds = error ? failedRounds + 1 : 0
      dueAtMs = Date.now() + delayMs(failedRounds, error?.retryAfter)
      schedule()
    }
  }
  document.addEventListener('visibilitychange', schedule, { signal: stopped })
  stopped.addEventListener('abort', () => clearTimeout(timer))
  return run
}

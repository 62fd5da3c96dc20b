import { Refused } from './api.js'

/** @typedef {import('../types.js').Job} Job */

/** Over HTTP/1.1 a browser opens six connections to a host, which the rest of the page needs too. */
const MOST_STREAMS = 3
const POLL_MS = 3_000
const LONGEST_PAUSE_MS = 30_000
let streams = 0

/** @param {Job} job */
export const isOver = ({ status }) => status === 'completed' || status === 'failed'

/**
 * Reports every change of a job until it ends: by an event stream while few are open, else by polling. A broken
 * stream is reopened with backoff.
 * @param {import('./api.js').Client} api
 * @param {string} jobId
 * @param {(job: Job) => void} onJob
 * @param {AbortSignal} signal
 */
export const follow = async (api, jobId, onJob, signal) => {
  let over = false
  let failures = 0
  /** @param {Job} job */
  const report = (job) => {
    failures = 0
    over = isOver(job)
    onJob(job)
  }
  while (!over && !signal.aborted) {
    try {
      await (streams < MOST_STREAMS ? stream(api, jobId, report, signal) : poll(api, jobId, report, signal))
      if (!over) await pause(POLL_MS, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Refused && (error.status === 401 || error.status === 404)) throw error
      const requestedMs = error instanceof Refused && error.retryAfter ? error.retryAfter * 1000 : 0
      await pause(Math.max(requestedMs, Math.min(LONGEST_PAUSE_MS, 1_000 * 2 ** failures++)), signal)
    }
  }
}

/** @param {import('./api.js').Client} api @param {string} jobId @param {(job: Job) => void} report @param {AbortSignal} signal */
const stream = async (api, jobId, report, signal) => {
  streams++
  try {
    for await (const job of api.events(`/jobs/${jobId}/events`, signal)) report(job)
  } finally {
    streams--
  }
}

/** @param {import('./api.js').Client} api @param {string} jobId @param {(job: Job) => void} report @param {AbortSignal} signal */
const poll = async (api, jobId, report, signal) => {
  report(await api.get(`/jobs/${jobId}`, signal))
}

/** @param {number} ms @param {AbortSignal} signal @returns {Promise<void>} */
const pause = (ms, signal) =>
  new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
  })

import { Refused } from './api.js'
import { backoffMs, pause } from './wait.js'

/** @typedef {import('../types.js').Job} Job */

/** Over HTTP/1.1 a browser opens six connections to a host. The stream of all events has one of them. */
const MOST_STREAMS = 3
/** Of jobs without a stream. The account's events tell of their starts and ends. */
const POLL_MS = 10_000
let streams = 0

/** @param {Job} job */
export const isOver = ({ status }) => status === 'completed' || status === 'failed'

/**
 * Reports the progress of a job until it ends: by an event stream while few are open, else by polling. A broken stream is
 * reopened with backoff.
 * @param {import('./api.js').Client} api
 * @param {() => Job} current The job as it was reported last, here or by the account's events.
 * @param {(job: Job) => void} onJob
 * @param {AbortSignal} signal
 */
export const follow = async (api, current, onJob, signal) => {
  const path = `/jobs/${current().jobId}`
  let failures = 0
  while (!isOver(current()) && !signal.aborted) {
    try {
      if (streams < MOST_STREAMS) await stream(api, `${path}/events`, onJob, signal)
      else onJob(await api.get(path, signal))
      failures = 0
      if (!isOver(current())) await pause(POLL_MS, signal)
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof Refused && (error.status === 401 || error.status === 404)) throw error
      await pause(backoffMs(error, failures++), signal)
    }
  }
}

/** @param {import('./api.js').Client} api @param {string} path @param {(job: Job) => void} onJob @param {AbortSignal} signal */
const stream = async (api, path, onJob, signal) => {
  streams++
  try {
    for await (const { data } of api.events(path, signal)) if (data) onJob(JSON.parse(data))
  } finally {
    streams--
  }
}

import { repeat } from './wait.js'

/** @typedef {import('../types.js').Job} Job */

/** Over HTTP/1.1 a browser opens six connections to a host. The stream of all events has one of them. */
const MOST_STREAMS = 3
/** Jobs without a stream are asked for so often. The account's events tell of their starts and ends. */
const POLL_MS = 10_000
let streams = 0

/** @param {Job} job */
export const isOver = ({ status }) => status === 'completed' || status === 'failed'

/**
 * Reports the progress of a job until it ends: by an event stream while few are open, else by polling.
 * @param {import('./api.js').Client} api
 * @param {() => Job} current The job as it was reported last, here or by the account's events.
 * @param {(job: Job) => void} onJob
 * @param {AbortSignal} signal
 */
export const follow = (api, current, onJob, signal) => {
  const path = `/jobs/${current().jobId}`
  const stream = async () => {
    streams++
    try {
      for await (const { data } of api.events(`${path}/events`, signal)) if (data) onJob(JSON.parse(data))
    } finally {
      streams--
    }
  }
  const read = async () => (streams < MOST_STREAMS ? stream() : onJob(await api.get(path, signal)))
  return repeat(read, { isDone: () => isOver(current()), everyMs: POLL_MS, signal })
}

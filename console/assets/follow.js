import { repeat } from './wait.js'

/** @import { AccountEvent, Job } from '../types.js' */
/** @import { Client } from './api.js' */

/** Over HTTP/1.1 a browser opens six connections to a host. The stream of all events has one of them. */
const MOST_STREAMS = 3
/** Jobs without a stream are polled. The account's events tell of their starts and ends. */
const POLL_MS = 10_000
let streams = 0

/** @param {Job} job */
export const isOver = ({ status }) => status === 'completed' || status === 'failed'

/**
 * Reports the progress of a job until it ends: by an event stream while few are open, else by polling.
 * @param {Client} api
 * @param {() => Job} current The job as it was reported last, here or by the account's events.
 * @param {(job: Job) => void} onJob
 * @param {AbortSignal} signal
 */
export const followJob = (api, current, onJob, signal) => {
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

/** A stream ends from time to time. */
const RECONNECT_MS = 1_000

/**
 * Reports the events of all jobs and batches of the account. A broken stream resumes after the last event.
 * @param {Client} api
 * @param {{onOpen: () => void, onEvent: (event: AccountEvent) => void}} handlers `onOpen`: from now on no event is missed,
 *   or the stream could not be opened. It is called once.
 * @param {AbortSignal} signal
 */
export const followAccount = (api, { onOpen, onEvent }, signal) => {
  let lastEventId = ''
  let isFirst = true
  const opened = () => {
    if (isFirst) onOpen()
    isFirst = false
  }
  /** @param {() => void} succeeded */
  const read = async (succeeded) => {
    try {
      for await (const { id, data } of api.events('/events', signal, lastEventId)) {
        succeeded()
        lastEventId = id || lastEventId
        opened()
        if (data) onEvent(JSON.parse(data))
      }
    } finally {
      if (!signal.aborted) opened()
    }
  }
  return repeat(read, { everyMs: RECONNECT_MS, signal })
}

import { followJob, pause, readAccountEvents } from '../haul-client.js'

/** @import { Job } from '../../types.js' */
/** @import { Api } from '../account/api.js' */
/** @import { HaulEvent } from '../haul-client.js' */

/** Over HTTP/1.1 a browser opens six connections to a host. The stream of all events has one of them. */
const MOST_STREAMS = 3
/** Jobs without a stream are polled. The account's events tell of their starts and ends. */
const POLL_MS = 10_000
let streams = 0

/** @param {Job} job */
export const isOver = ({ status }) => status === 'completed' || status === 'failed'

/**
 * Reports the progress of a job until it ends: by an event stream while few are open, else by polling.
 * @param {Api} api
 * @param {() => Job} current The job as it was reported last, here or by the account's events.
 * @param {(job: Partial<Job>) => void} onJob
 * @param {AbortSignal} signal
 */
export const followToEnd = async (api, current, onJob, signal) => {
  const { jobId } = current()
  try {
    while (!isOver(current())) {
      if (streams < MOST_STREAMS) {
        streams++
        await followJob(api.following, { signal }, jobId, onJob).finally(() => streams--)
      } else {
        onJob(await api.following.json({ signal }, { path: `/jobs/${jobId}` }))
        await pause(POLL_MS, signal)
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  }
}

/** The lists are read when no later event can be missed, and even if the stream does not open. */
const SLOW_MS = 2_000

/**
 * Reports the events of all jobs and batches of the account, for as long as the page is open.
 * @param {Api} api
 * @param {{onOpen: () => void, onEvent: (event: HaulEvent) => void}} handlers `onOpen` is called once.
 * @param {AbortSignal} signal
 */
export const followAccount = (api, { onOpen, onEvent }, signal) => {
  const opened = Promise.withResolvers()
  const read = async () => {
    const events = readAccountEvents(api.following, { signal, onOpen: () => opened.resolve(null) })
    for await (const event of events) onEvent(event)
  }
  // Without the right to read them, or the key was withdrawn.
  read().catch(() => {})
  Promise.race([opened.promise, pause(SLOW_MS, signal)]).then(onOpen, () => {})
}

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

const SLOW_MS = 2_000

/**
 * Reports the events of all jobs and batches of the account, for as long as the page is open. `onOpen` reads the lists. It is
 * called when the stream opens, because no later event is missed. If that takes long, it is called once before, so that the page
 * is not empty.
 * @param {Api} api
 * @param {{onOpen: () => void, onEvent: (event: HaulEvent) => void}} handlers
 * @param {AbortSignal} signal
 */
export const followAccount = (api, { onOpen, onEvent }, signal) => {
  let isOpen = false
  const open = () => {
    if (!isOpen) onOpen()
    isOpen = true
  }
  const read = async () => {
    for await (const event of readAccountEvents(api.following, { signal, onOpen: open })) onEvent(event)
  }
  // The key may not read events, or it was withdrawn.
  read().catch(() => {})
  pause(SLOW_MS, signal).then(
    () => isOpen || onOpen(),
    () => {},
  )
}

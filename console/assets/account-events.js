import { repeat } from './wait.js'

/** @typedef {import('../types.js').AccountEvent} AccountEvent */

/** A stream ends from time to time. */
const RECONNECT_MS = 1_000

/**
 * Reports the events of all jobs and batches of the account. A broken stream resumes after the last event.
 * @param {import('./api.js').Client} api
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

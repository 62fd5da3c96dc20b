import { Refused } from './api.js'
import { backoffMs, pause } from './wait.js'

/** @typedef {import('../types.js').AccountEvent} AccountEvent */

/** A stream ends from time to time. */
const RECONNECT_MS = 1_000

/**
 * Reports the events of all jobs and batches of the account. A broken stream is reopened with backoff, and resumes after the
 * last event.
 * @param {import('./api.js').Client} api
 * @param {{onOpen: () => void, onEvent: (event: AccountEvent) => void}} handlers `onOpen`: from now on no event is missed,
 *   or the stream could not be opened. It is called once.
 * @param {AbortSignal} signal
 */
export const followAccount = async (api, { onOpen, onEvent }, signal) => {
  let lastEventId = ''
  let failures = 0
  let isFirst = true
  const opened = () => {
    if (isFirst) onOpen()
    isFirst = false
  }
  while (!signal.aborted) {
    try {
      for await (const { id, data } of api.events('/events', signal, lastEventId)) {
        failures = 0
        lastEventId = id || lastEventId
        opened()
        if (data) onEvent(JSON.parse(data))
      }
      await pause(RECONNECT_MS, signal)
    } catch (error) {
      if (signal.aborted || (error instanceof Refused && error.status === 401)) return
      opened()
      await pause(backoffMs(error, failures++), signal)
    }
  }
}

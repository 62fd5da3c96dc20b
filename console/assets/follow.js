import { pause, readAccountEvents } from './haul-client.js'

/** @import { Api } from './account/api.js' */
/** @import { Connection, HaulEvent } from './haul-client.js' */

/** Over HTTP/1.1 a browser opens six connections to a host. The stream of all events has one of them. */
const MOST_STREAMS = 3
/** Without a stream. The account's events tell of the starts and ends of jobs, and of the ends of batches. */
const POLL_MS = 10_000
let streams = 0

/** @param {{status: string}} jobOrBatch */
export const isOver = ({ status }) => status !== 'queued' && status !== 'running'

/**
 * Reports a job or a batch until it ends: by its event stream while few are open, else by polling.
 * @template State
 * @param {Api} api
 * @param {object} followed
 * @param {string} followed.path `jobs` or `batches`.
 * @param {string} followed.id
 * @param {(connection: Connection, call: {signal: AbortSignal}, id: string, report: (state: State) => void) => Promise<State>} followed.follow
 * @param {() => boolean} followed.isOver As it was reported last, here or by the account's events.
 * @param {(state: State) => void} followed.report
 * @param {AbortSignal} signal
 */
export const followToEnd = async (api, { path, id, follow, isOver, report }, signal) => {
  try {
    while (!isOver()) {
      if (streams < MOST_STREAMS) {
        streams++
        await follow(api.following, { signal }, id, report).finally(() => streams--)
      } else {
        report(await api.following.json({ signal }, { path: `/${path}/${id}` }))
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

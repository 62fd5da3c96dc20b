import { announce, find, make, showError } from '../assets/dom.js'
import { showLastDay } from './last-day.js'
import { showLastWeek } from './last-week.js'
import { showDeadWebhooks, showEngines, showMetrics, showWaiting } from './now.js'
import { problemsOf } from './problems.js'

/** @import { Client, Refused } from '../assets/api.js' */
/** @import { Snapshot } from './types.js' */
/** @typedef {{title: string, error: Partial<Refused> & Error}} Unread */

const ROUND_TIMEOUT_MS = 20_000

const status = find('#numbers-from', HTMLElement)
const unreadElement = find('#round-problem', HTMLElement)
const problemList = find('#problems', HTMLUListElement)
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })

/** What each round reads. @type {{title: string, read: (api: Client, signal: AbortSignal) => Promise<Snapshot>}[]} */
const parts = [
  {
    title: 'Metrics',
    read: async (api, signal) => {
      const { samples } = await api.get('/admin/metrics', signal)
      showMetrics(samples)
      return { samples }
    },
  },
  {
    title: 'Engines',
    read: async (api, signal) => {
      const fleet = await api.get('/admin/engines', signal)
      showEngines(fleet.engines)
      showWaiting(fleet.waiting)
      return { fleet }
    },
  },
  {
    title: 'Last day',
    read: async (api, signal) => {
      const { outcomes } = await api.get('/admin/outcomes', signal)
      showLastDay(outcomes)
      return { outcomes }
    },
  },
  {
    title: 'Last week',
    read: async (api, signal) => {
      const { outcomes } = await api.get('/admin/outcomes?by=day', signal)
      showLastWeek(outcomes)
      return {}
    },
  },
  {
    title: 'Dead webhooks',
    read: async (api, signal) => {
      const { deliveries } = await api.get('/admin/webhooks/dead', signal)
      showDeadWebhooks(deliveries)
      return { deliveries }
    },
  },
]

/** @param {Snapshot} snapshot @param {Unread[]} unread */
const showProblems = (snapshot, unread) => {
  const problems = problemsOf(snapshot, Date.now())
  const count = problems.length + (unread.length > 0 ? 1 : 0)
  const kinds = [...problems.map(({ kind }) => kind), ...unread.map(({ title }) => title)].join()
  // Announced when a problem appears or ends, not with every second that a step waits.
  if (kinds !== problemList.dataset.kinds) {
    const sentences = [
      ...unread.map(({ error }) => error.message).slice(0, 1),
      ...problems.map(({ sentence }) => sentence),
    ]
    announce(sentences.join(' ') || 'No problems.')
  }
  problemList.dataset.kinds = kinds
  problemList.replaceChildren(...problems.map(({ sentence }) => make('li', {}, sentence)))
  find('#no-problems', HTMLElement).hidden = count > 0
  document.title = count > 0 ? `(${count}) Haul operators` : 'Haul operators'
}

/** One line for what could not be read for the same reason. @param {Unread[]} unread */
const showUnread = (unread) => {
  const lines = Object.values(Object.groupBy(unread, ({ error }) => error.message)).map((same = []) => {
    const line = make('p')
    showError(line, same[0]?.error)
    line.prepend(`${same.map(({ title }) => title).join(', ')}: `)
    return line
  })
  unreadElement.replaceChildren(...lines)
}

/**
 * One round of requests. What could not be read keeps its numbers, and the page says from when they are.
 * @param {Client} api
 */
export const createRound = (api) => {
  /** @type {Snapshot} */
  const snapshot = {}
  const readAtMs = parts.map(() => 0)

  /** @param {AbortSignal} signedOut */
  return async (signedOut) => {
    const signal = AbortSignal.any([signedOut, AbortSignal.timeout(ROUND_TIMEOUT_MS)])
    /** @type {Unread[]} */
    const unread = []
    await Promise.all(
      parts.map(async ({ title, read }, index) => {
        try {
          Object.assign(snapshot, await read(api, signal))
          readAtMs[index] = Date.now()
        } catch (error) {
          const isTimeout = error instanceof DOMException && error.name === 'TimeoutError'
          const reason = isTimeout ? new Error('The server did not answer in time.') : error
          unread.push({ title, error: /** @type {Unread['error']} */ (reason) })
        }
      }),
    )
    if (signedOut.aborted) return null
    showProblems(snapshot, unread)
    showUnread(unread)
    const oldestMs = Math.min(...readAtMs)
    status.textContent = oldestMs > 0 ? `Numbers from ${clock.format(oldestMs)}` : 'Some numbers are missing'
    const [first] = unread
    return first ? { retryAfter: first.error.retryAfter ?? null } : null
  }
}

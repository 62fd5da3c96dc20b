import { announce, find, make, showError } from '../assets/dom.js'
import { HaulTimeoutError } from '../assets/haul-client.js'
import { showLastDay } from './last-day.js'
import { showMetrics } from './metrics.js'
import { problemsOf } from './problems.js'
import { showDeadWebhooks, showEngines, showLastWeek, showWaiting } from './tables.js'

/** @import { Api } from '../assets/account/api.js' */
/** @import { HaulApiError } from '../assets/haul-client.js' */
/** @import { Snapshot } from '../types.js' */
/** @typedef {{title: string, error: Partial<HaulApiError> & Error}} Unread */

const ROUND_TIMEOUT_MS = 20_000

const status = find('#numbers-from', HTMLElement)
const unreadElement = find('#round-problem', HTMLElement)
const problemList = find('#problems', HTMLUListElement)
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })

/** What each round reads, and how it is shown. @type {{title: string, path: string, show: (data: any) => void}[]} */
const parts = [
  { title: 'Metrics', path: '/admin/metrics', show: ({ samples }) => showMetrics(samples) },
  {
    title: 'Engines',
    path: '/admin/engines',
    show: ({ engines, waiting }) => {
      showEngines(engines)
      showWaiting(waiting.filter((/** @type {{count: number}} */ { count }) => count > 0))
    },
  },
  { title: 'Last day', path: '/admin/outcomes', show: ({ outcomes }) => showLastDay(outcomes) },
  { title: 'Last week', path: '/admin/outcomes?by=day', show: ({ outcomes }) => showLastWeek(outcomes) },
  { title: 'Dead webhooks', path: '/admin/webhooks/dead', show: ({ deliveries }) => showDeadWebhooks(deliveries) },
]

/** @param {Snapshot} snapshot @param {Unread[]} unread */
const showProblems = (snapshot, unread) => {
  const problems = problemsOf(snapshot, Date.now())
  const count = problems.length + (unread.length > 0 ? 1 : 0)
  const kinds = [...problems.map(({ kind }) => kind), ...unread.map(({ title }) => title)].join()
  // Announced when a problem appears or ends, not with every second that a step waits.
  if (kinds !== problemList.dataset.kinds) {
    const sentences = [
      ...unread.slice(0, 1).map(({ error }) => error.message),
      ...problems.map((each) => each.sentence),
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
 * One round of requests. What could not be read keeps its numbers, and the page says from when they are. Resolves with an
 * error of the round, if it had one.
 * @param {Api} api
 * @param {AbortSignal} signedOut
 */
export const createRound = (api, signedOut) => {
  /** The latest answer to each path, and when it came. @type {Map<string, {data: any, atMs: number}>} */
  const known = new Map()
  const dataOf = (/** @type {string} */ name) => known.get(`/admin/${name}`)?.data ?? {}

  return async () => {
    /** @type {Unread[]} */
    const unread = []
    const read = async (/** @type {(typeof parts)[number]} */ { title, path, show }) => {
      try {
        const data = await api.request('GET', path, { signal: signedOut, timeoutMs: ROUND_TIMEOUT_MS })
        show(data)
        known.set(path, { data, atMs: Date.now() })
      } catch (error) {
        const isLate = error instanceof HaulTimeoutError
        unread.push({ title, error: isLate ? new Error('The server did not answer in time.') : Object(error) })
      }
    }
    await Promise.all(parts.map(read))
    if (signedOut.aborted) return null
    const [{ samples }, { engines }, { outcomes }] = ['metrics', 'engines', 'outcomes'].map(dataOf)
    showProblems({ samples, engines, outcomes }, unread)
    showUnread(unread)
    const oldestMs = Math.min(...parts.map(({ path }) => known.get(path)?.atMs ?? 0))
    status.textContent = oldestMs > 0 ? `Numbers from ${clock.format(oldestMs)}` : 'Some numbers are missing'
    return unread[0]?.error ?? null
  }
}

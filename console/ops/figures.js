import { announce, find, make, showError } from '../assets/dom.js'
import { duration, size } from '../assets/format.js'
import { showFleet } from './fleet.js'
import { showLastDay } from './last-day.js'
import { problemsOf } from './problems.js'
import { boundOf, maxOf, sumOf } from './samples.js'
import { count } from './table.js'
import { showDeadWebhooks } from './webhooks.js'

/** @typedef {import('../assets/api.js').Client} Client */
/** @typedef {import('../assets/api.js').Refused} Refused */
/** @typedef {import('./types.js').Sample} Sample */
/** @typedef {import('./types.js').Snapshot} Snapshot */
/** @typedef {{title: string, error: Partial<Refused> & Error}} Unread */

const ROUND_TIMEOUT_MS = 20_000

const status = find('#numbers-from', HTMLElement)
const unreadPlace = find('#round-problem', HTMLElement)
const problemList = find('#problems', HTMLUListElement)
const clock = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium', hourCycle: 'h23' })

/** What each round reads, and how it is shown. @type {{title: string, path: string, show: (snapshot: any) => void}[]} */
const parts = [
  { title: 'Metrics', path: '/admin/metrics', show: ({ samples }) => showMetrics(samples) },
  { title: 'Engines', path: '/admin/engines', show: showFleet },
  { title: 'Last day', path: '/admin/outcomes', show: ({ outcomes }) => showLastDay(outcomes) },
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
  unreadPlace.replaceChildren(...lines)
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
      parts.map(async ({ title, path, show }, index) => {
        try {
          const answer = await api.get(path, signal)
          show(answer)
          Object.assign(snapshot, answer)
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

/** Sums of many jobs. */
const cents = (/** @type {number} */ amount) => amount.toLocaleString('en', { style: 'currency', currency: 'USD' })

/** @type {Record<string, (value: number) => string>} */
const formats = { count, cents, duration, size }

/**
 * Shows the metrics in the elements that name one: the sum of its samples, or the largest.
 * @param {Sample[]} samples
 */
const showMetrics = (samples) => {
  for (const element of document.querySelectorAll('data[data-metric][data-format]')) {
    if (!(element instanceof HTMLDataElement)) continue
    const { metric = '', format = '', aggregate } = element.dataset
    const value = aggregate === 'max' ? maxOf(samples, metric) : sumOf(samples, metric)
    element.value = `${value}`
    element.textContent = formats[format]?.(value) ?? `${value}`
  }
  for (const element of document.querySelectorAll('[data-histogram]')) {
    if (!(element instanceof HTMLElement)) continue
    const bound = boundOf(samples, element.dataset.histogram ?? '', 0.95)
    element.textContent = bound === null ? '–' : bound === Number.POSITIVE_INFINITY ? 'longer' : duration(bound)
  }
}

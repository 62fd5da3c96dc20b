import { arrange, make, makeButton, makeTime } from '../dom.js'
import { dateOf, dollars, duration, placeOf } from '../format.js'
import { soon } from './watch-facts.js'

/** @import { Watch, WatchItem } from '../../types.js' */
/** @import { Api } from '../account/api.js' */

const PAGE = 20

/** @type {Record<WatchItem['status'], string>} */
const states = {
  completed: 'Completed',
  running: 'Running',
  queued: 'Queued',
  waiting: 'Waiting',
  failed: 'Failed',
  told: 'Told',
  filtered: 'Filtered out',
  marked: 'Marked',
}

/** @type {Partial<Record<string, string>>} */
const notes = {
  marked: 'They were in the list before, are too old, or were left. They are never taken.',
  filtered: 'The filter of the watch leaves them out.',
  told: 'The watch has told of them, and makes nothing of them.',
}

/**
 * The items of a watch, newest first, with a filter by their state.
 * @param {Api} api
 * @param {Watch} watch
 * @param {{signal: AbortSignal, during: (work: () => Promise<unknown>) => void, onShowJob: (jobId: string) => void}} handlers
 */
export const createWatchItems = (api, { watchId }, { signal, during, onShowJob }) => {
  const choices = Object.entries({ '': 'All items', ...states })
  const choice = make('select', {}, ...choices.map(([value, text]) => make('option', { value }, text)))
  const note = make('p', { className: 'note', hidden: true })
  const list = make('ol', { className: 'watch-items', ariaLabel: 'Items' })
  const none = make('p', { className: 'muted', hidden: true })
  const more = makeButton('Show more items', () => during(showMore), { className: 'more', hidden: true })
  /** Rows by the JSON of their items. @type {Map<string, HTMLLIElement>} */
  let rows = new Map()
  let wanted = PAGE

  const load = async () => {
    const { value } = choice
    const status = /** @type {WatchItem['status']} */ (value) || undefined
    const found = await Array.fromAsync(api.watches.items(watchId, { status, limit: wanted + 1, signal }))
    // Another state may have been chosen meanwhile.
    if (choice.value !== value) return
    const shown = found.slice(0, wanted).map((item) => JSON.stringify(item))
    rows = new Map(shown.map((json) => [json, rows.get(json) ?? rowOf(JSON.parse(json), onShowJob)]))
    arrange(list, [...rows.values()])
    more.hidden = found.length <= wanted
    none.hidden = found.length > 0
    none.textContent = value === '' ? 'Nothing was read yet, or the list is empty.' : 'No items.'
    note.hidden = notes[value] === undefined || found.length === 0
    note.textContent = notes[value] ?? ''
  }

  const showMore = () => {
    wanted += PAGE
    return load()
  }

  choice.addEventListener('change', () => {
    wanted = PAGE
    during(load)
  })
  const label = make('label', { className: 'field' }, 'Show', choice)
  return { element: make('div', { className: 'stack' }, label, note, list, none, more), load }
}

/** @param {WatchItem} item @param {(jobId: string) => void} onShowJob */
const rowOf = (item, onShowJob) => {
  const { url, status, jobId } = item
  const title = item.title || placeOf(url)
  const state = make('span', { className: 'state' }, states[status])
  state.dataset.state = states[status]
  const label = { className: 'quiet', ariaLabel: `Show job: ${title}` }
  return make(
    'li',
    {},
    make('a', { href: url, title: url, target: '_blank', rel: 'noreferrer' }, title),
    make('p', { className: 'card-facts' }, ...factsOf(item).map((fact) => make('span', {}, fact))),
    state,
    ...(jobId ? [makeButton('Show job', () => onShowJob(jobId), label)] : []),
  )
}

/** @param {WatchItem} item @returns {(string | Node)[]} */
const factsOf = ({ status, publishedAt, seconds, costInDollars, code, attempts, nextAttemptAt }) => [
  ...(code ? [make('span', { className: status === 'failed' ? 'why' : '' }, make('code', {}, code))] : []),
  ...(nextAttemptAt ? [makeTime(nextAttemptAt, `tried again ${soon(nextAttemptAt)}`)] : []),
  ...(attempts > 1 ? [`${attempts} attempts`] : []),
  ...(publishedAt ? [makeTime(publishedAt, dateOf(publishedAt))] : []),
  ...(seconds === null ? [] : [duration(seconds)]),
  ...(costInDollars ? [dollars(costInDollars)] : []),
]

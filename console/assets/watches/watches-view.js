import { may } from '../account/permissions.js'
import { announce, arrange, confirmed, during, find, make } from '../dom.js'
import { createWatchCard } from './watch-card.js'
import { isWrong, nextReadMs, reasonOf, startedText, watchTitle } from './watch-facts.js'
import { createWatchItems } from './watch-items.js'

/** @import { Watch } from '../../types.js' */
/** @import { Api } from '../account/api.js' */
/** @import { HaulEvent } from '../haul-client.js' */
/** @typedef {{watch: Watch, card: ReturnType<typeof createWatchCard>, items: ReturnType<typeof createWatchItems>}} Entry */

const list = find('#watches', HTMLOListElement)
const problem = find('#watches-problem', HTMLElement)
const title = find('#watches-title', HTMLElement)
const started = find('#watch-started', HTMLElement)
const newWatch = find('#new-watch', HTMLButtonElement)

/** After an event of a watch, and of a job, which is seldom one of a watch. */
const AFTER_WATCH_MS = 300
const AFTER_JOB_MS = 2_000
/** Until a tab that was in the background may be seen again. */
const HIDDEN_MS = 2_000

/**
 * The watches of the account. While they are shown, they are read again after events, and when polls are due.
 * @param {Api} api
 * @param {{signal: AbortSignal, onShowJob: (jobId: string) => void, onNew: () => void}} handlers
 */
export const createWatchesView = (api, { signal, onShowJob, onNew }) => {
  /** @type {Map<string, Entry>} */
  const entries = new Map()
  let isShown = false
  /** How often something was changed here. A list that was requested before is not shown. */
  let changes = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer
  let readsAt = Number.POSITIVE_INFINITY
  let isReading = false

  const load = async () => {
    const before = changes
    const watches = await Array.fromAsync(api.watches.list({ signal }))
    if (changes !== before) return
    show(watches)
    for (const entry of entries.values()) if (isShown && entry.card.isOpen()) await loadItems(entry)
  }

  /** The watch may have been removed meanwhile. @param {Entry} entry */
  const loadItems = ({ watch, items }) =>
    items.load().catch((error) => {
      if (entries.has(watch.watchId)) throw error
    })

  /** @param {Watch[]} watches */
  const show = (watches) => {
    const shown = watches.map(update)
    arrange(
      list,
      shown.map(({ card }) => card.element),
    )
    for (const id of entries.keys()) if (!watches.some(({ watchId }) => watchId === id)) entries.delete(id)
    find('#no-watches', HTMLElement).hidden = watches.length > 0
    const wrong = watches.filter(isWrong).length
    const count = find('#watches-wrong', HTMLElement)
    count.hidden = wrong === 0
    const need = make('span', { className: 'unseen' }, wrong === 1 ? ' needs attention' : ' need attention')
    count.replaceChildren(`${wrong}`, need)
  }

  /** @param {Watch} watch */
  const update = (watch) => {
    const entry = entries.get(watch.watchId) ?? create(watch)
    entry.watch = watch
    entry.card.draw(watch)
    return entry
  }

  /** @param {Watch} watch @returns {Entry} */
  const create = (watch) => {
    const { watchId } = watch
    const working = (/** @type {() => Promise<unknown>} */ work) => during(card.part('problem'), () => work())
    /** @param {() => Promise<Watch>} work @param {string} done */
    const change = (work, done) =>
      working(async () => {
        const changed = await work()
        changes += 1
        update(changed)
        announce(`${watchTitle(changed)}: ${done}`)
        readWithin(AFTER_WATCH_MS)
      })
    const toggle = async () => {
      card.open(!card.isOpen())
      if (card.isOpen()) await items.load()
    }
    const card = createWatchCard({
      toggle: () => working(toggle),
      poll: () => change(() => api.watches.poll(watchId), 'the list is being read.'),
      pause: () => change(() => api.watches.pause(watchId), 'paused.'),
      resume: () => change(() => api.watches.resume(watchId), 'resumed.'),
      drop: () => change(() => api.watches.update(watchId, { waiting: 'drop' }), 'what was waiting is left.'),
      remove: () => working(() => remove(entry)),
    })
    const items = createWatchItems(api, watch, { signal, during: working, onShowJob })
    card.stage.append(items.element)
    card.element.dataset.watch = watchId
    const entry = { watch, card, items }
    entries.set(watchId, entry)
    return entry
  }

  /** @param {Entry} entry */
  const remove = async ({ watch }) => {
    const text = `“${watchTitle(watch)}” is not followed any more, and what waits is not taken. Its jobs go on, and what they have made stays.`
    if (!(await confirmed({ title: 'Remove this watch?', text, yes: 'Remove' }))) return
    await api.watches.remove(watch.watchId)
    changes += 1
    const left = [...entries.values()].filter((entry) => entry.watch.watchId !== watch.watchId)
    show(left.map((entry) => entry.watch))
    title.focus()
    announce(`${watchTitle(watch)} was removed.`)
  }

  const read = async () => {
    if (isReading) return readWithin(AFTER_WATCH_MS)
    isReading = true
    await during(problem, load)
    isReading = false
    const watches = [...entries.values()].map(({ watch }) => watch)
    if (isShown) readWithin(nextReadMs(watches, Date.now()))
  }

  /** Reads the list in so many milliseconds, or sooner if that was planned. @param {number} ms */
  const readWithin = (ms) => {
    if (signal.aborted || Date.now() + ms >= readsAt) return
    clearTimeout(timer)
    readsAt = Date.now() + ms
    timer = setTimeout(() => {
      readsAt = Number.POSITIVE_INFINITY
      if (document.hidden) readWithin(HIDDEN_MS)
      else read()
    }, ms)
  }

  newWatch.addEventListener('click', onNew)
  newWatch.hidden = !may('import', 'transcribe')

  return {
    load: read,
    /** @param {HaulEvent} event */
    told: ({ type, data }) => {
      const isOfWatch = type.startsWith('watch.')
      if (type === 'watch.paused' || type === 'watch.failing') announceReason(data)
      // The number of those that need somebody is always shown.
      if (isShown || (isOfWatch && type !== 'watch.item')) readWithin(isOfWatch ? AFTER_WATCH_MS : AFTER_JOB_MS)
    },
    /** @param {number} first How many of the newest items are taken too. */
    started: (first) => {
      started.textContent = startedText(first)
      started.hidden = false
      announce(`The watch is starting. ${started.textContent}`)
    },
    enter: () => {
      isShown = true
      title.focus()
      read()
    },
    leave: () => {
      isShown = false
      started.hidden = true
    },
  }
}

/** @param {Watch} watch */
const announceReason = (watch) => {
  const reason = reasonOf(watch)
  if (reason) announce(`${watchTitle(watch)}: ${reason}`)
}

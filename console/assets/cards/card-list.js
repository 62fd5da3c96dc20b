import { find, showError } from '../dom.js'

/**
 * A list of jobs or of batches: entries by id, newest first, older ones page by page, and an element that shows errors.
 * @template Item
 * @template {{card: {element: HTMLElement}}} Entry
 * @param {import('../account/api.js').Api} api
 * @param {object} parts
 * @param {'jobs' | 'batches'} parts.name The name of the path, of the property of a page, and of the elements.
 * @param {AbortSignal} parts.signal
 * @param {(item: Item) => string} parts.idOf
 * @param {(item: Item) => Entry} parts.create
 * @param {(entry: Entry) => void} parts.onAdd
 * @param {(entry: Entry, item: Item) => void} parts.update
 * @param {() => Record<string, string>} [parts.query] What the list is filtered by. `clear` comes before another filter.
 */
export const createCardList = (api, { name, signal, idOf, create, onAdd, update, query = () => ({}) }) => {
  const list = find(`#${name}`, HTMLOListElement)
  const problem = find(`#${name}-problem`, HTMLElement)
  const more = find(`#more-${name}`, HTMLButtonElement)
  /** @type {Map<string, Entry>} */
  const entries = new Map()
  /** @type {string | null} */
  let nextCursor = null
  /** How often the list was cleared. A page that was asked for before that is not shown. */
  let cleared = 0

  /** @param {() => Promise<unknown>} work */
  const during = async (work) => {
    showError(problem)
    await work().catch((error) => signal.aborted || showError(problem, error))
  }

  /** Updates an entry that is known already. @param {Item} item @param {'prepend' | 'append'} where */
  const add = (item, where) => {
    const known = entries.get(idOf(item))
    if (known) return update(known, item)
    const entry = create(item)
    entries.set(idOf(item), entry)
    list[where](entry.card.element)
    onAdd(entry)
  }

  /** A page may be empty although older entries match. @param {string | null} cursor @returns {Promise<boolean>} */
  const load = async (cursor) => {
    const before = cleared
    /** @type {Record<string, Item[]> & {nextCursor: string | null}} */
    const page = await api.request('GET', `/${name}`, { query: { ...query(), cursor: cursor ?? undefined }, signal })
    if (cleared !== before) return false
    nextCursor = page.nextCursor
    more.hidden = nextCursor === null
    const items = page[name] ?? []
    for (const item of items) add(item, 'append')
    return items.length > 0 || nextCursor === null || load(nextCursor)
  }

  more.addEventListener('click', () => during(() => load(nextCursor)))
  return {
    entries,
    during,
    add,
    hasMore: () => nextCursor !== null,
    /** The first page. False: the list was cleared meanwhile. */
    load: () => load(null),
    clear: () => {
      cleared += 1
      nextCursor = null
      more.hidden = true
      entries.clear()
      list.replaceChildren()
    },
  }
}

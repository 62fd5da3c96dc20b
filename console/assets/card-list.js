import { find, showError } from './dom.js'

/**
 * A list of jobs or of batches: entries by id, newest first, older ones page by page, and an element that shows errors.
 * @template Item
 * @template {{card: {element: HTMLElement}}} Entry
 * @param {import('./api.js').Client} api
 * @param {object} parts
 * @param {'jobs' | 'batches'} parts.name The name of the path, of the property of a page, and of the elements.
 * @param {AbortSignal} parts.signal
 * @param {(item: Item) => string} parts.idOf
 * @param {(item: Item) => Entry} parts.create
 * @param {(entry: Entry) => void} parts.onAdd
 * @param {(entry: Entry, item: Item) => void} parts.update
 */
export const createCardList = (api, { name, signal, idOf, create, onAdd, update }) => {
  const list = find(`#${name}`, HTMLOListElement)
  const problem = find(`#${name}-problem`, HTMLElement)
  const more = find(`#more-${name}`, HTMLButtonElement)
  /** @type {Map<string, Entry>} */
  const entries = new Map()
  /** @type {string | null} */
  let nextCursor = null

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

  /** @param {string | null} cursor */
  const load = async (cursor) => {
    const page = await api.get(`/${name}${cursor ? `?cursor=${encodeURIComponent(cursor)}` : ''}`, signal)
    nextCursor = page.nextCursor
    more.hidden = nextCursor === null
    for (const item of page[name]) add(item, 'append')
  }

  more.addEventListener('click', () => during(() => load(nextCursor)))
  return {
    entries,
    during,
    add,
    load: () => load(null),
    clear: () => {
      entries.clear()
      list.replaceChildren()
    },
  }
}

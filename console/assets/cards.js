import { during, find, make, makeButton } from './dom.js'

/**
 * A list of jobs or of batches: entries by id, newest first, older ones page by page, and an element that shows errors.
 * @template Item
 * @template {{card: {element: HTMLElement}}} Entry
 * @param {import('./account/api.js').Api} api
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
  const more = find(`#more-${name}`, HTMLButtonElement)
  /** @type {Map<string, Entry>} */
  const entries = new Map()
  /** undefined: no page was read. @type {string | null | undefined} */
  let nextCursor
  /** How often the list was cleared. A page that was requested before the last time is not shown. */
  let cleared = 0

  const showing = during.bind(null, find(`#${name}-problem`, HTMLElement))

  /** Updates a known entry, or inserts a new one before `next`. null: at the end. @param {Item} item @param {Element | null} [next] */
  const add = (item, next = list.firstElementChild) => {
    const known = entries.get(idOf(item))
    const entry = known ?? create(item)
    if (known) update(known, item)
    else {
      entries.set(idOf(item), entry)
      list.insertBefore(entry.card.element, next)
      onAdd(entry)
    }
    return entry.card.element
  }

  /** A page may be empty although older entries match. @param {string | null} cursor @returns {Promise<boolean>} */
  const load = async (cursor) => {
    const before = cleared
    /** @type {Record<string, Item[]> & {nextCursor: string | null}} */
    const page = await api.request('GET', `/${name}`, { query: { ...query(), cursor: cursor ?? undefined }, signal })
    if (cleared !== before) return false
    // A list that is read again keeps its older pages.
    if (cursor !== null || nextCursor === undefined) nextCursor = page.nextCursor
    more.hidden = !nextCursor
    const items = page[name] ?? []
    let next = cursor === null ? list.firstElementChild : null
    for (const item of items) {
      const element = add(item, next)
      if (cursor === null) next = element.nextElementSibling
    }
    return items.length > 0 || page.nextCursor === null || load(page.nextCursor)
  }

  more.addEventListener('click', () => showing(() => load(nextCursor ?? null)))
  return {
    entries,
    during: showing,
    add,
    hasMore: () => Boolean(nextCursor),
    /** Reads the first page, or reads it again. False: the list was cleared meanwhile. */
    load: () => load(null),
    clear: () => {
      cleared += 1
      nextCursor = undefined
      more.hidden = true
      entries.clear()
      list.replaceChildren()
    },
  }
}

/** @typedef {{name: string, act: () => void, away?: boolean, opens?: string}} Action `opens`: the part of the card that it shows. */
/** @typedef {{title: string, hint?: string, state: string, isLive: boolean, facts: (string | Node)[], actions: Action[]}} Shown */

/**
 * A card of a list, updated in place so that nothing moves. Its stage is an area below it that can be opened. A card may have
 * other such areas.
 * @param {'job' | 'batch' | 'watch' | 'key'} kind
 */
export const createCard = (kind) => {
  const template = find(`#${kind}-card`, HTMLTemplateElement)
  const element = find('li', HTMLLIElement, /** @type {DocumentFragment} */ (template.content.cloneNode(true)))
  const part = (/** @type {string} */ name) => find(`.${kind}-${name}`, HTMLElement, element)
  const stage = part('stage')
  let drawn = ''

  /** The focus stays at its button, or goes to one that has come instead. @param {Action[]} actions */
  const drawActions = (actions) => {
    const before = [...part('actions').children]
    const focused = before.find((button) => button === document.activeElement)?.textContent
    const buttons = actions.map((action) => actionButton(action, part))
    part('actions').replaceChildren(...buttons)
    if (focused === undefined) return
    const isNew = (/** @type {Element} */ { textContent }) =>
      before.every((button) => button.textContent !== textContent)
    const next = buttons.find(({ textContent }) => textContent === focused) ?? buttons.find(isNew) ?? buttons[0]
    next?.focus()
  }

  return {
    element,
    stage,
    part,
    isOpen: (name = 'stage') => !part(name).hidden,
    /** @param {boolean} isOpen */
    open: (isOpen, name = 'stage') => {
      part(name).hidden = !isOpen
      element.querySelector(`[data-opens=${name}]`)?.setAttribute('aria-expanded', `${isOpen}`)
    },
    /** @param {Shown} shown */
    draw: ({ title, hint = '', state, isLive, facts, actions }) => {
      element.toggleAttribute('data-live', isLive)
      part('title').textContent = title
      part('title').title = hint
      part('state').textContent = state
      part('state').dataset.state = state
      part('facts').replaceChildren(...facts.map((fact) => make('span', {}, fact)))
      // Buttons that stay the same are not replaced: one of them may have the focus.
      const names = actions.map(({ name }) => name).join()
      if (names !== drawn) drawActions(actions)
      drawn = names
      for (const button of part('actions').querySelectorAll('button'))
        button.setAttribute('aria-label', `${button.textContent}: ${title}`)
    },
  }
}

/** How much of a budget is used. null: there is none. @param {HTMLElement} row @param {number} used @param {number | null} budget @param {string} text */
export const drawBudget = (row, used, budget, text) => {
  find('span', HTMLElement, row).textContent = text
  const bar = find('meter', HTMLMeterElement, row)
  bar.hidden = budget === null
  // A budget of 0 is used up. A meter needs a maximum above 0.
  bar.max = budget || 1
  bar.value = budget === 0 ? 1 : used
}

/** @param {Action} action @param {(name: string) => HTMLElement} part */
const actionButton = ({ name, act, away = false, opens }, part) => {
  const expanded = opens && { ariaExpanded: `${!part(opens).hidden}` }
  const button = makeButton(name, act, { className: away ? 'away' : '', ...expanded })
  if (opens) button.dataset.opens = opens
  return button
}

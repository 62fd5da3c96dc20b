import { find, make } from '../dom.js'
import { bestMatches } from './match.js'

/** @import { Entry } from './match.js' */

const MAX_RESULTS = 12

/** The search field: a combobox with a list of links. Its index is loaded when the field is first used. */
export const startSearch = () => {
  const box = find('.search', HTMLElement)
  const field = find('#search', HTMLInputElement)
  const list = find('#found', HTMLElement)
  const status = find('.search [role=status]', HTMLElement)
  /** @type {Promise<Entry[]> | undefined} */
  let index
  let selected = -1

  const load = () => {
    index ??= Promise.all([loadIndex(), loadSites().catch(() => [])])
      .then((entries) => entries.flat())
      .catch(() => {
        index = undefined
        return []
      })
    return index
  }
  const options = () => /** @type {HTMLAnchorElement[]} */ ([...list.children])

  /** @param {boolean} isOpen */
  const show = (isOpen) => {
    list.hidden = !isOpen
    field.setAttribute('aria-expanded', `${isOpen}`)
    if (!isOpen) select(-1)
  }

  /** @param {number} position */
  const select = (position) => {
    selected = position
    for (const [at, option] of options().entries()) option.setAttribute('aria-selected', `${at === position}`)
    const option = options()[position]
    option?.scrollIntoView({ block: 'nearest' })
    if (option) field.setAttribute('aria-activedescendant', option.id)
    else field.removeAttribute('aria-activedescendant')
  }

  const search = async () => {
    const query = field.value
    const entries = await load()
    // The reader typed on while the index was loaded.
    if (query !== field.value) return
    const found = bestMatches(entries, query).slice(0, MAX_RESULTS)
    list.replaceChildren(...found.map(resultOf))
    show(found.length > 0)
    if (found.length > 0) select(0)
    if (query.trim() === '') status.textContent = ''
    else status.textContent = found.length === 0 ? 'Nothing found' : `${found.length} results`
  }

  field.addEventListener('focus', load, { once: true })
  field.addEventListener('input', search)
  field.addEventListener('keydown', (event) => {
    const { length } = options()
    if (event.key === 'Escape') {
      if (list.hidden) field.value = ''
      show(false)
    } else if (list.hidden || length === 0) return
    else if (event.key === 'ArrowDown') select((selected + 1) % length)
    else if (event.key === 'ArrowUp') select((selected - 1 + length) % length)
    else if (event.key === 'Enter') options()[selected]?.click()
    else return
    event.preventDefault()
  })
  list.addEventListener('click', () => {
    show(false)
    field.blur()
  })
  box.addEventListener('focusout', ({ relatedTarget }) => {
    if (!(relatedTarget instanceof Node && box.contains(relatedTarget))) show(false)
  })
  addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select')
    if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    field.focus()
    field.select()
  })
}

/** @returns {Promise<Entry[]>} */
const loadIndex = () => load('/docs/search.json')

/** They change with yt-dlp, and only their names are sent. */
const loadSites = async () => {
  /** @type {{ version: string | null, working: string[], broken: string[] }} */
  const { version, working, broken } = await load('/docs/sites.json')
  return [
    ...working.map((name) => siteOf(name, 'Site')),
    ...broken.map((name) => siteOf(name, `Site, broken in yt-dlp ${version}`)),
  ]
}

/** @param {string} title @param {string} place @returns {Entry} */
const siteOf = (title, place) => {
  const href = `/docs/sites?${new URLSearchParams({ filter: title })}`
  return { kind: 'site', title, place, text: '', href }
}

/** @param {string} path */
const load = async (path) => {
  const response = await fetch(path)
  if (!response.ok) throw new Error(`${path} answered ${response.status}`)
  return response.json()
}

/** @param {Entry} entry @param {number} position */
const resultOf = ({ kind, title, place, href }, position) =>
  make(
    'a',
    { id: `found-${position}`, href, tabIndex: -1, role: 'option' },
    make('span', { className: kind === 'guide' ? 'title' : 'title verbatim' }, title),
    make('span', { className: 'place' }, place),
  )

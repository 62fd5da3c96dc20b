import { make } from '../dom.js'

const NAME = 'found'

/**
 * A search field for lines of text. Enter goes to the next line that contains the words, Shift and Enter to the one before.
 * `refresh` searches again, in texts that have changed.
 * @param {HTMLElement[]} texts
 */
export const createSearch = (texts) => {
  const name = 'Search in the transcript'
  const field = make('input', { type: 'search', placeholder: name, ariaLabel: name, autocomplete: 'off' })
  const count = make('output', {})
  /** @type {HTMLElement[]} */
  let found = []
  let current = -1

  /** @param {number} step */
  const go = (step) => {
    if (found.length === 0) return
    current = (current + step + found.length) % found.length
    for (const text of found) text.removeAttribute('data-current')
    found[current]?.setAttribute('data-current', '')
    found[current]?.scrollIntoView({ block: 'nearest' })
    count.textContent = `${current + 1} of ${found.length}`
  }

  const search = () => {
    const query = field.value.trim().toLowerCase()
    for (const text of found) text.removeAttribute('data-current')
    found = query === '' ? [] : texts.filter((text) => lower(text).includes(query))
    current = -1
    highlight(found, query)
    count.textContent = query === '' ? '' : 'Not found'
  }

  field.addEventListener('input', () => {
    search()
    go(1)
  })
  field.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return
    event.preventDefault()
    go(event.shiftKey ? -1 : 1)
  })
  return {
    element: make('div', { className: 'search', role: 'search' }, field, count),
    refresh: () => {
      search()
      // Nothing scrolls, because the user is not searching now.
      if (found.length > 0) count.textContent = `${found.length} found`
    },
  }
}

/** @param {HTMLElement} text */
const lower = (text) => (text.textContent ?? '').toLowerCase()

/** Marks what was found without changing the elements. Browsers without this show the lines only. @param {HTMLElement[]} texts @param {string} query */
const highlight = (texts, query) => {
  if (!('highlights' in CSS)) return
  const ranges = texts.flatMap((text) => rangesIn(text, query))
  CSS.highlights.set(NAME, new Highlight(...ranges))
}

/** @param {HTMLElement} text @param {string} query */
const rangesIn = (text, query) => {
  const ranges = []
  const nodes = document.createTreeWalker(text, NodeFilter.SHOW_TEXT)
  for (let node = nodes.nextNode(); node; node = nodes.nextNode()) {
    const content = (node.textContent ?? '').toLowerCase()
    for (let at = content.indexOf(query); at !== -1; at = content.indexOf(query, at + query.length)) {
      const range = new Range()
      range.setStart(node, at)
      range.setEnd(node, at + query.length)
      ranges.push(range)
    }
  }
  return ranges
}

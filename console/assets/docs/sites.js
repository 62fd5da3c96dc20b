import { find } from '../dom.js'

/** Filters the list of sites in the page: no request is made. */
const startFilter = () => {
  const field = find('#filter', HTMLInputElement)
  const status = find('.filter [role=status]', HTMLElement)
  const items = [...document.querySelectorAll('#sites li')].map((item) => ({
    item: /** @type {HTMLElement} */ (item),
    text: item.textContent.toLowerCase(),
  }))

  const filter = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean)
    let shown = 0
    for (const { item, text } of items) {
      item.hidden = !words.every((word) => text.includes(word))
      if (!item.hidden) shown += 1
    }
    status.textContent = words.length === 0 ? '' : `${shown} of ${items.length}`
  }

  // The search of /docs links to a name.
  field.value = new URLSearchParams(location.search).get('filter') ?? ''
  field.addEventListener('input', filter)
  filter()
}

// There is no list before an engine has said it.
if (document.querySelector('#filter')) startFilter()

/** Opens the same tab in all groups, and remembers it in the tab and in the address. before-paint.js reads both. */
export const rememberDoor = () => {
  addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.closest('.doors')) return
    const { value } = target
    const before = target.getBoundingClientRect().top
    for (const radio of doorsNamed(value)) radio.checked = true
    // Groups above may have become longer or shorter. The one in use stays where it is.
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' })
    sessionStorage.setItem('door', value)
    const url = new URL(location.href)
    url.searchParams.set('door', value)
    history.replaceState(null, '', url)
  })
}

/** @param {string} value */
const doorsNamed = (value) =>
  /** @type {HTMLInputElement[]} */ ([...document.querySelectorAll('.doors input')]).filter(
    (radio) => radio.value === value,
  )

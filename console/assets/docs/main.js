import { make } from '../dom.js'
import { startSearch } from './search.js'

const SHOWN_MS = 1500

/** Browsers have a clipboard only on https and on this machine. */
const addCopyButtons = () => {
  if (!navigator.clipboard) return
  for (const block of document.querySelectorAll('.code')) {
    const button = make('button', { type: 'button', className: 'copy' }, 'Copy')
    button.addEventListener('click', () => copy(button, block.querySelector('pre')?.textContent ?? ''))
    block.append(button)
  }
}

/** @param {HTMLButtonElement} button @param {string} text */
const copy = async (button, text) => {
  const copied = navigator.clipboard.writeText(text).then(() => 'Copied')
  button.textContent = await copied.catch(() => 'Not allowed')
  button.classList.add('done')
  setTimeout(() => {
    button.textContent = 'Copy'
    button.classList.remove('done')
  }, SHOWN_MS)
}

/** Opens the same tab in all groups, and remembers it in the tab and in the address. before-paint.js reads both. */
const rememberDoor = () => {
  addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement) || !target.closest('.doors')) return
    const { value } = target
    const before = target.getBoundingClientRect().top
    for (const radio of document.querySelectorAll('.doors input'))
      if (radio instanceof HTMLInputElement && radio.value === value) radio.checked = true
    // Groups above may have become longer or shorter. The one in use stays where it is.
    scrollBy({ top: target.getBoundingClientRect().top - before, behavior: 'instant' })
    sessionStorage.setItem('door', value)
    const url = new URL(location.href)
    url.searchParams.set('door', value)
    history.replaceState(null, '', url)
  })
}

rememberDoor()
addCopyButtons()
startSearch()

import { find } from './dom.js'

/** After the last key. */
const REST_MS = 300

/**
 * A search field with a button that clears it. `onSearch` is called when what is searched for has changed: when the typing
 * rests, or at once with Enter, Escape or the button. Enter searches for the same words again.
 * @param {HTMLFormElement} form
 * @param {() => void} onSearch
 */
export const createSearchField = (form, onSearch) => {
  const field = find('input', HTMLInputElement, form)
  const button = find('button', HTMLButtonElement, form)
  let searched = ''
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const search = (isAgain = false) => {
    clearTimeout(timer)
    const text = field.value.trim()
    if (text === searched && !(isAgain && text !== '')) return
    searched = text
    button.hidden = text === ''
    onSearch()
  }

  const clear = () => {
    field.value = ''
    search()
  }

  field.addEventListener('input', () => {
    clearTimeout(timer)
    timer = setTimeout(search, REST_MS)
  })
  field.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') clear()
  })
  form.addEventListener('submit', (event) => {
    event.preventDefault()
    search(true)
  })
  button.addEventListener('click', () => {
    clear()
    field.focus()
  })

  return {
    /** What is searched for. Empty: nothing. */
    text: () => searched,
    clear,
  }
}

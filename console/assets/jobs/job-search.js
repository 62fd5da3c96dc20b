import { find } from '../dom.js'

/** After the last key. */
const REST_MS = 300
const METADATA = /^metadata\.([^=\s]+)=(.*)$/s

/**
 * The field above the list of jobs. `onSearch` is called when what is searched for has changed: when the typing rests, or at
 * once with Enter or the button that clears.
 * @param {() => void} onSearch
 */
export const createJobSearch = (onSearch) => {
  const form = find('#job-search', HTMLFormElement)
  const field = find('#job-query', HTMLInputElement)
  const button = find('#clear-search', HTMLButtonElement)
  let searched = ''
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer

  const search = () => {
    clearTimeout(timer)
    const text = field.value.trim()
    if (text === searched) return
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
    search()
  })
  button.addEventListener('click', () => {
    clear()
    field.focus()
  })

  return {
    /** What is searched for. Empty: nothing. */
    text: () => searched,
    /** The parameters of `GET /jobs`. @returns {Record<string, string>} */
    query: () => {
      const [, key, value = ''] = METADATA.exec(searched) ?? []
      if (key !== undefined) return { [`metadata.${key}`]: value }
      return searched === '' ? {} : { q: searched }
    },
    clear,
  }
}

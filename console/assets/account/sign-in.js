import { find, showError } from '../dom.js'
import { Api } from './api.js'

/**
 * Signs in with the stored key or token, or asks for one with a form. A button forgets it. It is in sessionStorage only, which
 * ends with the tab and is not shared with other tabs. What is shown belongs to one key, so another one begins with a new
 * page.
 * @param {object} page
 * @param {'key' | 'token'} page.name The ids of the form and its parts begin with it.
 * @param {string} page.storedAs
 * @param {string} page.missing Says that nothing was entered.
 * @param {HTMLButtonElement} page.forget
 * @param {HTMLElement[]} page.parts What is shown only while somebody is signed in.
 * @param {(api: Api) => Promise<unknown>} page.check Rejects if the key is not accepted.
 * @param {(api: Api, signal: AbortSignal) => void} page.open The signal aborts when the key is withdrawn.
 * @param {(path: string, headers: Headers) => void} [page.onResponse]
 * @param {boolean} [page.trustsStored] Opens with a stored key although it was not checked.
 */
export const startSignIn = ({ name, storedAs, missing, forget, parts, check, open, ...options }) => {
  const { onResponse = () => {}, trustsStored = false } = options
  const section = find('#sign-in', HTMLElement)
  const field = find(`#${name}`, HTMLInputElement)
  let isOpen = false

  /** @param {boolean} isSignedIn */
  const showParts = (isSignedIn) => {
    section.hidden = isSignedIn
    for (const part of parts) part.hidden = !isSignedIn
  }

  /** @param {unknown} [error] */
  const show = (error) => {
    sessionStorage.removeItem(storedAs)
    showParts(false)
    showError(find(`#${name}-problem`, HTMLElement), error)
    field.setAttribute('aria-invalid', `${error !== undefined}`)
    field.focus()
  }

  /** @param {string} key */
  const clientOf = (key) => {
    const signedOut = new AbortController()
    const onUnauthorized = (/** @type {unknown} */ error) => {
      // Every open request of a withdrawn key ends here. The first one is enough.
      if (signedOut.signal.aborted) return
      signedOut.abort()
      show(error)
    }
    return { api: new Api(key, { onResponse, onUnauthorized }), signal: signedOut.signal }
  }

  /** @param {string} key @param {boolean} isChecked */
  const signIn = async (key, isChecked) => {
    const { api, signal } = clientOf(key)
    if (!isChecked) await check(api)
    sessionStorage.setItem(storedAs, key)
    if (isOpen) return location.reload()
    isOpen = true
    showParts(true)
    open(api, signal)
  }

  find(`#${name}-form`, HTMLFormElement).addEventListener('submit', (event) => {
    event.preventDefault()
    const key = field.value.trim()
    if (key === '') return show({ message: missing })
    signIn(key, false).catch(show)
  })
  forget.addEventListener('click', () => {
    sessionStorage.removeItem(storedAs)
    location.reload()
  })
  const stored = sessionStorage.getItem(storedAs)
  if (stored) signIn(stored, trustsStored).catch(show)
  else show()
}

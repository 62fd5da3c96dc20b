import { createApi } from '../assets/api.js'
import { find, showError } from '../assets/dom.js'
import { duration } from '../assets/format.js'
import { openAccounts } from './accounts.js'
import { createRound } from './figures.js'
import { INTERVAL_MS, startRounds } from './rounds.js'

/** @typedef {import('../assets/api.js').Client} Client */

/** In sessionStorage only, which ends with the tab and is not shared with other tabs. */
const STORED_TOKEN = 'haul operator token'

const signIn = find('#sign-in', HTMLElement)
const figures = find('#figures', HTMLElement)
const bar = find('#bar', HTMLElement)
const tokenField = find('#token', HTMLInputElement)

/** @param {unknown} [error] */
const showSignIn = (error) => {
  sessionStorage.removeItem(STORED_TOKEN)
  figures.hidden = true
  bar.hidden = true
  signIn.hidden = false
  document.title = 'Haul operators'
  showError(find('#token-problem', HTMLElement), error)
  tokenField.setAttribute('aria-invalid', `${error !== undefined}`)
  tokenField.focus()
}

/** @param {string} token @param {AbortController} signedOut */
const createClient = (token, signedOut) =>
  createApi(token, {
    onResponse: () => {},
    onUnauthorized: (error) => {
      // Each open request of a withdrawn token ends here. The first one is enough.
      if (signedOut.signal.aborted) return
      signedOut.abort()
      showSignIn(error)
    },
  })

/** @param {Client} api @param {AbortSignal} signal */
const openFigures = (api, signal) => {
  signIn.hidden = true
  figures.hidden = false
  bar.hidden = false
  const rounds = startRounds(createRound(api), signal)
  const accounts = openAccounts(api, signal)
  const refresh = () => {
    rounds.run()
    accounts.read()
  }
  find('#refresh', HTMLButtonElement).addEventListener('click', refresh)
  refresh()
}

/**
 * Stores a token that the API accepts, and shows the figures. They belong to one token, so each begins with a new page.
 * @param {string} token
 */
const signInWith = async (token) => {
  await createClient(token, new AbortController()).get('/admin/accounts?limit=1')
  sessionStorage.setItem(STORED_TOKEN, token)
  location.reload()
}

find('#token-form', HTMLFormElement).addEventListener('submit', async (event) => {
  event.preventDefault()
  const token = tokenField.value.trim()
  if (token === '') return showSignIn({ message: 'Paste the token.' })
  await signInWith(token).catch(showSignIn)
})
find('#forget', HTMLButtonElement).addEventListener('click', () => {
  sessionStorage.removeItem(STORED_TOKEN)
  location.reload()
})
find('#interval', HTMLElement).textContent = duration(INTERVAL_MS / 1000)
find('#zone', HTMLElement).textContent = Intl.DateTimeFormat().resolvedOptions().timeZone

const token = sessionStorage.getItem(STORED_TOKEN)
if (token) {
  const signedOut = new AbortController()
  openFigures(createClient(token, signedOut), signedOut.signal)
} else showSignIn()

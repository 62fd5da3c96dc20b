import { startSignIn } from '../assets/account/sign-in.js'
import { find } from '../assets/dom.js'
import { duration } from '../assets/format.js'
import { openAccounts } from './accounts.js'
import { createRound } from './figures.js'
import { INTERVAL_MS, startRounds } from './rounds.js'

find('#interval', HTMLElement).textContent = duration(INTERVAL_MS / 1000)
find('#zone', HTMLElement).textContent = Intl.DateTimeFormat().resolvedOptions().timeZone

startSignIn({
  name: 'token',
  storedAs: 'haul operator token',
  missing: 'Paste the token.',
  forget: find('#forget', HTMLButtonElement),
  parts: [find('#figures', HTMLElement), find('#bar', HTMLElement)],
  check: (api) => api.request('GET', '/admin/accounts', { query: { limit: 1 } }),
  open: (api, signal) => {
    const runRound = startRounds(createRound(api, signal), signal)
    const readAccounts = openAccounts(api, signal)
    const refresh = () => {
      runRound()
      readAccounts()
    }
    find('#refresh', HTMLButtonElement).addEventListener('click', refresh)
    refresh()
    signal.addEventListener('abort', () => {
      document.title = 'Haul operators'
    })
  },
  // The page opens while the server cannot be reached.
  trustsStored: true,
})

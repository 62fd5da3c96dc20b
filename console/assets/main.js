import { dollars } from './amounts.js'
import { createApi, Refused } from './api.js'
import { complain, find } from './dom.js'
import { createJobs } from './jobs.js'
import { hideSeen, showLooking, showSeen } from './look.js'
import { clearOrder, fillIn, focusOn, openOrder } from './order.js'

/** @typedef {import('../types.js').Account} Account */
/** @typedef {import('../types.js').Job} Job */

/** In the session's storage only: it ends with the tab, and other tabs never see it. */
const STORED_KEY = 'haul key'

const entrance = find('#entrance', HTMLElement)
const desk = find('#desk', HTMLElement)
const keyForm = find('#key-form', HTMLFormElement)
const keyField = find('#key', HTMLInputElement)
const keyProblem = find('#key-problem', HTMLElement)

/** @param {string} selector @param {string} text */
const write = (selector, text) => {
  find(selector, HTMLElement).textContent = text
}

/** @param {unknown} [error] */
const showEntrance = (error) => {
  sessionStorage.removeItem(STORED_KEY)
  desk.hidden = true
  find('#who', HTMLElement).hidden = true
  entrance.hidden = false
  complain(keyProblem, error)
  keyField.setAttribute('aria-invalid', `${error !== undefined}`)
  keyField.focus()
}

/** @param {Account} account */
const showAccount = ({ name, availableDollars, heldDollars, limits }) => {
  write('#who-name', name)
  write('#available', dollars(availableDollars))
  write('#held', dollars(heldDollars))
  write('#at-once', `${limits.concurrentJobs.import}`)
  perHour = limits.requestsPerHour.import
  if (left === null) write('#an-hour', `${perHour}`)
}

let perHour = 0
/** Only the answer to an import says how many more there may be. @type {number | null} */
let left = null

/** @param {string} path @param {Headers} headers */
const noteLimits = (path, headers) => {
  if (path !== '/import') return
  left = Number(headers.get('x-ratelimit-remaining'))
  write('#an-hour', `${left} of ${perHour} left`)
}

/**
 * Takes a key that the API accepts, and opens what it opens.
 * @param {string} key
 */
const enter = async (key) => {
  const leaving = new AbortController()
  const api = createApi(key, {
    onAnswer: noteLimits,
    onUnauthorized: (error) => {
      // Other requests of a key that has died hear of it too, or of their own abortion.
      if (leaving.signal.aborted) return
      leaving.abort()
      showEntrance(error)
    },
  })
  showAccount(await api.get('/account'))
  sessionStorage.setItem(STORED_KEY, key)
  // One desk for one page: another key begins with a new one.
  if (isOpen) return location.reload()
  entrance.hidden = true
  desk.hidden = false
  find('#who', HTMLElement).hidden = false
  openDesk(api, leaving.signal)
}

let isOpen = false

/** @param {import('./api.js').Client} api @param {AbortSignal} signal */
const openDesk = (api, signal) => {
  isOpen = true
  const readAccount = async () => showAccount(await api.get('/account', signal))
  const jobs = createJobs(api, {
    signal,
    onEnd: () => void readAccount().catch(() => {}),
    onAgain: (job) => prepare({ url: job.url, ...(job.type === 'transcription' ? { what: 'words' } : {}) }),
    onTranscribe: (job, provider) => prepare({ url: job.url, what: 'words', provider }),
  })
  openOrder({
    onHaul: async (order) => {
      const { path, body } = order
      const started = await send(api, order)
      const type = path === '/import' ? 'import' : 'transcription'
      jobs.began({ ...started, message: undefined, type, url: body.url, createdAt: new Date().toISOString() })
      clearOrder()
      hideSeen()
      focusOn('#url')
      await readAccount()
    },
    onLook: async (url) => {
      showLooking()
      try {
        showSeen(await api.get(`/metadata?url=${encodeURIComponent(url)}`, signal), (wishes) => {
          fillIn(wishes)
          focusOn('#haul')
        })
      } catch (error) {
        hideSeen()
        throw error
      }
    },
  })
  find('#refresh', HTMLButtonElement).addEventListener('click', () => {
    jobs.clear()
    jobs.load()
    readAccount().catch(() => {})
  })
  find('#more', HTMLButtonElement).addEventListener('click', jobs.loadMore)
  jobs.load()
  focusOn('#url')
}

/** @param {Record<string, string>} wishes */
const prepare = (wishes) => {
  hideSeen()
  fillIn(wishes)
  focusOn('#haul')
}

/**
 * Sends an order. When no answer comes, the same order sent again is the same job; any answer ends the attempt.
 * @param {import('./api.js').Client} api
 * @param {import('./order.js').Order} order
 */
const send = async (api, { path, body }) => {
  const order = path + JSON.stringify(body)
  if (attempt.order !== order) attempt = { order, key: randomKey() }
  try {
    const started = await api.post(path, body, attempt.key)
    attempt = { order: '', key: '' }
    return started
  } catch (error) {
    const isAnswered = error instanceof Refused && error.status >= 400 && error.status < 500 && error.status !== 409
    if (isAnswered) attempt = { order: '', key: '' }
    throw error
  }
}
let attempt = { order: '', key: '' }

/** Not crypto.randomUUID(): pages without https have none. */
const randomKey = () => [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(36)).join('-')

keyForm.addEventListener('submit', async (event) => {
  event.preventDefault()
  const key = keyField.value.trim()
  if (key === '') return showEntrance({ message: 'Paste an API key.' })
  await enter(key).catch(showEntrance)
})
find('#leave', HTMLButtonElement).addEventListener('click', () => {
  sessionStorage.removeItem(STORED_KEY)
  location.reload()
})

const example = find('#operator-example', HTMLElement)
example.textContent = `${example.textContent}`.replace('https://…', location.origin)

const kept = sessionStorage.getItem(STORED_KEY)
if (kept) enter(kept).catch(showEntrance)
else showEntrance()
